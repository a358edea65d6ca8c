#!/usr/bin/env bash
# Measures Tengen on a GPU: a table on the standard output, and results.jsonl.
set -uo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/gpu-trial.sh [--device DEVICE] [--model FILE] [--out FOLDER] [--seconds S] [--budget S] [--quick]

  --model FILE      a further network for Go on 19x19, best one of KataGo's (.bin.gz): its speed, too
  --device DEVICE   cuda:0 [default], cuda:0,cuda:1 or any other of `tengen gtp --device`; cpu rehearses
  --out FOLDER      where results, networks and logs go [default: gpu-trial]
  --seconds S       seconds for each line of the tables of speed, a third of them a search [default: 3]
  --budget S        seconds for all of it: what does not fit any more is left out, and said [default: 480]
  --quick           one small network, few lines: does everything run?

Needs tengen, tengen-match and tengen-train, built with `cargo build --release --workspace`, in
target/release or in the folder that TENGEN_BIN names, and ONNX Runtime (scripts/fetch-onnxruntime.sh --gpu);
for fits a tengen-train built with libtorch (docs/training.md#pytorch), in target/libtorch/release or where TENGEN_FIT
says, and a python3 that has that PyTorch.
What fails is said, and the rest goes on; what matters most comes first. The table comes at the end, however it
ends. FOLDER/results.jsonl and FOLDER/logs.tgz hold all that is worth keeping.
TEXT
}

device=cuda:0
further=
out=gpu-trial
seconds=3
budget=480
quick=
while [ $# -gt 0 ]; do
    case $1 in
    --device | --model | --out | --seconds | --budget) [ $# -ge 2 ] || { usage >&2; exit 2; } ;;
    esac
    case $1 in
    --device) device=$2; shift ;;
    --model) further=$2; shift ;;
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
    [ -x "$bin/$program" ] || { echo "gpu-trial: there is no $bin/$program: cargo build --release --workspace" >&2; exit 1; }
done
fitter=${TENGEN_FIT:-target/libtorch/release/tengen-train}
command -v python3 >/dev/null || { echo "gpu-trial: python3 is needed" >&2; exit 1; }
released=$(cd "$(dirname "$0")/.." && pwd)/models
# A card computes f32 networks in TF32 unless that is disabled.
case $device in cpu) cuda='' single=f32 ;; *) cuda=1 single=tf32 ;; esac
mkdir -p "$out"
results=$out/results.jsonl
: >"$results"
logs=()
failures=0
began=$SECONDS

# Seconds left in the budget.
left() { echo $((budget - SECONDS + began)); }

# step NAME LIMIT COMMAND...: runs a step for at most LIMIT seconds, within the budget; each line of
# JSON that it prints is a result. Exits with the step's code, or with 124 if it was skipped.
step() {
    local name=$1 limit=$2 log left
    shift 2
    left=$(left)
    if [ "$left" -lt 5 ]; then
        failures=$((failures + 1))
        echo "LEFT OUT $name: $budget s are over" >&2
        printf '{"step": "%s", "exit": 124, "seconds": 0, "said": "left out: %s s are over"}\n' "$name" "$budget" >>"$results"
        return 124
    fi
    [ "$limit" -le "$left" ] || limit=$left
    log=$out/$(echo "$name" | tr -c 'A-Za-z0-9.\n' '-').log
    logs+=("${log##*/}" "${log##*/}.err")
    local start=$SECONDS code=0
    if declare -F "$1" >/dev/null; then set -- bash -c '"$@"' step "$@"; fi
    # A process stuck in the driver does not react to the first signal.
    timeout -k 5 "$limit" "$@" >"$log" 2>"$log.err" || code=$?
    [ "$code" -ne 124 ] && [ "$code" -ne 137 ] || echo "it was not done after $limit s" >>"$log.err"
    python3 - "$name" "$log" "$code" "$((SECONDS - start))" >>"$results" <<'PYTHON'
import json, sys
name, log, code, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
text = open(log, encoding="utf-8", errors="replace").read()
# One line each, or one document over several lines.
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
    return "$code"
}

# The card, its driver and clocks, and its peak of multiplications.
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

# first_moves ENGINE...: seconds from start to the first move, and for the moves after it.
first_moves() {
    python3 - "$bin/tengen" "$device" "$@" <<'PYTHON'
import json, subprocess, sys, time
engine = subprocess.Popen(
    [sys.argv[1], "gtp", "--device", sys.argv[2], *sys.argv[3:], "--visits", "2"],
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

# speed ARGUMENTS...: bench --throughput. An unavailable backend only causes a warning there; here a step without
# measurements has failed.
speed() {
    "$bin/tengen" bench --throughput --json --backend ort --device "$device" "$@" | grep --line-buffered .
    [ "${PIPESTATUS[*]}" = "0 0" ]
}

# answers ARGUMENTS...: bench --agreement.
answers() { "$bin/tengen" bench --agreement --json --backend ort --device "$device" "$@"; }

# visits SECONDS THREADS ENGINE...: visits of one move of this many seconds, with the network loaded, and the share of
# time in which the first card computes, from the second second on.
visits() {
    python3 - "$bin/tengen" "$device" "$@" <<'PYTHON'
import json, shutil, subprocess, sys
program, device, seconds, threads = sys.argv[1:5]
engine = subprocess.Popen(
    [program, "gtp", "--device", device, *sys.argv[5:], "--time-per-move", seconds, "--threads", threads],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(command):
    engine.stdin.write(command + "\n")
    engine.stdin.flush()
    lines = []
    while line := engine.stdout.readline().strip():
        lines.append(line)
    return lines
ask("kata-raw-nn 0")
sampler = None
if device != "cpu" and shutil.which("nvidia-smi"):
    card = device.split(",")[0].removeprefix("cuda").removeprefix(":") or "0"
    sampler = subprocess.Popen(
        ["nvidia-smi", "-i", card, "--query-gpu=utilization.gpu,power.draw", "--format=csv,noheader,nounits",
         "--loop-ms=200"],
        stdout=subprocess.PIPE, text=True)
try:
    said = ask("lz-genmove_analyze b 100000")
finally:
    if sampler:
        sampler.terminate()
facts = {"seconds": float(seconds), "threads": int(threads)}
if sampler:
    rows = [line.split(",") for line in sampler.communicate()[0].splitlines()]
    # The card reports a period that has already passed.
    rows = [row for row in rows if len(row) == 2][5:]
    for at, name in enumerate(["busy_percent", "watts"]):
        try:
            facts[name] = sum(float(row[at]) for row in rows) / len(rows)
        except (ValueError, ZeroDivisionError):  # [N/A], or too short a search
            pass
ask("quit")
engine.wait()
lines = [line for line in said if line.startswith("info move")]
words = lines[-1].split() if lines else []
facts["visits"] = sum(int(words[i + 1]) for i, word in enumerate(words) if word == "visits")
print(json.dumps(facts))
sys.exit(0 if facts["visits"] else 1)
PYTHON
}

# fits ARGUMENTS...: tengen-train with the libraries of PyTorch; a message if it was not built for them.
fits() {
    [ -x "$fitter" ] || { echo "there is no $fitter: docs/training.md#pytorch says how it is built" >&2; return 1; }
    local libraries
    libraries=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')/lib || return 1
    LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$fitter" "$@"
}

# expects TEXT COMMAND...: an engine whose options cannot be satisfied ends with one line.
expects() {
    local text=$1 said
    shift
    said=$(echo quit | "$@" 2>&1 >/dev/null)
    local code=$?
    python3 -c 'import json, sys; print(json.dumps({"exit_code": int(sys.argv[1]), "line": sys.argv[2]}))' "$code" "$said"
    [ "$code" -ne 0 ] && echo "$said" | grep -q "$text"
}

# plays COMMAND...: an engine whose network fails plays with another.
plays() {
    local errors=$out/plays.err said
    said=$(printf 'genmove b\nquit\n' | "$@" --visits 10 2>"$errors" | tr '\n' ' ')
    cat "$errors" >&2
    python3 -c 'import json, sys; print(json.dumps({"answer": sys.argv[1], "line": sys.argv[2]}))' \
        "$said" "$(head -n 1 "$errors")"
    [[ $said =~ ^=\ [A-J][1-9] ]]
}

# memory_full: another program holds all memory of the first card except 300 MiB; a move must still come.
memory_full() {
    local card=${device%%,*} holder code=1
    card=${card#cuda}
    card=${card#:}
    : >"$out/holder.txt"
    python3 -c '
import sys, time
import torch
card = int(sys.argv[1])
free, _ = torch.cuda.mem_get_info(card)
held = torch.empty(free - 300 * 2**20, dtype=torch.uint8, device=f"cuda:{card}")
print("held", flush=True)
time.sleep(40)' "${card:-0}" >"$out/holder.txt" &
    holder=$!
    while kill -0 "$holder" 2>/dev/null && ! grep -q held "$out/holder.txt"; do sleep 0.2; done
    if grep -q held "$out/holder.txt"; then
        plays "$bin/tengen" gtp --device "$device"
        code=$?
    else
        echo "nothing took the card's memory" >&2
    fi
    kill "$holder" 2>/dev/null
    wait "$holder" 2>/dev/null
    return "$code"
}

# The results so far, as tables.
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
print("\n| network | threads | batch | positions/s | search: evaluations/s | of raw | visits/s | collisions |")
print("|---|---|---|---|---|---|---|---|")
for row in results:
    if "raw_per_second" in row:
        share = f"{row['evaluations_per_second'] / row['raw_per_second']:.0%}"
        print(f"| {row['step']} | {row['threads']} | {row['batch']} | {row['raw_per_second']:.0f} | "
              f"{row['evaluations_per_second']:.0f} | {share} | {row['visits_per_second']:.0f} | "
              f"{row['collisions']:.1%} |")
print("\n| step | result |")
print("|---|---|")
def short(value):
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: short(inner) for key, inner in value.items()}
    return [short(inner) for inner in value] if isinstance(value, list) else value

# For steps that report progress, the last line.
told = {"raw_per_second", "card", "processor", "peak", "what"}
wanted = {"self-play": ("games", "seconds", "games_per_second", "evaluations_per_second"),
          "fit": ("samples_per_second",),
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
print("| a card that vanishes in mid-search | only simulated, by unit tests at the border to what computes networks "
      "(`FailingEvaluator` and `StallingEvaluator`, src/nn/eval/suite.rs) |")
PYTHON
}

# Results at the end. The table's numbers and all logs are two files, as only few can be copied back.
finish() {
    tables
    [ "${#logs[@]}" -gt 0 ] && command -v tar >/dev/null || return
    tar -czf "$out/logs.tgz" -C "$out" results.jsonl "${logs[@]}" && echo "all logs in $out/logs.tgz" >&2
}
trap finish EXIT

export -f card peak first_moves speed answers visits fits expects plays memory_full
export bin device out fitter
# Else CUDA counts the fastest card first, and nvidia-smi by slot. Where CUDA_VISIBLE_DEVICES hides cards, only CUDA leaves
# them out of its numbers: busy_percent and watts may then be another card's.
export CUDA_DEVICE_ORDER=PCI_BUS_ID
step card 30 card
[ -z "$cuda" ] || step peak 60 peak
step doctor 60 "$bin/tengen" doctor --json --device "$device"

# Released networks: a search with an untrained one follows a single line, whose leaves fill no batch.
names="nogo-9x9-5b32c nogo-9x9 go-taught"
threads_list="1 4 16"
# A search fills its batches after some 64 times as many visits.
threads_seconds=6
few=
if [ -n "$quick" ]; then
    names=nogo-9x9-5b32c threads_list="1 2" threads_seconds=$seconds few="--positions 64"
fi
largest=${names##* }
models=$out/models
mkdir -p "$models"
# file NAME: the network, in half precision if the device ran that.
file() {
    case $1 in
    */*) echo "$1" ;;
    *) if [ -e "$models/$1.runs" ]; then echo "$models/$1-f16.onnx"; else echo "$released/$1.onnx"; fi ;;
    esac
}

# precision NAME: of that file.
precision() { if [ -e "$models/$1.runs" ]; then echo f16; else echo "$single"; fi; }

# game_of NAME: the options that say what it plays, unless it is NoGo on its usual board.
game_of() { case $1 in nogo*) ;; *) echo --game go --size 19 ;; esac; }

# speeds STEP FILE NAME: speed by batch size, with one thread for each of a card's two evaluators.
speeds() {
    # shellcheck disable=SC2046
    step "speed $1" 120 speed --seconds "$seconds" --threads 2 --model "$2" $(game_of "$3")
}

# threads NAME: speed by threads.
threads() {
    local count
    for count in $threads_list; do
        # shellcheck disable=SC2046
        step "threads $count $(basename "$1") $(precision "$1")" 60 speed --seconds "$threads_seconds" --threads "$count" \
            --batch 64 --model "$(file "$1")" $(game_of "$1")
    done
}

# Half precision: refused where the answers differ too much.
for name in $names; do
    case $name in nogo*) ;; *) continue ;; esac
    rm -f "$models/$name-f16.onnx" "$models/$name.runs"
    step "half $name" 120 "$bin/tengen-train" quantize --precision f16 --json --device "$device" --positions 256 \
        --model "$released/$name.onnx" --out "$models/$name-f16.onnx"
done

# Agreement of answers.
step "answers built-in $single" 60 answers $few
[ -z "$cuda" ] || NVIDIA_TF32_OVERRIDE=0 step "answers built-in true f32" 60 answers $few
for name in $names; do
    # shellcheck disable=SC2046
    step "answers $name $single" 60 answers $few --model "$released/$name.onnx" $(game_of "$name")
    [ ! -s "$models/$name-f16.onnx" ] || step "answers $name f16" 60 answers $few --model "$models/$name-f16.onnx"
done

for name in $names; do
    [ ! -s "$models/$name-f16.onnx" ] || { speeds "$name f16" "$models/$name-f16.onnx" "$name" && touch "$models/$name.runs"; }
    speeds "$name $single" "$released/$name.onnx" "$name"
done
[ -z "$cuda" ] || NVIDIA_TF32_OVERRIDE=0 speeds "$largest true f32" "$released/$largest.onnx" "$largest"
if [ -n "$further" ]; then
    speeds "$(basename "$further")" "$further" "$further"
    threads "$further"
fi
for time in 1 5 $([ -n "$quick" ] || echo 25); do
    # shellcheck disable=SC2046
    step "visits in $time s" $((time + 30)) visits "$time" "${threads_list##* }" --model "$(file "$largest")" $(game_of "$largest")
done
# shellcheck disable=SC2046
step "first move" 60 first_moves --model "$(file "$largest")" $(game_of "$largest")
for name in $names; do
    threads "$name"
done

# Errors are reported in one line.
step "no card of this number" 40 expects "not available" "$bin/tengen" gtp --device cuda:63
step "a file that is no library" 20 expects "not a library" "$bin/tengen" gtp --backend ort --ort-library "$0"
step "another library" 20 expects "not available" "$bin/tengen" gtp --backend ort --ort-library "$(realpath "$bin/tengen-match")"
if [ -n "$cuda" ]; then
    # The library is there, and finds no card.
    step "cards hidden" 90 expects "cuda:[0-9]* (it needs" env CUDA_VISIBLE_DEVICES= "$bin/tengen" gtp --device "$device"
    # An error that occurs only when the network is loaded: a move must still come.
    step "memory full" 60 memory_full
fi

# The same file for both: the built-in one is int8 on a processor.
games=100
[ -z "$quick" ] || games=4
rm -rf "$out/match"
equal="--threads 1 --visits 50 --batch 1 --model '$released/nogo-9x9.onnx'"
step "equal visits against the processor" 120 "$bin/tengen-match" play --json --games "$games" --concurrency 4 \
    --random-plies 4 --out "$out/match" \
    --first "$bin/tengen gtp --device $device --backend ort $equal" --first-name ort \
    --second "$bin/tengen gtp --device cpu --backend native $equal" --second-name native

# Training.
data=
for name in $names; do
    case $name in nogo*) ;; *) continue ;; esac
    games=256
    [ -z "$quick" ] || games=8
    rm -rf "$out/games-$name"
    # All games begin at once, so that batches are full until the last ones end.
    step "self-play $name" 60 "$bin/tengen-train" selfplay network --json --device "$device" --games "$games" \
        --model "$(file "$name")" --visits 64 --out "$out/games-$name" --concurrent 256
    if compgen -G "$out/games-$name/games-*" >/dev/null; then data=$out/games-$name; fi
done
# A rehearsal uses our own kernels.
steps=200
[ -z "$quick" ] || steps=4
for net in tengen-5b32c $([ -n "$quick" ] || echo tengen-8b48c tengen-20b128c); do
    [ -n "$data" ] || break
    fit=(fit --data "$data" --net "$net" --steps "$steps" --json --out "$out/fit")
    rm -rf "$out/fit"
    if [ -z "$cuda" ]; then
        step "fit $net" 60 "$bin/tengen-train" "${fit[@]}"
    else
        step "fit $net ${device%%,*}" 60 fits "${fit[@]}" --device "${device%%,*}"
    fi
done

echo "results in $results, logs beside it; $failures of the steps failed" >&2
[ "$failures" -eq 0 ]
