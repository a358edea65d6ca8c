#!/usr/bin/env bash
# Builds the fuzz targets into a folder, with inputs to begin with: gtp-tests/fuzz/build.sh FOLDER
#
# Needs a C++ compiler, besides cargo and its registry. It works with the stable compiler: the
# instrumentation is LLVM's own.
set -euo pipefail
[ $# -eq 1 ] || { echo "Usage: gtp-tests/fuzz/build.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"

export CARGO_TARGET_DIR="${TENGEN_FUZZ_TARGET:-${XDG_CACHE_HOME:-$HOME/.cache}/tengen/fuzz}"
# What libFuzzer wants to hear of the program: which edges ran, and what was compared with what.
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
# With a target named, the flags are not used for build scripts, which have no fuzzer in them.
host=$(rustc -vV | sed -n 's/^host: //p')
cargo build --release --features training --target "$host"

for target in protocols sgf networks files training; do
    # Another name first: a running one cannot be overwritten.
    cp "$CARGO_TARGET_DIR/$host/release/$target" "$out/$target.new"
    mv "$out/$target.new" "$out/$target"
    mkdir -p "$out/seeds-$target"
done
cp words.dict "$out/"
# The conversations and games of the tests, to begin with. The first byte chooses protocol and game.
for session in ../*.session; do
    case $(basename "$session") in go.*) game=J ;; gomoku.*) game=K ;; *) game=G ;; esac
    { printf '%s' "$game"; sed -n 's/^> //p' "$session"; } >"$out/seeds-protocols/$(basename "$session")"
done
cp ../games/*.sgf "$out/seeds-sgf/"
cp ../../models/nogo-9x9{,-int8}.onnx "$out/seeds-networks/"
for plan in ../../scripts/plans/*.toml; do
    { printf p; cat "$plan"; } >"$out/seeds-training/$(basename "$plan")"
done
for target in seeds/*; do
    cp "$target"/* "$out/seeds-$(basename "$target")/"
done
