# How the released networks of Gomoku were made, as a record: a shell script to read and to copy from, not to
# run as a whole, which would take some ten hours of two cores. Weights differ in their last bits from machine to machine.
# `tengen-train` stands for `cargo run --release -p tengen-train --`.

# gomoku-8x8: freestyle, from scratch.
tengen-train loop scripts/plans/gomoku-8x8.toml --out runs/gomoku8      # or go on: mkdir -p runs; cp -r models/runs/gomoku-8x8 runs/gomoku8
scripts/release-network.sh runs/gomoku8 gomoku-8x8                      # its newest network into models/

# gomoku-sizes: freestyle on 15x15 from the weights of gomoku-8x8, then several boards and rules.
tengen-train loop scripts/plans/gomoku-15x15.toml --out runs/gomoku15   # or go on: mkdir -p runs; cp -r models/runs/gomoku-15x15 runs/gomoku15
scripts/release-network.sh runs/gomoku15 gomoku-15x15
tengen-train loop scripts/plans/gomoku-sizes.toml --out runs/gomokus    # or go on: cp -r models/runs/gomoku-sizes runs/gomokus
scripts/release-network.sh runs/gomokus gomoku-sizes

# gomoku-taught: learned from games of Rapfi against itself (its own program, built with its command modules).
# The openings of two in five games are of scripts/gomoku-openings.py.
even="--balance1-node 6000 --balance2-node 15000 --balance-window 120 --min-move 1 --max-move 7"   # half of the games
any="--balance1-node 0 --balance2-node 0 --balance-window 0 --min-move 2 --max-move 9"             # the others
play() {        # RULES SIZE GAMES OPENINGS FILE
    pbrain-rapfi selfplay --rule $1 --boardsize $2 -n $3 $4 --mean-nodes 12000 --var-nodes 5000 --min-nodes 5000 \
        --mate-ply 5 --multipv 3 --no-multipv-after-mate --output-type txt --output $5
}
import() { tengen-train import --game gomoku --rules $1 --size $2 --least-plies 3 --out rapfi/$1-$2 $3; }
# 13,000 games with $even and $any openings on 15x15, two thirds freestyle, a quarter Renju, the others standard; then
scripts/gomoku-openings.py freestyle 400 1 MATCH... rapfi/free.txt > played.txt         # with other seeds and rules
play freestyle 15 200 "--opening played.txt" free-played.txt; import freestyle 15 free-played.txt
play freestyle 20 1050 "$even" large.txt; import freestyle 20 large.txt                 # 9, 10, 12, 17; standard, Renju
fit() {         # STEPS RATE SEED OUT [FLAGS]
    tengen-train fit $(for d in $boards; do echo --data $d; done) --net tengen-3b32c --encoding gomoku-2 \
        --steps $1 --learning-rate $2 --seed $3 --out $4 --window 3000000 --held-out 0.03 --surprise-share 0 \
        --root-value-share 0.5 --batch 256 --average-decay 0.998 "${@:5}"
}
# The first three fits left out positions that the threat prover settles with 60, 60 and 20 nodes, which was found to be worse
# and is not offered any more.
boards=$(echo rapfi/*-15) fit 8000 0.002 51 first --warm-up 100
boards=$(echo rapfi/*) fit 4000 0.001 52 second --warm-up 50 --start-from first
boards=$(echo rapfi/*) fit 6000 0.0007 53 third --warm-up 50 --start-from second
boards=$(echo rapfi/*) fit 6000 0.001 54 last --warm-up 50 --start-from third
tengen-train export --checkpoint last --earlier-games 0 --earlier-steps 18000 --out models/gomoku-taught.onnx
tengen-train quantize --model models/gomoku-taught.onnx --data rapfi/freestyle-15 --data rapfi/freestyle-20 \
    --data rapfi/freestyle-9 --out models/gomoku-taught-int8.onnx
