#!/usr/bin/env bash
#SBATCH --job-name=tengen-work
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
# Workers of a training run under Slurm (docs/training.md#slurm):
#
#     sbatch --array=0-99 scripts/cluster/slurm/work.sh URL [flags of tengen-train work]
#
# TENGEN_TRAIN is the program [tengen-train]. Slurm does not start a failed task again by itself: this
# does, here at once and, when the allocation ends before the plan does, by requeueing the job.
set -u

usage() {
    printf 'Usage: sbatch --array=0-99 %s URL [flags of tengen-train work]\n' "$0" >&2
    exit 2
}
[ $# -ge 1 ] || usage
case $1 in -*) usage ;; esac
url=$1
shift
program=${TENGEN_TRAIN:-tengen-train}
REFUSED=78 # trying again will not help
MAX_ENDS=12 # in a row, each of them soon after the start: some 6 minutes

# The time limit: sbatch --signal=B:USR1@60 sends this before it.
requeue() {
    [ -z "${child:-}" ] || kill "$child" 2>/dev/null
    [ -z "${SLURM_JOB_ID:-}" ] || scontrol requeue "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}"
    exit 0
}
trap requeue USR1

wait_seconds=1
ends=0
while :; do
    begun=$SECONDS
    "$program" work --run "$url" --threads "${SLURM_CPUS_PER_TASK:-1}" "$@" &
    child=$!
    wait "$child"
    status=$?
    case $status in
    0) exit 0 ;;
    "$REFUSED" | 2 | 127) exit "$status" ;;
    esac
    # One that had worked for a while starts again at once.
    if [ $((SECONDS - begun)) -gt 120 ]; then
        wait_seconds=1
        ends=0
    fi
    ends=$((ends + 1))
    [ "$ends" -lt "$MAX_ENDS" ] || {
        printf 'work.sh: the worker ended %s times in a row, with status %s: given up\n' "$ends" "$status" >&2
        exit "$status"
    }
    printf 'work.sh: the worker ended with status %s; once more in %s s\n' "$status" "$wait_seconds" >&2
    # In the background, as a signal is acted on at once only in a wait.
    sleep "$wait_seconds" &
    child=$!
    wait "$child"
    if [ "$wait_seconds" -lt 60 ]; then
        wait_seconds=$((2 * wait_seconds))
    fi
done
