# Sourced by windows-tests.sh and arm-tests.sh, with the target's `triple` and `usage` defined: their
# options, the build, the signature. Sets `small` and `filter`, and goes to the top of the sources.
machine=$(basename "$0" -tests.sh)
small=
filter=()
while [ $# -gt 0 ]; do
    case $1 in
    --small) small=yes ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) filter=("$1") ;;
    esac
    shift
done
cd "$(dirname "$0")/.."
top=$PWD
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$top/target}
# As release.sh builds: one set of features for archives and tests.
flags=(--release --locked --workspace --target "$triple")
built=$CARGO_TARGET_DIR/$triple/release

say() { printf '\n== %s: %s (%ss)\n' "$machine" "$1" "$SECONDS"; }

missing() {
    echo "$machine-tests: $*: not run" >&2
    exit 77
}

fail() {
    echo "$machine-tests: $*" >&2
    exit 1
}

# needs TOOL...: ends where one of these or the target is not installed.
needs() {
    local tool
    for tool in cargo "$@"; do
        command -v "$tool" >/dev/null || missing "there is no $tool"
    done
    [ -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ] || missing "rustup has no target $triple"
}

# check_signature COMMAND...: whether this tengen searches as every other build.
check_signature() {
    local signature
    say 'signature'
    signature=$("$@" bench | head -n 1 | tr -d '\r')
    [ "$signature" = "$(cat "$top/gtp-tests/bench.signature")" ] || fail "signature $signature"
}

# check_move GAME COMMAND...: whether this tengen answers with a legal move.
check_move() {
    local answer game=$1
    shift
    say "a move of $game"
    answer=$(printf 'genmove b\r\nquit\r\n' | "$@" gtp --game "$game" --size 9 --visits 20)
    grep -q '^= [A-J][1-9]' <<<"$answer" || fail "no legal move: $answer"
}
