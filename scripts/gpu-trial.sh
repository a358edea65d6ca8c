#!/usr/bin/env bash
# What Tengen does on a GPU, measured in one go: a table on the standard output, and results.jsonl.
set -uo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/gpu-trial.sh [--device DEVICE] [--out FOLDER] [--seconds S] [--budget S] [--quick]

  --device DEVICE   cuda:0 [default], cuda:0,cuda:1 or any other of `tengen gtp --device`; cpu rehearses
  --out FOLDER      where results, networks and logs go [default: gpu-trial]
  --seconds S       seconds for each line of the tables of speed [default: 2]
  --budget S        seconds for all of it: what does not fit any more is left out, and said [default: 480]
  --quick           one small network, few lines: does everything run?

Needs tengen, tengen-match and tengen-train, built with `cargo build --release --features train`, in
target/release or in the folder that TENGEN_BIN names, and ONNX Runtime (scripts/fetch-onnxruntime.sh --gpu);
for fits a tengen-train built with libtorch (docs/gpu.md#fitting), in target/libtorch/release or where TENGEN_FIT
says, and a python3 that has that PyTorch.
What fails is said, and the rest goes on. The table comes at the end, however it ends.
TEXT
}

device=cuda:0
out=gpu-trial
seconds=2
budget=480
quick=
while [ $# -gt 0 ]; do
    case $1 in
    --device | --out | --seconds | --budget) [ $# -ge 2 ] || { usage >&2; exit 2; } ;;
    esac
    case $1 in
    --device) device=$2; shift ;;
    --out) out=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --budget) budget=$2; shift ;;
    --quick) quick=1 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
    shift
done
[[ $seconds =~ ^[0-9]+(\.[0-9]+)?$ ]] || { echo "gpu-trial: --seconds takes a number, not $seconds" >&2; exit 2; }
[[ $budget =~ ^[0-9]+$ ]] || { echo "gpu-trial: --budget takes whole seconds, not $budget" >&2; exit 2; }
bin=${TENGEN_BIN:-target/release}
for program in tengen tengen-match tengen-train; do
    [ -x "$bin/$program" ] || { echo "gpu-trial: there is no $bin/$program: cargo build --release --features train" >&2; exit 1; }
done
fitter=${TENGEN_FIT:-target/libtorch/release/tengen-train}
command -v python3 >/dev/null || { echo "gpu-trial: python3 is needed" >&2; exit 1; }
mkdir -p "$out"
results=$out/results.jsonl
: >"$results"
failures=0
began=$SECONDS

# Seconds that the budget still has.
left() { echo $((budget - SECONDS + began)); }

# step NAME LIMIT COMMAND...: runs a step for at most LIMIT seconds, and no longer than the budget; each line of
# JSON that it prints is a result.
step() {
    local name=$1 limit=$2 log left
    shift 2
    left=$(left)
    if [ "$left" -lt 5 ]; then
        failures=$((failures + 1))
        echo "LEFT OUT $name: $budget s are over" >&2
        printf '{"step": "%s", "exit": 124, "seconds": 0, "said": "left out: %s s are over"}\n' "$name" "$budget" >>"$results"
        return
    fi
    [ "$limit" -le "$left" ] || limit=$left
    log=$out/$(echo "$name" | tr -c 'A-Za-z0-9.\n' '-').log
    local start=$SECONDS code=0
    if declare -F "$1" >/dev/null; then set -- bash -c '"$@"' step "$@"; fi
    # Who is stuck in the driver does not hear the first signal.
    timeout -k 5 "$limit" "$@" >"$log" 2>"$log.err" || code=$?
    [ "$code" -ne 124 ] && [ "$code" -ne 137 ] || echo "it was not done after $limit s" >>"$log.err"
    python3 - "$name" "$log" "$code" "$((SECONDS - start))" >>"$results" <<'PYTHON'
import json, sys
name, log, code, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
text = open(log, encoding="utf-8", errors="replace").read()
# A line each, or one over many lines.
for part in [text] if text.startswith("{\n") else text.splitlines():
    try:
        found = json.loads(part)
    except ValueError:
        continue
    if isinstance(found, dict):
        print(json.dumps({**found, "step": name}))
last = [line.strip() for line in open(log + ".err", encoding="utf-8", errors="replace") if line.strip()]
print(json.dumps({"step": name, "exit": code, "seconds": seconds, "said": last[-1] if code and last else ""}))
PYTHON
    if [ "$code" -eq 0 ]; then
        echo "done    $name ($((SECONDS - start)) s)" >&2
    else
        failures=$((failures + 1))
        echo "FAILED  $name ($((SECONDS - start)) s, exit $code): $(grep -v '^$' "$log.err" | tail -n 1)" >&2
    fi
}

# The card, its driver and clocks, and what it multiplies at best.
card() {
    if command -v nvidia-smi >/dev/null; then
        nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.max.sm,power.limit \
            --format=csv,noheader | python3 -c '
import json, sys
for line in sys.stdin:
    print(json.dumps({"card": line.strip()}))'
    fi
    grep -m 1 "model name" /proc/cpuinfo | python3 -c '
import json, os, sys
print(json.dumps({"processor": sys.stdin.read().split(":")[-1].strip(), "threads": os.cpu_count()}))'
}

peak() {
    python3 - <<'PYTHON'
import json, time
import torch
torch.backends.cuda.matmul.allow_tf32 = False
for name, kind, tf32 in [("f32", torch.float32, False), ("tf32", torch.float32, True), ("f16", torch.float16, False)]:
    torch.backends.cuda.matmul.allow_tf32 = tf32
    side = 8192
    a = torch.randn(side, side, device="cuda", dtype=kind)
    for _ in range(3):
        a @ a
    torch.cuda.synchronize()
    start, count = time.time(), 0
    while time.time() - start < 1.0:
        a @ a
        torch.cuda.synchronize()
        count += 1
    print(json.dumps({"peak": name, "tflops": 2 * side**3 * count / (time.time() - start) / 1e12}))
PYTHON
}

# first_moves MODEL: seconds from a bare start to the first move, and for the moves after it.
first_moves() {
    python3 - "$bin/tengen" "$device" "$1" <<'PYTHON'
import json, subprocess, sys, time
engine = subprocess.Popen(
    [sys.argv[1], "gtp", "--device", sys.argv[2], "--model", sys.argv[3], "--visits", "2"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(command):
    start = time.time()
    engine.stdin.write(command + "\n")
    engine.stdin.flush()
    while engine.stdout.readline().strip():
        pass
    return time.time() - start
start = time.time()
ask("name")
ready = time.time() - start
cold = ask("genmove b")
warm = [ask("genmove w" if i % 2 == 0 else "genmove b") for i in range(10)]
ask("quit")
print(json.dumps({"first_move": cold, "later_moves": sum(warm) / len(warm), "name_answered": ready}))
PYTHON
}

# visits MODEL SECONDS THREADS: visits of one move of so many seconds, once the network is loaded.
visits() {
    python3 - "$bin/tengen" "$device" "$@" <<'PYTHON'
import json, subprocess, sys
engine, device, model, seconds, threads = sys.argv[1:]
said = subprocess.run(
    [engine, "gtp", "--device", device, "--model", model, "--time-per-move", seconds, "--threads", threads],
    input="kata-raw-nn 0\nlz-genmove_analyze b 100000\nquit\n", capture_output=True, text=True)
lines = [line for line in said.stdout.splitlines() if line.startswith("info move")]
words = lines[-1].split() if lines else []
total = sum(int(words[i + 1]) for i, word in enumerate(words) if word == "visits")
print(json.dumps({"seconds": float(seconds), "threads": int(threads), "visits": total}))
sys.exit(0 if total else 1)
PYTHON
}

# fits ARGUMENTS...: tengen-train with the libraries of PyTorch. Without one that was built for them, what it says.
fits() {
    [ -x "$fitter" ] || { echo "there is no $fitter: docs/gpu.md#fitting says how it is built" >&2; return 1; }
    local libraries
    libraries=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')/lib || return 1
    LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$fitter" "$@"
}

# busy SECONDS: how much of the time the first card computes, meanwhile.
busy() {
    command -v nvidia-smi >/dev/null || return 0
    local card=${device#cuda:}
    timeout "$1" nvidia-smi -i "${card%%,*}" --query-gpu=utilization.gpu,utilization.memory,power.draw,clocks.sm \
        --format=csv,noheader,nounits --loop-ms=200 >"$out/busy.csv" 2>/dev/null
}

# expects TEXT COMMAND...: an engine that cannot have what it asks for says so in one line and ends.
expects() {
    local text=$1 said
    shift
    said=$(echo quit | "$@" 2>&1 >/dev/null)
    local code=$?
    python3 -c 'import json, sys; print(json.dumps({"exit_code": int(sys.argv[1]), "line": sys.argv[2]}))' "$code" "$said"
    [ "$code" -ne 0 ] && echo "$said" | grep -q "$text"
}

# plays TEXT COMMAND...: an engine whose network cannot be had says so and plays by another.
plays() {
    local text=$1 said
    shift
    said=$(printf 'genmove b\nquit\n' | "$@" --visits 10 2>"$out/plays.err" | tr '\n' ' ')
    python3 -c 'import json, sys; print(json.dumps({"answer": sys.argv[1], "line": sys.argv[2]}))' \
        "$said" "$(grep -m 1 "$text" "$out/plays.err")"
    [[ $said =~ ^=\ [A-J][1-9] ]] && grep -q "$text" "$out/plays.err"
}

# What was measured so far, as tables.
tables() {
    python3 - "$results" "$device" "$((SECONDS - began))" <<'PYTHON'
import json, sys
results = [json.loads(line) for line in open(sys.argv[1])]
print(f"# Tengen on {sys.argv[2]}, {sys.argv[3]} s\n")
for row in results:
    if "card" in row: print(f"card: {row['card']}")
    if "processor" in row: print(f"processor: {row['processor']}, {row['threads']} threads")
    if "peak" in row: print(f"peak of {row['peak']}: {row['tflops']:.0f} TFLOP/s")
    if row["step"] == "doctor" and row.get("what") in ("gpu", "choice", "ort"): print(f"{row['what']}: {row['text']}")
print("\n| network | threads | batch | positions/s | search: evaluations/s | of raw | visits/s | collisions | in a call |")
print("|---|---|---|---|---|---|---|---|---|")
for row in results:
    if "raw_per_second" in row:
        share = row["evaluations_per_second"] / row["raw_per_second"]
        mean = row.get("mean_batch")
        print(f"| {row['step']} | {row['threads']} | {row['batch']} | {row['raw_per_second']:.0f} | "
              f"{row['evaluations_per_second']:.0f} | {share:.0%} | {row['visits_per_second']:.0f} | "
              f"{row['collisions']:.1%} | {'-' if mean is None else round(mean, 1)} |")
print("\n| step | result |")
print("|---|---|")
def short(value):
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: short(inner) for key, inner in value.items()}
    return [short(inner) for inner in value] if isinstance(value, list) else value

# Of those that tell how they get on, the last line.
told = {"raw_per_second", "card", "processor", "peak", "what"}
wanted = {"self-play": ("games", "seconds", "games_per_second", "evaluations_per_second"),
          "fit": ("samples_per_second", "flops", "peak_flops"),
          "equal": ("score", "score_interval", "failures")}
last = {}
for row in results:
    if "exit" in row:
        if row["exit"]:
            print(f"| {row['step']} | **failed** ({row['exit']}): {row['said']} |")
        elif row["step"] in last:
            print(f"| {row['step']} | {json.dumps(short(last.pop(row['step'])))} |")
    elif not told & set(row):
        keys = wanted.get(row["step"].split()[0])
        facts = {key: value for key, value in row.items() if key != "step" and (not keys or key in keys)}
        if facts:
            last[row["step"]] = facts
PYTHON
}
trap tables EXIT

export -f card peak first_moves visits fits expects plays
export bin device out fitter
step card 30 card
case $device in cpu) ;; *) step peak 60 peak ;; esac
step doctor 60 "$bin/tengen" doctor --json --device "$device"

names="tengen-5b32c tengen-10b64c tengen-20b128c"
threads_list="1 2 4 8 16"
[ -z "$quick" ] || { names=tengen-5b32c; threads_list="1 2"; }
models=$out/models
mkdir -p "$models"
for name in $names; do
    step "export $name" 60 "$bin/tengen-train" export --untrained "$name" --out "$models/$name-f32.onnx"
    step "half $name" 120 "$bin/tengen-train" quantize --precision f16 --device "$device" --positions 256 --json \
        --model "$models/$name-f32.onnx" --out "$models/$name-f16.onnx" --force
done

# Speed: all sizes of batches at one thread, then threads.
backend="--backend ort"
for name in $names; do
    for precision in f32 f16; do
        step "speed $name $precision" 120 "$bin/tengen" bench --throughput --json --seconds "$seconds" \
            --device "$device" $backend --threads 1 --model "$models/$name-$precision.onnx"
    done
    for threads in $threads_list; do
        [ "$(left)" -lt 5 ] || busy $((${seconds%.*} + 4)) &
        step "threads $name f16" 60 "$bin/tengen" bench --throughput --json --seconds "$seconds" \
            --device "$device" $backend --threads "$threads" --set batch=64 --model "$models/$name-f16.onnx"
        wait
        [ ! -s "$out/busy.csv" ] || step "busy $name $threads" 10 python3 -c '
import csv, json, sys
def number(text):
    try:
        return float(text)
    except ValueError:  # [N/A]
        return 0.0
rows = [[number(x) for x in row] for row in csv.reader(open(sys.argv[1])) if len(row) == 4]
rows.sort(reverse=True)
half = rows[: max(1, len(rows) // 2)]
print(json.dumps({"busy_percent": sum(row[0] for row in half) / len(half), "watts": max(row[2] for row in rows)}))' "$out/busy.csv"
    done
done
largest=$models/${names##* }-f16.onnx
for time in 1 5 $([ -n "$quick" ] || echo 25); do
    step "visits in $time s" $((time + 30)) visits "$largest" "$time" "${threads_list##* }"
done
step "first move" 60 first_moves "$largest"

# The same answers.
step "answers built-in f32" 60 "$bin/tengen" bench --agreement --json --device "$device" $backend
step "answers f16" 60 "$bin/tengen" bench --agreement --json --device "$device" $backend --model "$models/${names%% *}-f16.onnx"
games=100
[ -z "$quick" ] || games=4
rm -rf "$out/match"
step "equal visits against the processor" 120 "$bin/tengen-match" play --json --games "$games" --concurrency 8 \
    --random-plies 4 --out "$out/match" \
    --first "$bin/tengen gtp --device $device --threads 1 --visits 50 --set batch=1 $backend" --first-name ort \
    --second "$bin/tengen gtp --device cpu --threads 1 --visits 50 --set batch=1 --backend native" --second-name native

# Training.
for name in $names; do
    # All games begin at once, so that batches are full until the last ones end.
    case $name in *5b32c) games=512 ;; *10b64c) games=256 ;; *) games=128 ;; esac
    [ -z "$quick" ] || games=8
    rm -rf "$out/games"
    step "self-play $name" 60 "$bin/tengen-train" selfplay network --json --device "$device" --games "$games" \
        --model "$models/$name-f16.onnx" --visits 64 --out "$out/games" --concurrent 256
done
# A rehearsal fits by the same libraries on the processor, if they are there, and by our own kernels.
case $device in cpu) fit_device=libtorch ;; *) fit_device=${device%%,*} ;; esac
steps=30
[ -z "$quick" ] || steps=4
for name in $names; do
    fit=(fit --data "$out/games" --net "$name" --steps "$steps" --json --out "$out/fit")
    if [ "$device" = cpu ]; then
        rm -rf "$out/fit"
        step "fit $name" 60 "$bin/tengen-train" "${fit[@]}"
        [ -x "$fitter" ] || continue
    fi
    rm -rf "$out/fit"
    step "fit $name $fit_device" 60 fits "${fit[@]}" --device "$fit_device"
done

# What goes wrong is said in one line.
step "no card of this number" 20 expects "not available" "$bin/tengen" gtp --device cuda:63
step "a file that is no library" 20 expects "no library" "$bin/tengen" gtp --backend ort --ort-library "$0"
# What only shows when the network is loaded: a move comes all the same.
step "another library" 20 plays "not available" "$bin/tengen" gtp --backend ort --ort-library "$(realpath "$bin/tengen-match")"
case $device in
cpu) ;;
*) step "cards hidden" 20 plays "cuda" env CUDA_VISIBLE_DEVICES= "$bin/tengen" gtp --device "$device" ;;
esac

echo "results in $results, logs beside it; $failures of the steps failed" >&2
[ "$failures" -eq 0 ]
