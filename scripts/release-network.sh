#!/bin/sh
# Copies the newest network of a run of a plan in scripts/plans to models/: f32 and int8, and the files needed to
# continue the run.
usage() {
    cat <<'USAGE'
Usage: release-network.sh [--keep-only] RUN NAME

  RUN           the folder of tengen-train loop
  NAME          that of its plan: gomoku-8x8, gomoku-15x15, gomoku-sizes, go-sizes, nogo-9x9-champion, nogo-9x9-large
  --keep-only   keep the run, and release nothing

Writes models/NAME.onnx and models/NAME-int8.onnx (nogo-9x9-champion as nogo-9x9-5b32c, nogo-9x9-large as
nogo-9x9), which for Go have lead and ownership, and models/runs/NAME, and prints what the table in
docs/networks.md has to say. Build tengen again after it: networks are compiled in. For Go it needs
target/release/tengen-train, or that of the folder BIN.
USAGE
}
fail() {
    echo "release-network.sh: $*" >&2
    exit 2
}
release=yes
case ${1:-} in
    --help) usage; exit 0 ;;
    --keep-only) release=; shift ;;
esac
[ $# -eq 2 ] || { usage >&2; exit 2; }
run=$1
name=$2
case $name in
    gomoku-8x8 | gomoku-15x15 | gomoku-sizes | go-sizes) model=$name ;;
    nogo-9x9-champion) model=nogo-9x9-5b32c ;;
    nogo-9x9-large) model=nogo-9x9 ;;
    *) fail "unknown network $name" ;;
esac
here=$(cd "$(dirname "$0")/.." && pwd) || exit 1
models=$here/models
# It would be deleted before it is copied.
case $(cd "$run" 2>/dev/null && pwd) in
    "$models"/runs/*) fail "$run is the archive of runs: give a copy that was continued" ;;
esac
summary=$(ls "$run"/generation-*.json 2>/dev/null | tail -n 1)
[ -n "$summary" ] || fail "$run has no finished generation"
number=$(basename "$summary" .json | sed 's/generation-//')
# A run continues from all its summaries.
for each in $(seq -f %04g 0 "$(echo "$number" | sed 's/^0*\(.\)/\1/')"); do
    [ -f "$run/generation-$each.json" ] || fail "$run has generation $number but not generation-$each.json"
done
network=$run/networks/network-$number
for form in .onnx .int8.onnx; do
    [ -f "$network$form" ] || fail "there is no $network$form"
done
case $release$name in
    yesgo-*)
        # The networks of a run have no outputs for points.
        train=${BIN:-$here/target/release}/tengen-train
        [ -x "$train" ] || fail "there is no $train: cargo build --release --workspace"
        "$train" export --checkpoint "$run/generation-$number/fit" --all-heads --out "$models/$model.onnx" || exit 1
        # With several boards each has its own folder.
        set --
        for games in "$run/generation-$number/games" "$run/generation-$number/games"/*x*; do
            [ -n "$(ls "$games"/*.parquet 2>/dev/null)" ] && set -- "$@" --data "$games"
        done
        "$train" quantize --model "$models/$model.onnx" "$@" --out "$models/$model-int8.onnx" || exit 1
        ;;
    yes*) cp "$network.onnx" "$models/$model.onnx" && cp "$network.int8.onnx" "$models/$model-int8.onnx" || exit 1 ;;
esac

kept=$models/runs/$name
# The old files are removed when all new ones are complete.
new=$kept.new
rm -rf "$new" && mkdir -p "$new/networks" "$new/generation-$number" || exit 1
cp "$run"/plan.toml "$run"/hours.json "$run"/report.html "$run"/generation-*.json "$new/" || exit 1
fit=generation-$number/fit
mkdir "$new/$fit" && cp "$run/$fit/losses.jsonl" "$new/$fit/" || exit 1
cp "$(ls "$run/$fit"/*.checkpoint | tail -n 1)" "$new/$fit/" || exit 1
cp "$network.onnx" "$network.int8.onnx" "$new/networks/" || exit 1
for matches in "$run"/generation-*/matches; do
    [ -d "$matches" ] || continue
    generation=$(basename "$(dirname "$matches")")
    mkdir -p "$new/$generation" && cp -r "$matches" "$new/$generation/" || exit 1
done
rm -rf "$kept" && mv "$new" "$kept" || exit 1

# Plans that start from these weights.
for plan in "$models"/../scripts/plans/*.toml; do
    sed -i "s|runs/$name/[a-z0-9/-]*fit|runs/$name/$fit|" "$plan" || exit 1
done
python3 - "$summary" <<'PYTHON' || exit 1
import json, sys
last = json.load(open(sys.argv[1]))
held_out = last["held_out"]
print(f"generation {last['number']}: {last['games_so_far']} games, {last['rows_so_far']} positions, "
      f"{last['steps']} steps, {last['seconds'] / 3600:.2f} hours, "
      f"policy {held_out['policy_loss']:.3f} (floor {held_out['policy_floor']:.3f}), "
      f"value {held_out['value_loss']:.3f}")
PYTHON
