#!/usr/bin/env bash
# Checks that the engine never loses on time: thousands of games on a simulated clock, and some on the
# real one, with every kind of time control, with lag and stalls, with and without time reports. Prints
# a line for each trial. Started again, it continues.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/clock-trials.sh [--out FOLDER] [--games N] [--real N]

  --out FOLDER   where the games go [clock-trials]
  --games N      games of each simulated trial [500]
  --real N       games of each trial on the real clock, 0 for none [20]

Programs are taken from target/release, or from BIN if it is set.
TEXT
}

out=clock-trials games=500 real=20
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h | --) ;;
        *) [ $# -ge 2 ] || { usage >&2; exit 2; } ;;
    esac
    case $1 in
        --out) out=$2; shift 2 ;;
        --games) games=$2; shift 2 ;;
        --real) real=$2; shift 2 ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
. "$(dirname "$0")/programs.sh"
whole --games "$games"
whole --real "$real"
mkdir -p "$out"

# trial NAME GAMES ENGINE-FLAGS RIG-FLAGS...
trial() {
    local name=$1 count=$2 flags=$3
    shift 3
    # Quoted once more: tengen-match splits it into words.
    local engine="'$bin/tengen' gtp --threads 1 $flags"
    "$bin/tengen-match" clock-rig --games "$count" --concurrency "$(nproc)" --seed 1 \
        --first "$engine" --second "$engine" --first-name one --second-name two \
        --out "$out/$name" "$@" >"$out/$name.txt" 2>"$out/$name.log" || played $? "$out/$name"
    printf '%-34s %6s games  %s lost on time  least left %s\n' "$name" "$count" \
        "$(awk '/losses on time in/ { sum += $2 } END { print sum + 0 }' "$out/$name.txt")" \
        "$(awk '/least/ { print $(NF - 1) }' "$out/$name.txt" | sort -n | head -1)"
}

# Fifty playouts per second: this tests the clock, not the strength.
simulated="--backend rollout --playouts-per-second 50"
rig=(--visits-per-second 50)
lag=(--lag 50)
spikes=(--lag 50 --stalls 0.5 --stall 1000)
for told in told untold; do
    told_flag=()
    [ "$told" = untold ] && told_flag=(--no-time-left)
    run() {
        local name=$1
        shift
        trial "$name-$told" "$games" "$simulated" "${rig[@]}" "${told_flag[@]}" "$@"
    }
    run plain-10s --time 10
    run plain-60s --time 60
    run lag-10s --time 10 "${lag[@]}"
    run lag-60s --time 60 "${lag[@]}"
    run spikes-60s --time 60 "${spikes[@]}"
    run spikes-15m --time 15m "${spikes[@]}"
    run fischer-10s+0.5 --time 10+0.5 "${lag[@]}"
    run byoyomi-10s+3x5 --time '10+3*5' "${spikes[@]}"
    run canadian-10s+20-5 --time 10+20/5 "${spikes[@]}"
done

# With the network the solver works beside the search, and checks each chosen move once more.
for time in 10 60; do
    trial "network-${time}s" "$games" "--playouts-per-second 50" "${rig[@]}" "${lag[@]}" --time "$time"
done

if [ "$real" -gt 0 ]; then
    trial real-2s "$real" "" --time 2
    trial real-2s-untold "$real" "" --time 2 --no-time-left
    trial real-5s-busy "$real" "" --time 5 --load 4
    trial real-10s-lag "$real" "" --time 10 --lag 50
    trial real-byoyomi-2s+3x1 "$real" "" --time '2+3*1'
    trial real-canadian-2s+5-5 "$real" "" --time 2+5/5
fi
