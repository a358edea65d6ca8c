#!/usr/bin/env bash
#SBATCH --job-name=tengen-learn
#SBATCH --requeue
#SBATCH --open-mode=append
# The learner of a training run under Slurm (docs/training.md#slurm):
#
#     sbatch --cpus-per-task=8 scripts/cluster/slurm/learn.sh PLAN URL [flags of tengen-train loop]
#
# TENGEN_TRAIN is the program [tengen-train]. It goes on with the run when Slurm starts it again, as work.sh explains;
# only the first start of the job may begin it.
set -u

usage() {
    printf 'Usage: sbatch %s PLAN URL [flags of tengen-train loop]\n' "$0" >&2
    exit 2
}
[ $# -ge 2 ] || usage
[ -e "$1" ] || {
    printf 'learn.sh: there is no plan %s\n' "$1" >&2
    exit 2
}
plan=$1 url=$2
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
    [ -z "${SLURM_JOB_ID:-}" ] || scontrol requeue "$SLURM_JOB_ID"
    exit 0
}
trap requeue USR1

wait_seconds=1
ends=0
# Where the run's folder is not mounted, a start with a plan would begin another run.
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || plan=
while :; do
    begun=$SECONDS
    "${TENGEN_TRAIN:-tengen-train}" loop ${plan:+"$plan"} --run "$url" --threads "${SLURM_CPUS_PER_TASK:-1}" "$@" &
    child=$!
    wait "$child"
    status=$?
    [ ! -e "$folder/plan.toml" ] || plan=
    # 78: refused.
    case $status in 0 | 2 | 78 | 127) exit "$status" ;; esac
    if [ $((SECONDS - begun)) -gt 120 ]; then
        wait_seconds=1
        ends=0
    fi
    ends=$((ends + 1))
    [ "$ends" -lt "$MAX_ENDS" ] || {
        printf 'learn.sh: the learner ended %s times in a row, with status %s: given up\n' "$ends" "$status" >&2
        exit "$status"
    }
    printf 'learn.sh: the learner ended with status %s; once more in %s s\n' "$status" "$wait_seconds" >&2
    sleep "$wait_seconds" &
    child=$!
    wait "$child"
    [ "$wait_seconds" -ge 60 ] || wait_seconds=$((2 * wait_seconds))
done
