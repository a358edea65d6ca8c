#!/usr/bin/env bash
# Builds tengen for Windows and tests it under Wine, which is not Windows: docs/install.md#windows lists what
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
Builds what release.sh --windows builds, some 20 processor minutes the first time, 30 with all tests,
which then run for half an hour. Wine's folder is target/wine. Ends with 77 where something that is
needed is missing.
TEXT
}

triple=x86_64-pc-windows-gnu
. "$(dirname "$0")/cross-tests.sh"
needs x86_64-w64-mingw32-gcc
wine=$top/scripts/wine.sh
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$wine
version=$("$wine" --version) || missing "Wine does not run"
say "$version, $(rustc --version)"

if [ -z "$small" ]; then
    say 'tests'
    cargo test "${flags[@]}" --no-fail-fast -- "${filter[@]}"
    say 'done'
    exit
fi

say 'build'
cargo build "${flags[@]}" --bins
# As on many a desktop, with the platform's arguments in the encoding of a Chinese Windows.
work=$(mktemp -d "$CARGO_TARGET_DIR/try.XXXXXX")
trap 'rm -rf "$work"' EXIT
folder="$work/My Games 围棋"
mkdir "$folder"
cp "$built/tengen.exe" "$built/tengen-match.exe" "$folder/"
cd "$folder"

check_signature "$wine" tengen.exe
for game in nogo go gomoku; do
    check_move "$game" "$wine" tengen.exe
done

say 'the SAU platform'
printf 'sau\n--name\n天元 one\n--ng-charset\ngbk\n--visits\n50\n' |
    iconv -f utf-8 -t gbk | sed 's/$/\r/' >tengen.args
answer=$(printf 'name?\r\nnew black\r\nend black\r\nquit\r\n' | "$wine" tengen.exe | iconv -f gbk -t utf-8)
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
