#!/usr/bin/env bash
#SBATCH --job-name=tengen
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
# The learner or the workers of a training run under Slurm (docs/training.md#slurm):
#
#     sbatch --cpus-per-task=8 scripts/cluster/slurm/run.sh loop PLAN URL [flags of tengen-train loop]
#     sbatch --array=0-99 scripts/cluster/slurm/run.sh work URL [flags of tengen-train work]
#
# TENGEN_TRAIN is the program [tengen-train]. Slurm does not start a failed task again by itself: this
# does, here at once and, when the allocation ends before the plan does, by requeueing the job. A learner then goes on
# with its run, which only the first start of its job may begin.
set -u

usage() {
    printf 'Usage: sbatch %s loop PLAN URL [flags of tengen-train loop]\n' "$0" >&2
    printf '       sbatch --array=0-99 %s work URL [flags of tengen-train work]\n' "$0" >&2
    exit 2
}
command=${1:-} plan=
case $command in
loop)
    [ $# -ge 3 ] || usage
    plan=$2
    [ -e "$plan" ] || {
        printf 'run.sh: there is no plan %s\n' "$plan" >&2
        exit 2
    }
    shift
    ;;
work) [ $# -ge 2 ] || usage ;;
*) usage ;;
esac
url=$2
case $url in -*) usage ;; esac
shift 2
# Where the run is.
folder=$url before=
for word; do
    case $before:$word in
    --out:*) folder=$word ;;
    *:--out=*) folder=${word#--out=} ;;
    esac
    before=$word
done
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
# Where the run's folder is not mounted, a start with a plan would begin another run.
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || plan=
while :; do
    begun=$SECONDS
    "${TENGEN_TRAIN:-tengen-train}" "$command" ${plan:+"$plan"} --run "$url" --threads "${SLURM_CPUS_PER_TASK:-1}" "$@" &
    child=$!
    wait "$child"
    status=$?
    [ ! -e "$folder/plan.toml" ] || plan=
    # 78: refused, trying again will not help.
    case $status in 0 | 2 | 78 | 127) exit "$status" ;; esac
    # One that had worked for a while starts again at once.
    if [ $((SECONDS - begun)) -gt 120 ]; then
        wait_seconds=1
        ends=0
    fi
    ends=$((ends + 1))
    [ "$ends" -lt "$MAX_ENDS" ] || {
        printf 'run.sh: %s ended %s times in a row, with status %s: given up\n' "$command" "$ends" "$status" >&2
        exit "$status"
    }
    printf 'run.sh: %s ended with status %s; once more in %s s\n' "$command" "$status" "$wait_seconds" >&2
    # In the background, as a signal is acted on at once only in a wait.
    sleep "$wait_seconds" &
    child=$!
    wait "$child"
    [ "$wait_seconds" -ge 60 ] || wait_seconds=$((2 * wait_seconds))
done
