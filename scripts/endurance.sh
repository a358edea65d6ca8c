#!/usr/bin/env bash
# What only long runs show: the readers fuzzed, games and conversations in any order refereed by other code,
# memory and open files watched, faults on purpose. Started again with the same folder, it goes on.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/endurance.sh --hours N [--out FOLDER] [--only PART]...

  --hours N      how long, such as 0.5 or 24
  --out FOLDER   where results, faults and what the fuzzing has learned are kept [data/endurance]
  --only PART    only this part, fuzz, games, sessions, requests or faults; may be repeated

It uses one core; run it beside other work with `nice -n 19`. report.md in the folder has the figures, faults/
what led to each fault. Programs are taken from target/release, or from BIN if it is set; the fuzz targets are
built by gtp-tests/fuzz/build.sh.
TEXT
}

out=data/endurance hours='' only=()
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h) usage; exit 0 ;;
        --hours | --out | --only) [ $# -ge 2 ] || { usage >&2; exit 2; } ;;
    esac
    case $1 in
        --hours) hours=$2; shift 2 ;;
        --out) out=$2; shift 2 ;;
        --only) only+=("$2"); shift 2 ;;
        *) usage >&2; exit 2 ;;
    esac
done
if ! awk -v hours="$hours" 'BEGIN { exit !(hours ~ /^[0-9]+(\.[0-9]+)?$/ && hours > 0) }'; then
    echo "endurance: --hours takes a number above 0, not \"$hours\"" >&2
    exit 2
fi
for part in "${only[@]}"; do
    case $part in
        fuzz | games | sessions | requests | faults) ;;
        *) echo "endurance: there is no part \"$part\"" >&2; exit 2 ;;
    esac
done
. "$(dirname "$0")/programs.sh"
for program in "$bin/tengen-train" python3; do
    command -v "$program" >/dev/null || { echo "endurance: there is no $program" >&2; exit 1; }
done
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
if [ ${#only[@]} -eq 0 ] || [[ " ${only[*]} " == *" fuzz "* ]]; then
    "$here/../gtp-tests/fuzz/build.sh" "$out/targets"
fi
exec python3 -B "$here/endurance/run.py" --bin "$bin" --fuzz "$out/targets" --out "$out" --hours "$hours" --only "${only[@]}"
