#!/usr/bin/env bash
# The events of Gomocup 2024 among programs of one TOML file: rules, boards, clocks and openings from the
# table below. Started again with the same folder, it goes on.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/gomocup.sh PROGRAMS.toml OUT [--faster N] [--only EVENT]... [-- OPTION...]

  PROGRAMS.toml  format, games-each and a list of [[engine]], as tengen-match tournament reads it; an example is
                 scripts/gomocup.toml
  OUT            a folder; each event gets one of its name in it
  --faster N     divides all clocks by N: 20 for a rehearsal
  --only EVENT   only this event; may be repeated
  OPTION         for tengen-match tournament, such as --concurrency 2

Programs are taken from target/release, or from BIN if it is set.
TEXT
}

# Event, rules, side of the board, seconds for a game and for a move, book of openings (gtp-tests/openings), and the
# moves after which a game is a draw.
events='
freestyle-20-1 freestyle 20 1000 300 gomoku-20x20
freestyle-20-2 freestyle 20 180  30  gomoku-20x20
freestyle-15-1 freestyle 15 1000 300 gomoku-15x15
freestyle-15-2 freestyle 15 180  30  gomoku-15x15
fast           freestyle 20 120  5   gomoku-20x20
standard-1     standard  15 1000 300 gomoku-15x15-standard
standard-2     standard  15 180  30  gomoku-15x15-standard
renju          renju     15 1000 300 gomoku-15x15-renju 200
caro           caro      15 1000 300 gomoku-15x15-caro
'

case ${1-} in -h | --help) usage; exit 0 ;; esac
[ $# -ge 2 ] || { usage >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
programs=$1 out=$2 faster=1 only=()
shift 2
. "$here/programs.sh"
while [ $# -gt 0 ]; do
    case $1 in
    --faster)
        whole "$1" "${2-}"
        [ "$2" -gt 0 ] || { echo "gomocup: --faster divides the clocks: not by 0" >&2; exit 2; }
        faster=$2; shift 2 ;;
    --only)
        [[ $events == *$'\n'"${2-} "* ]] || { echo "gomocup: there is no event \"${2-}\"" >&2; exit 2; }
        only+=("$2"); shift 2 ;;
    --) shift; break ;;
    *) usage >&2; exit 2 ;;
    esac
done

worst=0
while read -r event rules side game move book draw; do
    [ -n "$event" ] || continue
    [ ${#only[@]} -eq 0 ] || [[ " ${only[*]} " == *" $event "* ]] || continue
    time=$(awk -v game="$game" -v move="$move" -v by="$faster" 'BEGIN { print game / by "/" move / by }')
    echo "$event: $rules, ${side}x$side, $time s"
    status=0
    "$bin/tengen-match" tournament "$programs" --game gomoku --rules "$rules" --size "$side" --time "$time" \
        --openings "$here/../gtp-tests/openings/$book.txt" --out "$out/$event" ${draw:+--max-moves "$draw"} "$@" || status=$?
    # 3: an engine misbehaved, as the report says; anything else is no tournament.
    case $status in 0) ;; 3) worst=3 ;; *) exit "$status" ;; esac
done <<<"$events"
exit "$worst"
