#!/usr/bin/env bash
# Checks that the engine never loses on time: thousands of games on a simulated clock, and some on the
# real one, with every kind of time control, with lag and stalls, with the time told exactly, rounded,
# late or never. Prints a line for each trial, and ends with 1 if a game was lost on time. Started again, it
# continues.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/clock-trials.sh [--out FOLDER] [--games N] [--real N] [--other PROGRAM]

  --out FOLDER      where the games go [clock-trials]
  --games N         games of each simulated trial [40]
  --real N          games of each trial on the real clock, 0 for none [20]
  --other PROGRAM   the opponent, such as an earlier tengen [the same]

Programs are taken from target/release, or from BIN if it is set.
TEXT
}

out=clock-trials games=40 real=20 other=
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h | --) ;;
        *) [ $# -ge 2 ] || { usage >&2; exit 2; } ;;
    esac
    case $1 in
        --out) out=$2; shift 2 ;;
        --games) games=$2; shift 2 ;;
        --real) real=$2; shift 2 ;;
        --other) other=$2; shift 2 ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
. "$(dirname "$0")/programs.sh"
whole --games "$games"
whole --real "$real"
mkdir -p "$out"
lost=0

# trial NAME GAMES ENGINE-FLAGS RIG-FLAGS...
trial() {
    local name=$1 count=$2 flags=$3
    shift 3
    # Quoted once more: tengen-match splits it into words.
    local one="'$bin/tengen' gtp --threads 1 $flags" two="'${other:-$bin/tengen}' gtp --threads 1 $flags"
    "$bin/tengen-match" clock-rig --games "$count" --concurrency "$(nproc)" --seed 1 \
        --first "$one" --second "$two" --first-name one --second-name two \
        --out "$out/$name" "$@" >"$out/$name.txt" 2>"$out/$name.log" || played $? "$out/$name"
    printf '%-38s %5s games  %s\n' "$name" "$count" "$(awk '
        /loss(es)? on time in/ { lost = lost (lost == "" ? "" : ", ") $2 }
        /least/ { left = left (left == "" ? "" : ", ") $(NF - 1) }
        END { print lost " lost on time  least left " left }' "$out/$name.txt")"
    # Those of another program are its own.
    lost=$((lost + $(awk -v other="$other" '
        /^(one|two): .* loss(es)? on time in/ && !(other && /^two/) { lost += $2 }
        END { print lost + 0 }' "$out/$name.txt")))
}

# each GAME-FLAGS PLAYOUTS-PER-SECOND TIME...: all ways to tell the time, and a lag of up to 60 ms that
# the engine does not know. Few playouts: this tests the clock, not the strength.
each() {
    local game=$1 rate=$2 time how
    shift 2
    for time in "$@"; do
        for how in exact never down nearest up late late-up; do
            local name="${game/ --size /}-$time-$how"
            name=${name//[\/*]/x}
            # shellcheck disable=SC2086 # several flags
            trial "$name" "$games" "--backend rollout --playouts-per-second $rate --game $game" \
                --game $game --visits-per-second "$rate" --game-lag 60 --time "$time" --time-left "$how"
        done
    done
}
each nogo 50 10 30 60 3+2 10+0.5 '10+3*5' 10+20/5 0+30/25
each "go --size 9" 50 60 2+0.5 '5+3*1' 60+30/10
each "go --size 13" 8 60+1 '60+5*10' 60+60/25
each gomoku 20 60 0+3 '30+3*5' 5+10/3

simulated="--backend rollout --playouts-per-second 50"
rig=(--visits-per-second 50)
lag=(--lag 50)
spikes=(--lag 50 --stalls 0.5 --stall 1000)
for how in exact never; do
    run() {
        local name=$1
        shift
        trial "$name-$how" "$games" "$simulated" "${rig[@]}" --time-left "$how" "$@"
    }
    run spikes-60s --time 60 "${spikes[@]}"
    run spikes-15m --time 15m "${spikes[@]}"
    run late-start-60s --time 60 --starts-late "${lag[@]}"
    run fischer-10s+0.5 --time 10+0.5 "${lag[@]}"
    run byoyomi-10s+3x5 --time '10+3*5' "${spikes[@]}"
    run canadian-10s+20-5 --time 10+20/5 "${spikes[@]}"
    run late-start-canadian --time 60+30/10 --starts-late "${lag[@]}"
done

# With the network, whose search probes endings.
for time in 10 60; do
    trial "network-${time}s" "$games" "--playouts-per-second 50" "${rig[@]}" "${lag[@]}" --time "$time"
done

if [ "$real" -gt 0 ]; then
    trial real-2s "$real" "" --time 2
    trial real-2s-untold "$real" "" --time 2 --time-left never
    trial real-5s-busy "$real" "" --time 5 --load 4
    trial real-10s-lag "$real" "" --time 10 --lag 50
    trial real-byoyomi-2s+3x1 "$real" "" --time '2+3*1'
    trial real-canadian-2s+5-5 "$real" "" --time 2+5/5
fi
echo "$lost games lost on time"
[ "$lost" -eq 0 ]
