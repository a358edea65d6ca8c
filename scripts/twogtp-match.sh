#!/bin/sh
# Plays a match between two GTP engines with gogui-twogtp, for users of GoGui.
# `tengen-match play` needs no GoGui, knows the rules, keeps clocks and resumes by the game; this
# script is for comparison with published results of twogtp.

usage() {
    cat <<'USAGE'
Usage: twogtp-match.sh [OPTIONS] FIRST SECOND OUT

  FIRST, SECOND  command lines of the engines. GoGui splits them itself, at blanks; a word with
                 blanks in it stands in double quotes, and other quotes mean nothing to it:
                 '"/home/me/my engines/tengen" gtp --visits 800'
  OUT            prefix of the files to write: OUT.dat, OUT-0.sgf, OUT-1.sgf, ... OUT.html

Options:
  --games N      number of games [default: 100]; colours alternate
  --size N       board size [default: 9]
  --time T       time as GoGui writes it: 15m, 900s, 10m+30s/5 (Canadian) [default: none]
  --openings D   folder of SGF files to start from (twogtp's -openings)
  --referee CMD  third engine that checks every move [default: target/release/tengen gtp --backend rollout --visits 1]
  --threads N    games at the same time [default: 1]
  --help         this text

Run it again with the same OUT to continue an interrupted match.

What twogtp does and does not do (GoGui 1.6):
  - It knows no rules. A game ends when a side resigns or both pass, so in NoGo the side without a
    legal move must answer `resign`. Illegal moves are seen only because the referee refuses them:
    such a game has ERR=1 and *no winner*; count it for the other side yourself (ERR_MSG names the
    culprit). This script lists those games at the end.
  - It sends time_settings but never time_left, and no player ever loses on time; compare the columns
    TIME_B and TIME_W with the limit.
  - After a crash every remaining game is an error. Delete the error rows from OUT.dat and run the
    script again.
USAGE
}

games=100
size=9
time=
openings=
threads=1
referee="\"$(cd "$(dirname "$0")/.." && pwd)/target/release/tengen\" gtp --backend rollout --visits 1"
while [ $# -gt 0 ]; do
    case $1 in
    --games) games=$2 ;;
    --size) size=$2 ;;
    --time) time=$2 ;;
    --openings) openings=$2 ;;
    --referee) referee=$2 ;;
    --threads) threads=$2 ;;
    --help)
        usage
        exit 0
        ;;
    -*)
        echo "twogtp-match.sh: unknown option $1; see --help" >&2
        exit 2
        ;;
    *) break ;;
    esac
    if [ $# -lt 2 ]; then
        echo "twogtp-match.sh: $1 needs a value; see --help" >&2
        exit 2
    fi
    shift 2
done
if [ $# -ne 3 ]; then
    usage >&2
    exit 2
fi
first=$1
second=$2
out=$3
for number in "--games $games" "--size $size" "--threads $threads"; do
    case ${number#* } in
    '' | 0 | *[!0-9]*)
        echo "twogtp-match.sh: ${number% *} needs a number of at least 1; see --help" >&2
        exit 2
        ;;
    esac
done
# GoGui does not find a program whose command it cannot split, and its message does not show that.
for command in "$first" "$second" "$referee"; do
    case $command in
    *"'"*)
        echo "twogtp-match.sh: GoGui supports only double quotes, not those in: $command" >&2
        exit 2
        ;;
    esac
done
if ! command -v gogui-twogtp >/dev/null; then
    echo "twogtp-match.sh: gogui-twogtp is not installed (GoGui: https://github.com/Remi-Coulom/gogui)" >&2
    exit 1
fi

# twogtp does not create folders.
mkdir -p "$(dirname "$out")" || exit 1

# -auto plays without waiting; the same -sgffile without -force continues a match.
set -- -black "$first" -white "$second" -referee "$referee" -size "$size" -komi 0 \
    -games "$games" -alternate -auto -threads "$threads" -sgffile "$out"
[ -z "$time" ] || set -- "$@" -time "$time"
[ -z "$openings" ] || set -- "$@" -openings "$openings"
gogui-twogtp "$@"
status=$?
if [ ! -f "$out.dat" ]; then
    echo "twogtp-match.sh: no game was played; the reason is above" >&2
    exit $((status ? status : 1))
fi

gogui-twogtp -analyze "$out.dat" -force && echo "Report: $out.html"
# The last comment line of the table has the tab-separated names of its columns.
errors=$(awk -F '\t' '
    /^#GAME/ { for (i = 1; i <= NF; i++) column[$i] = i }
    !/^#/ && $(column["ERR"]) == "1" { print "  game " $1 ": " $(column["ERR_MSG"]) }' "$out.dat")
if [ -n "$errors" ]; then
    echo "Games without a winner, to be counted manually:"
    echo "$errors"
fi
exit $status
