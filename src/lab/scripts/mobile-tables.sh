#!/usr/bin/env bash
# The comparison of Cazenave 2020 ("Mobile Networks for Computer Go", V-A) at a small scale: networks of about a
# million parameters, fitted to the same games with the same batches.
#
#   src/lab/scripts/mobile-tables.sh DATA OUT [SAMPLES]
#
# DATA is a folder of shards that `tengen-train import --komi-share 0` has written: the networks do not see komi.
# The network with the fewest samples is fitted next, for SLICE seconds (default 600), so that all have about as
# many whenever this ends; SAMPLES of each (default 1,000,000) end it. Give the same command again to continue,
# also after `kill -9`. OUT/NETWORK/losses.jsonl has the curves: accuracy of the policy, error of the value on
# held-out games. TENGEN_TRAIN names the program, THREADS its threads (default 1), ARMS the number of networks.
#
# On a GPU (docs/training.md#pytorch): DEVICE=cuda, and TOGETHER=1 to fit all networks at the same time, for SLICE
# seconds. BATCH (default 64) are the samples of a step, SEED (default 1) draws weights and order; SCORE_ROWS
# (default 2048) held-out positions are judged every SCORE_EVERY steps (default 250).
set -euo pipefail

data=${1:?a folder of shards} out=${2:?a folder for the fits} samples=${3:-1000000}
train=${TENGEN_TRAIN:-target/release/tengen-train}
mkdir -p "$out"
batch=${BATCH:-64}
steps=$(((samples + batch - 1) / batch))
export RAYON_NUM_THREADS=${THREADS:-1}

# Name, network, and what differs from the others.
arms=(
    "residual-dense a0+dense-10b63c --value-weight 1"
    "residual-conv golois-13b64c --value-weight 1"
    "mobile-conv mobile-33b64c200 --value-weight 1"
    "mobile-dense mobile+dense-25b64c200 --value-weight 1"
    "residual-conv-squared golois-13b64c --value-weight 1 --value-loss squared"
    "residual-conv-value-4 golois-13b64c --value-weight 4"
)
# Only the first ones.
[ -z "${ARMS:-}" ] || arms=("${arms[@]:0:$ARMS}")

# Steps that are in a fit's newest checkpoint.
steps_of() {
    local newest
    newest=$(find "$out/$1" -name 'step-*.checkpoint' 2>/dev/null | sort | tail -n 1)
    newest=${newest##*/step-}
    newest=${newest%%.*}
    echo $((10#${newest:-0}))
}

# fit_arm SECONDS NAME NET FLAGS...: goes on with one network. An interrupted fit writes a checkpoint. A constant
# rate: no arm is judged by how far its schedule is.
fit_arm() {
    local seconds=$1 name=$2 net=$3
    shift 3
    timeout -s INT "$seconds" "$train" fit --data "$data" --net "$net" --encoding go-mobile-2 --out "$out/$name" \
        --steps "$steps" --batch "$batch" --schedule constant --learning-rate 0.001 --average-decay 0.999 \
        --surprise-share 0 --root-value-share 0 --score-every "${SCORE_EVERY:-250}" --score-rows "${SCORE_ROWS:-2048}" \
        --window 100000000 --device "${DEVICE:-cpu}" --seed "${SEED:-1}" "$@" --json >>"$out/$name.log" 2>&1 || true
}

if [ -n "${TOGETHER:-}" ]; then
    for arm in "${arms[@]}"; do
        # shellcheck disable=SC2086
        fit_arm "${SLICE:-600}" $arm &
    done
    wait
    for arm in "${arms[@]}"; do
        echo "${arm%% *} at step $(steps_of "${arm%% *}") of $steps"
    done
    exit
fi
while true; do
    next='' least=$steps
    for arm in "${arms[@]}"; do
        done=$(steps_of "${arm%% *}")
        if [ "$done" -lt "$least" ]; then
            next=$arm least=$done
        fi
    done
    [ -n "$next" ] || break
    name=${next%% *}
    echo "$(date +%T) $name at step $least of $steps"
    # shellcheck disable=SC2086
    fit_arm "${SLICE:-600}" $next
    after=$(steps_of "$name")
    if [ "$after" -le "$least" ]; then
        echo "$name made no step: see $out/$name.log" >&2
        exit 1
    fi
done
