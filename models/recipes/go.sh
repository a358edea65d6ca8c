# How the released networks of Go were made, as a record: a shell script to read and to copy from, not to
# run as a whole, which would take some ten hours of two cores. Weights differ in their last bits from machine to machine.
# `tengen-train` stands for `cargo run --release -p tengen-train --`.

# go-9x9: from scratch, each game with its own komi around 6.5. models/runs/go-9x9 is that run after generation
# 42; with `mkdir -p runs && cp -r models/runs/go-9x9 runs/go` before it, the first command continues from there.
tengen-train loop scripts/plans/go-9x9.toml --out runs/go       # stopped in generation 43
games=
for g in $(seq -f %04g 22 43); do games="$games --data runs/go/generation-$g/games"; done
tengen-train fit $games --net tengen-5b32c --encoding go-1 --start-from runs/go/generation-0043/fit \
    --steps 900 --batch 256 --learning-rate 0.001 --warm-up 20 --average-decay 0.995 --held-out 0.03 --out runs/go-last
tengen-train export --checkpoint runs/go-last --out models/go-9x9.onnx --all-heads
tengen-train quantize --model models/go-9x9.onnx --data runs/go/generation-0043/games \
    --out models/go-9x9-int8.onnx

# go-taught: taught by KataGo's network on positions of its own games and of recorded games of people, which
# are not ours to give (`tengen-train import`; tygem-2011 here). The first 1,100 steps knew a part of the games alone.
N=g170-b6c96-s175395328-d26788732.bin.gz        # KataGo's, from cpp/tests/models of its repository
for size in 9 13 19; do tengen-train quantize --model $N --size $size --out b6-$size.onnx; done
play() {        # SIZE RULES GAMES VISITS PLIES OPENING FOLDER
    tengen-train selfplay network --model b6-$1.onnx --size $1 --rules $2 --games $3 --visits $4 \
        --temperature-plies $5 --opening-plies $6 --komi 7,2,0.2,10 --seed 11 --out games/$7
}
play 9 chinese 1500 4 20 6 9-area;    play 9 japanese 500 4 20 6 9-territory
play 13 chinese 700 2 50 8 13-area;   play 13 japanese 250 2 50 8 13-territory
play 19 chinese 700 2 80 10 19-area;  play 19 japanese 194 2 80 10 19-territory
tengen-train fit --data tygem-2011 $(for g in 19-area 19-territory 13-area 13-territory 9-area 9-territory; do echo --data games/$g; done) \
    --net tengen+area-6b64c --encoding go-2 --teacher b6-19.onnx --teacher b6-13.onnx --teacher b6-9.onnx --teacher-share 0.8 \
    --window 1000000 --held-out 0.01 --surprise-share 0 --learning-rate 0.002 --average-decay 0.999 --steps 5200 --batch 128 --out taught
tengen-train export --checkpoint taught --all-heads --out go-november-27.onnx
tengen-train quantize --model go-november-27.onnx --data games/19-territory --data games/13-territory --data games/9-territory \
    --out go-november-27-int8.onnx

# It went on with the same teacher alone, on further games, for 1.4 hours of one core (30 November). The first 1,058 steps
# were meant to be 8,000.
more_boards() { # SIZE RULES GAMES PLIES OPENING SEED FOLDER
    tengen-train selfplay network --model b6-$1.onnx --size $1 --rules $2 --games $3 --visits 2 --temperature-plies $4 \
        --opening-plies $5 --komi 7,2,0.2,10 --seed $6 --out games/$7
}
more_boards 19 chinese 200 80 10 1001 19-a;   more_boards 19 japanese 80 80 10 1002 19-t
more_boards 13 chinese 200 50 8 1003 13-a;    more_boards 13 japanese 100 50 8 1004 13-t
more_boards 9 chinese 200 24 8 1006 9-a;      more_boards 9 japanese 100 24 8 1007 9-t
go_on() {       # FROM STEPS OUT [FLAGS]
    tengen-train fit $(for g in 9-a 9-t 13-a 13-t 19-t 19-a; do echo --data games/$g; done) --net tengen+area-6b64c --encoding go-2 \
        --start-from $1 --steps $2 --out $3 --teacher b6-19.onnx --teacher b6-13.onnx --teacher b6-9.onnx \
        --teacher-answers b6.redb --window 100000000 --held-out 0.01 --surprise-share 0 --batch 128 --learning-rate 0.0015 \
        --average-decay 0.998 --value-weight 2 "${@:4}"
}
go_on taught 8000 fit1          # stopped after 1,058 steps
go_on fit1 4600 fit2 --warm-up 20 --seed 3

# It went on by Muon, 3,000 steps on nearly the same games (a fit of 46 minutes that alone was no stronger), then 2,000 on
# these and 1,639 further games (42 minutes), each on one core.
even() {        # SIZE GAMES VISITS PLIES OPENING CHOICES SEED KOMI FOLDER
    tengen-train selfplay network --model b6-$1.onnx --size $1 --rules chinese --games $2 --visits $3 --temperature-plies $4 \
        --opening-plies $5 --opening-choices $6 --seed $7 --komi $8 --out games/$9
}
even 19 300 4 30 8 4 1011 7,0.7,0.1,7 19-b      # stopped after 273
even 13 600 2 50 8 1 2001 7,1.5,0.2,9 13-c
even 19 500 2 80 10 1 2002 7,1.5,0.2,9 19-d
even 19 2000 2 80 10 1 2003 7,1.5,0.2,9 19-e    # stopped after 539
muon() {        # FROM STEPS RATE SEED OUT GAMES...
    tengen-train fit $(for g in "${@:6}"; do echo --data games/$g; done) --net tengen+area-6b64c --encoding go-2 \
        --start-from $1 --steps $2 --learning-rate $3 --seed $4 --out $5 --warm-up 50 --teacher b6-19.onnx --teacher b6-13.onnx \
        --teacher b6-9.onnx --teacher-answers b6.redb --window 100000000 --held-out 0.01 --surprise-share 0 --batch 128 \
        --average-decay 0.998 --value-weight 2
}
muon fit2 3000 0.0006 7 fit3 9-a 9-t 13-a 13-t 19-t 19-a 19-b
muon fit3 2000 0.0003 9 fit4 9-a 9-t 13-a 13-t 13-c 19-t 19-a 19-b 19-d 19-e
tengen-train export --checkpoint fit4 --all-heads --earlier-games 5678 --earlier-steps 13858 --out models/go-taught.onnx
tengen-train quantize --model models/go-taught.onnx --data games/9-a --data games/13-a --data games/19-t \
    --out models/go-taught-int8.onnx

# go-9x9-taught: goes on from there on 9x9 alone. models/runs/go-9x9-taught/fit has the last checkpoint of its first
# form, of 6 blocks of 64 channels (28 November).
more() {        # RULES GAMES SEED FOLDER
    tengen-train selfplay network --model b6-9.onnx --size 9 --rules $1 --games $2 --visits 2 --temperature-plies 24 \
        --opening-plies 8 --komi 7,2,0.2,10 --seed $3 --games-per-shard 500 --out games/$4
}
more chinese 3000 21 9-area-2;   more japanese 1500 22 9-territory-2
play 9 japanese 500 4 20 6 9-territory-3        # with --seed 12
fit() {         # FROM STEPS OUT FOLDERS [FLAGS]
    tengen-train fit $(for g in $4; do echo --data games/$g; done) --net tengen+area-6b64c --encoding go-2 --start-from $1 \
        --steps $2 --out $3 --teacher b6-9.onnx --teacher-share 1 --window 100000000 --held-out 0.01 --surprise-share 0 \
        --batch 128 --learning-rate 0.0008 "${@:5}"
}
fit taught 9000 gpu "9-area 9-territory 9-territory-3" --warm-up 50 --seed 7 --device cuda         # stopped after 2,436 steps
fit gpu 3000 last "9-area-2 9-territory-2 9-area 9-territory 9-territory-3" --warm-up 20 --average-decay 0.995 --seed 9
tengen-train export --checkpoint last --all-heads --earlier-games 5678 --earlier-steps 7636 --out go-9x9-november-28.onnx
tengen-train quantize --model go-9x9-november-28.onnx --data games/9-area-2 --data games/9-territory-2 --out played.onnx

# Its successor, three times as large: KaTrain's transformer (in KaTrain's package) answers on positions of the
# network's own games, each position once (170 a second and core). Eight hours of two busy cores, of which the
# steps are one (950 samples a second alone) and the answers most.
T=b10c384h6nbttflrs.bin.gz
own() {         # RULES GAMES VISITS PLIES OPENING KOMI SEED FOLDER [FLAGS]
    tengen-train selfplay network --model played.onnx --size 9 --rules $1 --games $2 --visits $3 --temperature-plies $4 \
        --opening-plies $5 --komi $6 --seed $7 --out games/$8 "${@:9}"
}
own chinese 1000 2 24 8 7,2,0.2,10 101 a1;   own japanese 500 2 24 8 7,2,0.2,10 102 t1
own chinese 1500 2 70 4 7,2,0.2,10 105 a3;   own japanese 700 2 70 4 7,2,0.2,10 106 t3
own chinese 1000 24 12 4 7,2,0.2,10 107 a4;  own japanese 500 24 12 4 7,2,0.2,10 108 t4
taught() {      # NET FROM STEPS RATE OUT FOLDERS [FLAGS]
    tengen-train fit $(for g in $6; do echo --data games/$g; done) --net tengen+area-$1 --encoding go-2 --start-from $2 \
        --steps $3 --out $5 --teacher $T --teacher-answers answers.redb --window 100000000 --held-out 0.005 \
        --surprise-share 0 --batch 128 --learning-rate $4 --average-decay 0.998 "${@:7}"
}
taught 6b64c last 4000 0.0008 fit3 "a1 t1 a3 t3 a4 t4"          # in two parts, of 700 and 3,300 steps
taught 8b96c fit3 15000 0.001 fitg "a1 t1 a3 t3 a4 t4"          # stopped after 7,056 steps
# Positions of stronger, even games, by the network after 3,300 of these steps (exported and quantised as below):
own chinese 1500 32 12 6 7,0.7,0.1,6 201 b1 --opening-choices 8
taught 8b96c fitg 12000 0.001 fith "a1 t1 a4 t4 b1"
# More of these, with fewer visits, by the same network. Its value is what it lacks most.
own chinese 3000 16 12 6 7,0.7,0.1,6 301 c1 --opening-choices 8
own chinese 2000 16 6 4 7,0.5,0.05,4 302 c2 --opening-choices 8
own japanese 1000 16 12 6 6,0.7,0.1,6 303 c3 --opening-choices 8
taught 8b96c fith 15000 0.001 fiti "a1 t1 a4 t4 b1 c1 c2 c3" --value-weight 2
tengen-train export --checkpoint fiti --all-heads --earlier-games 12678 --earlier-steps 33689 --out models/go-9x9-taught.onnx
own chinese 4000 2 24 8 7,2,0.2,10 103 a2;   own japanese 2000 2 24 8 7,2,0.2,10 104 t2
tengen-train quantize --model models/go-9x9-taught.onnx --data games/a2 --data games/t2 \
    --out models/go-9x9-taught-int8.onnx

# go-sizes: from the weights of go-9x9.
tengen-train loop scripts/plans/go-sizes.toml --out runs/gosizes        # or go on: mkdir -p runs; cp -r models/runs/go-sizes runs/gosizes
scripts/release-network.sh runs/gosizes go-sizes                        # its newest network into models/
