#!/bin/sh
# Trains a NoGo network overnight: builds the trainer, runs the loop at low priority until its plan
# is complete, and restarts it when it was killed. Run it again to continue.

usage() {
    cat <<'USAGE'
Usage: train-overnight.sh [--plan FILE] [--out FOLDER] [--hours N] [-- OPTIONS of tengen-train loop]

  --plan FILE    what to do [default: scripts/plans/nogo-9x9.toml]
  --out FOLDER   the run [default: runs/overnight]; report.html in it shows how it goes
  --hours N      stop after N hours [default: when the plan is done]; nothing is lost by stopping
  --help         this text

The networks are in FOLDER/networks. Try one with
  target/release/tengen gtp --model FOLDER/networks/network-NNNN.onnx    (the highest number)
USAGE
}

here=$(cd "$(dirname "$0")/.." && pwd) || exit 1
plan=$here/scripts/plans/nogo-9x9.toml
out=$here/runs/overnight
hours=
while [ $# -gt 0 ]; do
    case $1 in
        --help) usage; exit 0 ;;
        --) shift; break ;;
    esac
    [ $# -ge 2 ] || { usage >&2; exit 2; }
    case $1 in
        --plan) plan=$2 ;;
        --out) out=$2 ;;
        --hours) hours=$2 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift 2
done

# Errors are reported before the build starts.
wrong() {
    echo "train-overnight.sh: $*" >&2
    exit 2
}
case $hours in
    *[!0-9.]* | *.*.*) wrong "--hours takes a number above 0, not $hours" ;;
esac
seconds=$(awk -v hours="$hours" 'BEGIN { print int(3600 * hours) }')
[ -z "$hours" ] || [ "$seconds" -gt 0 ] || wrong "--hours takes a number above 0, not $hours"
[ -f "$plan" ] && [ -r "$plan" ] || wrong "there is no plan $plan (--plan)"
mkdir -p "$out" && [ -w "$out" ] || wrong "cannot write to the folder $out (--out)"
command -v cargo >/dev/null || wrong "cargo is needed: https://rustup.rs"

echo "Building; nothing built yet takes some 10 minutes on two cores."
cargo build --release -p tengen -p tengen-train --manifest-path "$here/Cargo.toml" || exit 1
train=${CARGO_TARGET_DIR:-$here/target}/release/tengen-train
limit=
end=$(($(date +%s) + seconds))

tries=0
while :; do
    if [ -n "$hours" ]; then
        # The remaining hours, also after a kill. In the foreground, so that Ctrl-C reaches it.
        left=$((end - $(date +%s)))
        limit="timeout --foreground $((left > 0 ? left : 1))"
    fi
    # Unquoted on purpose: several words, or none.
    # shellcheck disable=SC2086
    $limit nice -n 10 "$train" loop "$plan" --out "$out" "$@"
    status=$?
    case $status in
        0) echo "The plan is done: $out/report.html"; break ;;
        124) echo "Time is up: $out/report.html. Run this again to go on."; break ;;
        130 | 143) exit $status ;;
    esac
    # Killed (137), or out of memory: continue. Any other failure is reported and ends here.
    [ $status -lt 128 ] && exit $status
    tries=$((tries + 1))
    [ $tries -ge 20 ] && { echo "It was killed $tries times; giving up." >&2; exit $status; }
    echo "It was killed; continuing." >&2
done

"$train" fsck "$out"
