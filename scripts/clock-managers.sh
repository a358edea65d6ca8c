#!/usr/bin/env bash
# Measures the time manager: matches on the simulated clock against other managers,
# and against ours without one of its rules; then a plot of visits by ply. Games depend only on the
# seed, so the machine may do other work. Started again, it continues.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/clock-managers.sh [--out FOLDER] [--games N] [--time TIME] [--rate N] [--seed N] [-- FLAGS]

  --out FOLDER   where the games go [clock-managers]
  --games N      games of each match [400]
  --time TIME    each side's clock [60]
  --rate N       playouts that count as a second [67]
  --seed N       seed of the openings [1]
  FLAGS          further flags of both engines, such as --backend ort

Programs are taken from target/release, or from BIN if it is set.
TEXT
}

out=clock-managers games=400 time=60 rate=67 seed=1 flags=
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h | --) ;;
        *) [ $# -ge 2 ] || { usage >&2; exit 2; } ;;
    esac
    case $1 in
        --out) out=$2; shift 2 ;;
        --games) games=$2; shift 2 ;;
        --time) time=$2; shift 2 ;;
        --rate) rate=$2; shift 2 ;;
        --seed) seed=$2; shift 2 ;;
        --) shift; flags=$*; break ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
. "$(dirname "$0")/programs.sh"
whole --games "$games"
whole --rate "$rate"
whole --seed "$seed"
mkdir -p "$out"
# Quoted once more: tengen-match splits it into words.
engine="'$bin/tengen' gtp --threads 1 --playouts-per-second $rate $flags"

# against NAME FLAG
against() {
    "$bin/tengen-match" clock-rig --games "$games" --concurrency "$(nproc)" --random-plies 4 \
        --seed "$seed" --time "$time" --visits-per-second "$rate" --out "$out/$1" \
        --first "$engine" --first-name tengen --second "$engine $2" --second-name "$1" \
        >"$out/$1.txt" 2>"$out/$1.log" || played $? "$out/$1"
    printf '%-14s %s\n' "$1" "$(sed -n 3p "$out/$1.txt")"
}

for scheme in even constant front-loaded erica katago lc0; do
    against "$scheme" "--time-scheme $scheme"
done
"$bin/tengen-match" clock "$out"/{even,constant,front-loaded,erica,katago,lc0} \
    --svg "$out/visits-by-ply.svg" >"$out/clocks.txt"
for rule in rise=0 takeover=false overtake=0 extend=1 credit=0; do
    against "no-${rule%%=*}" "time_$rule"
done
