#!/usr/bin/env bash
# Looks for errors that tests on one machine rarely show: orders of memory accesses (loom), data races (the
# thread sanitizer), overflows and broken assertions (a build that checks them). Run it manually
# after a change to threads or the tree, and once a week.
#
#   scripts/sanitize.sh [loom] [checks] [tsan] [miri]      all of them when none is named
#
# Everything is built without the inference and training libraries, apart from other builds.
set -euo pipefail
[[ " $* " != *" --help "* ]] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0; }
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}/sanitize"
host=$(rustc -vV | sed -n 's/^host: //p')
failed=()

step() { printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }

# Every order in which two threads may see each other's writes to the tree.
loom() {
    RUSTFLAGS='--cfg loom' LOOM_MAX_PREEMPTIONS="${LOOM_MAX_PREEMPTIONS:-3}" \
        cargo test --release -p tengen --no-default-features --target-dir "$target/loom" --lib search::loom_tests
}

# All unit tests with debug assertions and overflow checks.
checks() {
    CARGO_PROFILE_DEV_OPT_LEVEL=2 \
        cargo test --no-default-features --target-dir "$target/checks" --lib
}

# The search's tests under the thread sanitizer, with an instrumented standard library.
tsan() {
    has_nightly rust-src || return 0
    RUSTFLAGS=-Zsanitizer=thread CARGO_PROFILE_DEV_OPT_LEVEL=2 \
        cargo +nightly test -Zbuild-std -p tengen --no-default-features --target "$host" \
        --target-dir "$target/tsan" --lib search::
}

# Tests of nodes, edges and the graph under Miri, which checks every access to memory.
miri() {
    has_nightly miri || return 0
    cargo +nightly miri test -p tengen --no-default-features --target-dir "$target/miri" --lib -- \
        search::node search::edge search::backup search::select search::tree::tests::threads \
        search::tree::tests::a_key search::tree::tests::edges
}

has_nightly() {
    # Not `grep -q`, which ends before rustup has written all: that would count as an error of rustup.
    rustup +nightly component list 2> /dev/null | grep -E "^$1.*installed" > /dev/null && return 0
    echo "skipped; it needs: rustup toolchain install nightly --component miri,rust-src"
    return 1
}

[ $# -gt 0 ] || set -- loom checks tsan miri
for check in "$@"; do
    case $check in
        loom | checks | tsan | miri) ;;
        *) echo "no such check: $check; there are loom, checks, tsan and miri" >&2; exit 2 ;;
    esac
    step "$check"
    "$check" || failed+=("$check")
done
step "done: ${failed[*]:-nothing} failed"
[ ${#failed[@]} -eq 0 ]
