# How the released networks of NoGo were made, as a record: a shell script to read and to copy from, not to
# run as a whole, which would take some fifteen hours of two cores. Weights differ in their last bits from machine to machine.
# `tengen-train` stands for `cargo run --release -p tengen-train --`.

# nogo-9x9-az-5b32c: a plain AlphaZero network, from games by random playouts.
tengen-train selfplay rollouts --games 4000 --playouts 1000 --seed 20261120 --out data/rave1000
tengen-train fit --data data/rave1000 --net az-5b32c --encoding nogo-1 --epochs 3 --seed 1 \
    --learning-rate 0.002 --average-decay 0.999 --out data/az-5b32c
tengen-train export --checkpoint data/az-5b32c --out models/nogo-9x9-az-5b32c.onnx
tengen-train quantize --model models/nogo-9x9-az-5b32c.onnx --positions 512 \
    --out models/nogo-9x9-az-5b32c-int8.onnx

# The first nogo-9x9, built in until 2026-11-24: 25,800 games in 39 generations. The learning rate was a fifth
# from generation 19 to 22, a half from 23 to 34, a tenth from 35 to 38.
tengen-train loop scripts/plans/nogo-9x9-next.toml --out runs/next
cp runs/next/networks/network-0038.onnx runs/nogo-first.onnx
tengen-train quantize --model runs/nogo-first.onnx --data runs/next/generation-0038/games \
    --out runs/nogo-first-int8.onnx
tengen-train inspect runs/nogo-first.onnx

# nogo-9x9-10b64c: the same games of generations 12 to 38.
games=
for g in $(seq -f %04g 12 38); do games="$games --data runs/next/generation-$g/games"; done
tengen-train fit $games --net tengen-10b64c --steps 5000 --batch 256 --learning-rate 0.002 --average-decay 0.999 \
    --window 950000 --held-out 0.03 --out runs/10b
tengen-train export --checkpoint runs/10b --out models/nogo-9x9-10b64c.onnx
tengen-train quantize --model models/nogo-9x9-10b64c.onnx --data runs/next/generation-0038/games \
    --out models/nogo-9x9-10b64c-int8.onnx

# nogo-9x9-5b32c: from the first nogo-9x9's last weights (in the history: commit be17075), 95 generations of 600
# games with 160 playouts a move, and one more fit with a rate falling to zero. Today's export takes
# --earlier-games 60600 --earlier-steps 73914.
git checkout be17075 -- models/runs/nogo-9x9-next                              # the initial weights
tengen-train loop scripts/plans/nogo-9x9-champion.toml --out runs/champion     # to generation 95
games=
for g in $(seq -f %04g 56 95); do games="$games --data runs/champion/generation-$g/games"; done
tengen-train fit $games --net tengen-5b32c --start-from runs/champion/generation-0095/fit --learning-rate 0.0004 \
    --warm-up 20 --epochs 1 --average-decay 0.998 --root-value-share 0.5 --seed 6 --out runs/last-fit
tengen-train export --checkpoint runs/last-fit --out models/nogo-9x9-5b32c.onnx
tengen-train quantize --model models/nogo-9x9-5b32c.onnx --data runs/champion/generation-0095/games \
    --out models/nogo-9x9-5b32c-int8.onnx

# nogo-9x9, tengen-8b48c: from the weights of nogo-9x9-5b32c's run at generation 121. First fit, and its run.
games=
for g in $(seq -f %04g 88 121); do games="$games --data runs/champion/generation-$g/games"; done
tengen-train fit $games --net tengen-8b48c --start-from runs/champion/generation-0121/fit --learning-rate 0.001 \
    --warm-up 100 --steps 11000 --batch 256 --average-decay 0.998 --root-value-share 0.5 --held-out 0.03 \
    --score-every 500 --seed 8 --out runs/fit8
tengen-train export --checkpoint runs/fit8 --earlier-games 84600 --earlier-steps 87569 \
    --out runs/fit8.onnx
tengen-train quantize --model runs/fit8.onnx --data runs/champion/generation-0121/games \
    --out runs/fit8-int8.onnx
tengen-train loop scripts/plans/nogo-9x9-large.toml --out runs/large

# nogo-9x9: the second fit, with a falling rate, on games played by the larger network.
tengen-train selfplay network --model runs/fit8-int8.onnx --visits 256 --games 3000 --first 30000 \
    --prove-nodes 3000 --concurrent 32 --games-per-shard 1 --seed 2501 --out runs/fit8-games
games=
for g in $(seq -f %04g 100 121); do games="$games --data runs/champion/generation-$g/games"; done
for g in $(seq -f %04g 0 8); do games="$games --data runs/large/generation-$g/games"; done
tengen-train fit $games --data runs/fit8-games --net tengen-8b48c --start-from runs/fit8 --learning-rate 0.001 \
    --warm-up 200 --steps 11000 --batch 256 --average-decay 0.9995 --root-value-share 0.5 --held-out 0.03 \
    --score-every 500 --seed 9 --out runs/fit9
tengen-train export --checkpoint runs/fit9 --earlier-games 91800 --earlier-steps 98569 \
    --out models/nogo-9x9.onnx
tengen-train quantize --model models/nogo-9x9.onnx --data runs/fit8-games \
    --out models/nogo-9x9-int8.onnx

# A network is released when it has beaten the one before it.
tengen-match sprt --elo0 0 --elo1 20 --openings gtp-tests/openings/nogo-9x9.txt --games 2400 \
    --first "tengen gtp --threads 1 --visits 400 --model runs/new.onnx" --first-name new \
    --second "tengen gtp --threads 1 --visits 400 --model models/nogo-9x9.onnx" \
    --second-name released --out runs/release

# The built-in book of openings, 1,674 positions: half an hour of one core, shared with other work.
tengen book build models/nogo-9x9.book --visits 10000 --threads 1 --steps 1746
