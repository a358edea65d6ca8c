#!/usr/bin/env bash
# Fuzzes the readers, guided by coverage: gtp-tests/fuzz/run.sh [SECONDS for each target]
#
# Needs a C++ compiler, besides cargo and its registry. It works with the stable compiler: the
# instrumentation is LLVM's own. Inputs that taught something are kept in data/fuzz, so that the
# next run goes on from there; an input that breaks something is left beside them and printed.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-600}
data=$(cd ../.. && pwd)/data/fuzz
export CARGO_TARGET_DIR="${TENGEN_FUZZ_TARGET:-${XDG_CACHE_HOME:-$HOME/.cache}/tengen/fuzz}"
# What libFuzzer wants to hear of the program: which edges ran, and what was compared with what.
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
# With a target named, the flags are not used for build scripts, which have no fuzzer in them.
host=$(rustc -vV | sed -n 's/^host: //p')
cargo build --release --target "$host"

mkdir -p "$data/seeds-protocols" "$data/seeds-sgf" "$data/seeds-networks"
# The conversations and games of the tests, to begin with. The first byte chooses protocol and game.
for session in ../*.session ../*.tst; do
    case $(basename "$session") in go.*) game=J ;; gomoku.*) game=K ;; *) game=G ;; esac
    { printf '%s' "$game"; sed 's/^> //' "$session"; } >"$data/seeds-protocols/$(basename "$session")"
done
# A Gomocup manager's.
printf 'IINFO rule 4\nSTART 8\nBEGIN\nTURN 0,0\nTAKEBACK 0,0\nRECTSTART 9,6\nBOARD\n1,1,1\n2,2,2\nDONE\nSWAP2BOARD\nDONE\n' \
    >"$data/seeds-protocols/gomocup"
cp ../games/*.sgf "$data/seeds-sgf/"
cp ../../models/nogo-9x9{,-int8}.onnx "$data/seeds-networks/"
longest() { case $1 in networks) echo 2000000 ;; *) echo 4096 ;; esac; }
for target in protocols sgf networks; do
    mkdir -p "$data/$target"
    "$CARGO_TARGET_DIR/$host/release/$target" "$data/$target" "$data/seeds-$target" \
        -dict=words.dict -max_len="$(longest "$target")" -timeout=60 -max_total_time="$seconds" \
        -artifact_prefix="$data/broken-$target-" -print_final_stats=1
done
