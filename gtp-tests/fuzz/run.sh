#!/usr/bin/env bash
# Fuzzes the readers, guided by coverage: gtp-tests/fuzz/run.sh [SECONDS for each target]
#
# Inputs that taught something are kept in data/fuzz, so that the next run goes on from there; an input
# that breaks something is left beside them and printed. For days: scripts/endurance.sh.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-600}
data=$(cd ../.. && pwd)/data/fuzz
./build.sh "$data/targets"
longest() { case $1 in networks) echo 2000000 ;; files) echo 60000 ;; training) echo 8192 ;; *) echo 4096 ;; esac; }
for target in protocols sgf networks files training; do
    mkdir -p "$data/$target"
    "$data/targets/$target" "$data/$target" "$data/targets/seeds-$target" \
        -dict=words.dict -max_len="$(longest "$target")" -timeout=60 -max_total_time="$seconds" \
        -artifact_prefix="$data/broken-$target-" -print_final_stats=1
done
