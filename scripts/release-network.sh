#!/bin/sh
# Takes the newest network of a run of scripts/plans/gomoku-8x8.toml, or of another one, into models/: f32 and
# int8, and what a later run needs to go on.
usage() {
    cat <<'USAGE'
Usage: release-gomoku.sh RUN [NAME]

  RUN    the folder of tengen-train loop
  NAME   gomoku-8x8 [default], gomoku-15x15 or gomoku-sizes

Writes models/NAME.onnx, models/NAME-int8.onnx and models/runs/NAME, and prints what the table in
models/README.md has to say. Build tengen again after it: networks are compiled in.
USAGE
}
case ${1:-} in
    --help) usage; exit 0 ;;
    "") usage >&2; exit 2 ;;
esac
run=$1
name=${2:-gomoku-8x8}
case $name in
    gomoku-8x8 | gomoku-15x15 | gomoku-sizes) ;;
    *) echo "release-gomoku.sh: no network is called $name" >&2; usage >&2; exit 2 ;;
esac
models=$(cd "$(dirname "$0")/../models" && pwd) || exit 1
summary=$(ls "$run"/generation-*.json 2>/dev/null | tail -n 1)
[ -n "$summary" ] || { echo "release-gomoku.sh: $run holds no finished generation" >&2; exit 2; }
number=$(basename "$summary" .json | sed 's/generation-//')
network=$run/networks/network-$number
for form in .onnx .int8.onnx; do
    [ -f "$network$form" ] || { echo "release-gomoku.sh: there is no $network$form" >&2; exit 2; }
done
cp "$network.onnx" "$models/$name.onnx" && cp "$network.int8.onnx" "$models/$name-int8.onnx" || exit 1

kept=$models/runs/$name
rm -rf "$kept" && mkdir -p "$kept/networks" "$kept/generation-$number" || exit 1
cp "$run"/plan.toml "$run"/hours.json "$run"/report.html "$run"/generation-*.json "$kept/"
fit=generation-$number/fit
mkdir "$kept/$fit" && cp "$run/$fit/losses.jsonl" "$kept/$fit/" || exit 1
cp "$(ls "$run/$fit"/*.checkpoint | tail -n 1)" "$kept/$fit/" || exit 1
cp "$network.onnx" "$network.int8.onnx" "$kept/networks/"
for matches in "$run"/generation-*/matches; do
    [ -d "$matches" ] || continue
    generation=$(basename "$(dirname "$matches")")
    mkdir -p "$kept/$generation" && cp -r "$matches" "$kept/$generation/"
done

# Plans that begin with these weights.
for plan in "$models"/../scripts/plans/gomoku-*.toml; do
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
