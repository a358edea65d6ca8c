#!/usr/bin/env bash
# Trains NoGo's network on a GPU for some minutes, in one call. The run is packed, and the next call goes on from there.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/gpu-champion.sh [--device DEVICE] [--fit-device DEVICE] [--minutes M] [--from FOLDER] [--out FOLDER]
                               [--keep MIB] [--quick]

  --device DEVICE      where games are evaluated: cuda:0 [default] or another card; cpu rehearses
  --fit-device DEVICE  where the network is fitted: cpu [default]; cuda:0 with a tengen-train built with libtorch
  --minutes M          how long it learns, a whole number [default: 8]
  --from FOLDER        the packed run of an earlier call, with its plan, to go on from there
  --out FOLDER         where the run is packed [default: gpu-champion]
  --keep MIB           how many MiB of games are packed at most, the newest [default: 30]
  --quick              only a few games a generation, to check that everything runs; not with --from

Started from the repository's root. Needs tengen-train, built with `cargo build --release --workspace`, in
target/release or in the folder that TENGEN_BIN names, and on a card ONNX Runtime (scripts/fetch-onnxruntime.sh --gpu).
FOLDER/run.tar.NNNN together are the run as `tengen-train loop` continues it, in parts of 15 MiB; report.html shows it,
network.onnx is its newest network.
TEXT
}

device=cuda:0 fit_device=cpu minutes=8 from='' out=gpu-champion keep=30 quick=''
while [ $# -gt 0 ]; do
    case $1 in
        --quick) quick=1; shift; continue ;;
        --help | -h) usage; exit 0 ;;
    esac
    [ $# -ge 2 ] || { usage >&2; exit 2; }
    case $1 in
        --device) device=$2 ;;
        --fit-device) fit_device=$2 ;;
        --minutes) minutes=$2 ;;
        --from) from=$2 ;;
        --out) out=$2 ;;
        --keep) keep=$2 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift 2
done
for number in "$minutes" "$keep"; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || { echo "gpu-champion: $number is not a whole number above 0" >&2; exit 2; }
done
train=${TENGEN_BIN:-target/release}/tengen-train
[ -x "$train" ] || { echo "gpu-champion: there is no $train: cargo build --release --workspace" >&2; exit 1; }
plan=scripts/plans/nogo-9x9-gpu.toml
[ -f "$plan" ] || { echo "gpu-champion: there is no $plan here; start it in the repository's root" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "$from" ]; then
    cat "$from"/run.tar.[0-9]* | tar -x -C "$work"
else
    mkdir "$work/run"
    cp "$plan" "$work/plan.toml"
    if [ -n "$quick" ]; then
        sed -i -E 's/^(warm-up = \{ games = )[0-9]+, playouts = [0-9]+/\18, playouts = 8/; s/^games = .*/games = 8/
            s/^visits = .*/visits = 8/; s/^least = .*/least = 100/; s/^pairs = .*/pairs = 1/' "$work/plan.toml"
    fi
fi

code=0
timeout --signal INT --kill-after 60 "$((60 * minutes))" \
    "$train" loop "$work/plan.toml" --out "$work/run" --device "$device" --fit-device "$fit_device" || code=$?
# 124: its time was up, as it should be.
[ "$code" -eq 0 ] || [ "$code" -eq 124 ] ||
    echo "gpu-champion: tengen-train ended with $code; the run is packed as it is" >&2

# The newest games as far as they fit, the last checkpoint and the network of two generations, for one that has begun
# needs the one before, and everything small.
mkdir -p "$out"
rm -f "$out"/run.tar.new.*
cd "$work"
find run -path '*/games/*' -type f -printf '%T@ %s %p\n' | sort -rn |
    awk -v most="$((keep << 20))" '(sum += $2) > most { print $3 }' >old
find run -name '*.checkpoint' | sort -r | awk -F/ '!($3 == "fit" && !seen[$2]++ && ++kept <= 2)' >>old
find run -path '*/networks/network-*.onnx' | sort -r | awk -F'[/.]' '!seen[$3]++ { kept++ } kept > 2' >>old
cd - >/dev/null
tar -c -C "$work" --exclude-from "$work/old" plan.toml run | split -b 15M -a 4 -d - "$out/run.tar.new."
# The last run goes when all of this one is written: they may be in one folder.
rm -f "$out"/run.tar.[0-9]*
for part in "$out"/run.tar.new.*; do mv "$part" "$out/run.tar.${part##*.}"; done
[ -f "$work/run/report.html" ] && cp "$work/run/report.html" "$out/"
network=$(find "$work/run/networks" -name 'network-????.onnx' 2>/dev/null | sort | tail -n 1) || true
[ -z "$network" ] || cp "$network" "$out/network.onnx"
generations=$(find "$work/run" -maxdepth 1 -name 'generation-*.json' | wc -l)
echo "gpu-champion: $generations generations are done; $(du -sh "$out" | cut -f1) in $out"
[ "$generations" -gt 0 ] || exit 1
