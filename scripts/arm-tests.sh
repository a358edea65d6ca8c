#!/usr/bin/env bash
# Builds tengen for Linux on 64-bit ARM and tests it under qemu, which does not show its speed.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/arm-tests.sh [--small] [FILTER]

  --small   only the bench signature and a move of each game, no tests
  FILTER    only tests whose name has this in it [default: native::, the tests of the kernels]

Needs (Debian): apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
                rustup target add aarch64-unknown-linux-gnu
Builds what release.sh --arm builds, some 15 processor minutes the first time. Ends with 77 where something that is
needed is missing.
TEXT
}

say() { printf '\n== arm: %s (%ss)\n' "$1" "$SECONDS"; }

missing() {
    echo "arm-tests: $*: not run" >&2
    exit 77
}

fail() {
    echo "arm-tests: $*" >&2
    exit 1
}

small=
filter=native::
while [ $# -gt 0 ]; do
    case $1 in
    --small) small=yes ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) filter=$1 ;;
    esac
    shift
done
cd "$(dirname "$0")/.."
triple=aarch64-unknown-linux-gnu
libraries=/usr/aarch64-linux-gnu
for tool in cargo aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v "$tool" >/dev/null || missing "there is no $tool"
done
[ -e "$libraries/lib/libc.so.6" ] || missing "there is no C library in $libraries"
[ -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ] || missing "rustup has no target $triple"

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L $libraries"
flags=(--release --locked --features train --target "$triple")

say 'build'
cargo build "${flags[@]}" --bins
tengen=(qemu-aarch64-static -L "$libraries" "$CARGO_TARGET_DIR/$triple/release/tengen")

say 'signature'
signature=$("${tengen[@]}" bench | head -n 1)
[ "$signature" = "$(cat gtp-tests/bench.signature)" ] || fail "signature $signature"

for game in nogo go gomoku; do
    say "a move of $game"
    answer=$(printf 'genmove b\nquit\n' | "${tengen[@]}" gtp --game "$game" --size 9 --visits 20)
    grep -q '^= [A-J][1-9]' <<<"$answer" || fail "no legal move in $game: $answer"
done

if [ -z "$small" ]; then
    say 'tests'
    # The kernels need no feature, and without tract and Burn these are built in a third of the time.
    cargo test --release --locked --target "$triple" --no-default-features --lib -- "$filter"
fi
say 'done'
