#!/usr/bin/env bash
# Builds tengen for Linux on 64-bit ARM and tests it under qemu, which does not show its speed.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/arm-tests.sh [--small] [FILTER]

  --small   only the bench signature and a move of each game, no tests
  FILTER    only unit tests whose name has this in it [the kernels, and native against tract on
            random networks]

Needs (Debian): apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
                rustup target add aarch64-unknown-linux-gnu
Builds what release.sh --arm builds, some 20 processor minutes the first time. Ends with 77 where
something that is needed is missing.
TEXT
}

triple=aarch64-unknown-linux-gnu
. "$(dirname "$0")/cross-tests.sh"
libraries=/usr/aarch64-linux-gnu
needs aarch64-linux-gnu-gcc qemu-aarch64-static
[ -e "$libraries/lib/libc.so.6" ] || missing "there is no C library in $libraries"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L $libraries"

say 'build'
cargo build "${flags[@]}" --bins
tengen=(qemu-aarch64-static -L "$libraries" "$built/tengen")
check_signature "${tengen[@]}"
for game in nogo go gomoku; do
    check_move "$game" "${tengen[@]}"
done
if [ -z "$small" ]; then
    say 'tests'
    [ ${#filter[@]} -gt 0 ] || filter=(native:: agreement::on_random_networks)
    cargo test "${flags[@]}" --lib -- "${filter[@]}"
fi
say 'done'
