#!/usr/bin/env bash
# Builds a NoGo program that is not ours with a GTP loop that keeps to a time, outside this repository.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/foreign/nogo.sh PROGRAM FOLDER [--source DIR]

  PROGRAM        haha   lclan1024/HaHaNoGo           RAVE; the strongest of them
                 tcg    ablk/TCG_NOGO                RAVE
                 eric   eric0410771/NOGO_MCTS        RAVE
                 par    writerwriter/NOGO_MCTS_Parallel  UCT
  FOLDER         where its sources go, and the program, FOLDER/PROGRAM; not inside this repository
  --source DIR   a clone of it that is there already, instead of one from GitHub

Needs git and g++. Then, one second a move on one core for both:

  taskset -c 0 tengen-match play --games 100 --concurrency 1 --out runs/haha \
      --openings gtp-tests/openings/nogo-9x9.txt \
      --first "tengen gtp --threads 1 --time-per-move 1" --second "FOLDER/haha 1" --second-name haha
TEXT
}

die() { echo "nogo.sh: $*" >&2; exit 1; }

case ${1:-} in -h | --help) usage; exit 0 ;; esac
[ $# -eq 2 ] || [ $# -eq 4 ] || { usage >&2; exit 2; }
program=$1 folder=$2 source=
if [ $# -eq 4 ]; then
    [ "$3" = --source ] || { usage >&2; exit 2; }
    source=$4
fi
flags=() files="MCTStree.cpp board.cpp ucbnode.cpp"
case $program in
haha) repository=lclan1024/HaHaNoGo ;;
tcg) repository=ablk/TCG_NOGO ;;
eric) repository=eric0410771/NOGO_MCTS flags=(-DERIC) ;;
par) repository=writerwriter/NOGO_MCTS_Parallel flags=(-DPARALLEL) files=board.cpp ;;
*) usage >&2; exit 2 ;;
esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(realpath -m "$folder")
case $folder/ in
"$(realpath "$here/../..")"/*)
    echo "nogo.sh: $folder is inside this repository: what is not ours stays outside" >&2
    exit 2
    ;;
esac
command -v g++ >/dev/null || die "there is no g++: install a C++ compiler"

mkdir -p "$folder"
code=$folder/$program-source
[ -d "$code" ] || git clone --quiet "${source:-https://github.com/$repository}" "$code" ||
    die "$repository could not be had"
cp "$here/nogo-loop.cpp" "$code/"
# They rely on headers that older compilers included by themselves.
headers=(-include algorithm -include cstdint -include cmath -include cstring -include cstdlib -include ctime)
(
    cd "$code"
    # shellcheck disable=SC2086
    g++ -std=c++17 -O3 -march=native -w "${headers[@]}" "${flags[@]}" -I. nogo-loop.cpp $files -o "$folder/$program"
) || die "$program was not built"
echo "$folder/$program"
