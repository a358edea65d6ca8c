#!/usr/bin/env bash
# Builds tengen for Windows and tests it under Wine, which is not Windows: docs/windows.md lists what
# that leaves open.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/windows-tests.sh [--small] [FILTER]

  --small   no test suites: the bench signature, a GTP conversation, one as on the SAU platform, a
            match of two games
  FILTER    only tests whose name has this in it

Needs (Debian): apt install gcc-mingw-w64-x86-64-posix wine64 libwine
                rustup target add x86_64-pc-windows-gnu
Builds what release.sh --windows builds, some 20 processor minutes the first time. Wine's folder is
target/wine. Ends with 77 where something that is needed is missing.
TEXT
}

say() { printf '\n== windows: %s (%ss)\n' "$1" "$SECONDS"; }

missing() {
    echo "windows-tests: $*: not run" >&2
    exit 77
}

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
triple=x86_64-pc-windows-gnu
for tool in cargo x86_64-w64-mingw32-gcc; do
    command -v "$tool" >/dev/null || missing "there is no $tool"
done
[ -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ] || missing "rustup has no target $triple"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$top/target}
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$top/scripts/wine.sh
wine=$top/scripts/wine.sh
flags=(--release --locked --features train --target "$triple")
version=$("$wine" --version) || missing "Wine does not run"
say "$version, $(rustc --version)"

fail() {
    echo "windows-tests: $*" >&2
    exit 1
}

if [ -z "$small" ]; then
    say 'tests'
    cargo test "${flags[@]}" --no-fail-fast -- "${filter[@]}"
    say 'done'
    exit
fi

say 'build'
cargo build "${flags[@]}" --bins
built=$CARGO_TARGET_DIR/$triple/release
# As on many a desktop, with the platform's arguments in the encoding of a Chinese Windows.
work=$(mktemp -d "$CARGO_TARGET_DIR/try.XXXXXX")
trap 'rm -rf "$work"' EXIT
folder="$work/My Games 围棋"
mkdir "$folder"
cp "$built/tengen.exe" "$built/tengen-match.exe" "$folder/"
cd "$folder"

say 'signature'
signature=$("$wine" tengen.exe bench | head -n 1 | tr -d '\r')
[ "$signature" = "$(cat "$top/gtp-tests/bench.signature")" ] || fail "signature $signature"

say 'GTP'
answer=$(printf 'genmove b\r\nquit\r\n' | "$wine" tengen.exe gtp --visits 50)
grep -q '^= [A-J][1-9]' <<<"$answer" || fail "no legal move: $answer"

say 'the SAU platform'
printf 'sau\n--name\n天元 one\n--ng-charset\ngbk\n--visits\n50\n' |
    iconv -f utf-8 -t gbk | sed 's/$/\r/' >tengen.args
answer=$(printf 'name?\r\nnew black\r\nend black\r\nquit\r\n' | "$wine" tengen.exe)
grep -q '天元 one' <<<"$answer" || fail "its name is missing: $answer"
record=$(cat records/NG-*.txt | iconv -f gbk -t utf-8)
grep -q '天元 one' <<<"$record" || fail "no record in GBK: $record"
rm tengen.args

say 'a match of two games'
engine="'$folder/tengen.exe' gtp --backend rollout --visits 50 --seed"
"$wine" tengen-match.exe play --size 5 --games 2 --first "$engine 1" --second "$engine 2" \
    --out match >match.txt || fail "$(cat match.txt)"
[ "$(grep -c '"number"' match/*.jsonl)" = 2 ] || fail "not two games: $(cat match/*.jsonl)"
say 'done'
