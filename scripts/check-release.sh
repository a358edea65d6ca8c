#!/usr/bin/env bash
# Checks that an archive of scripts/release.sh runs on a bare Debian. Unpacks it in a root that has only
# the packages of every Debian, and plays, trains and referees there. Takes some minutes.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/check-release.sh ARCHIVE [SUITE...]

  ARCHIVE   what scripts/release.sh made
  SUITE     Debian releases [bookworm trixie]

Needs root, debootstrap and Debian's archive. The roots are rebuilt and removed.
TEXT
}

case ${1:-} in
-h | --help) usage; exit 0 ;;
'' | -*) usage >&2; exit 2 ;;
esac
archive=$1
shift
[ -f "$archive" ] || { echo "check-release: there is no $archive" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "check-release: only root may change its root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "check-release: debootstrap is needed" >&2; exit 1; }
[ $# -gt 0 ] || set -- bookworm trixie

roots=$(mktemp -d "${TMPDIR:-/tmp}/tengen-roots.XXXXXX")
trap 'umount "$roots"/*/proc 2>/dev/null || true; rm -rf "$roots"' EXIT

# in_root SUITE COMMAND: runs a command in the unpacked archive.
in_root() {
    chroot "$roots/$1" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root sh -ec "cd /opt/tengen-*; $2"
}

for suite in "$@"; do
    echo "== $suite"
    debootstrap --variant=minbase "$suite" "$roots/$suite" >"$roots/$suite.log" 2>&1 ||
        { tail -n 5 "$roots/$suite.log" >&2; exit 1; }
    mkdir -p "$roots/$suite/opt"
    # A bare root cannot unpack xz, so it is done outside.
    tar -C "$roots/$suite/opt" -xf "$archive"
    mount -t proc proc "$roots/$suite/proc"
    in_root "$suite" '. /etc/os-release; echo "$PRETTY_NAME, $(ldd --version | head -n 1)"'
    in_root "$suite" './tengen doctor || true'
    in_root "$suite" 'printf "genmove b\ngenmove w\nquit\n" | ./tengen gtp --visits 100'
    in_root "$suite" './tengen-match play --games 2 --size 5 --out /tmp/match \
        --first "./tengen gtp --backend rollout --visits 20" \
        --second "./tengen gtp --backend rollout --visits 10"'
    in_root "$suite" './tengen-train selfplay rollouts --size 5 --games 2 --playouts 8 --out /tmp/games
        ./tengen-train inspect models/nogo-9x9.onnx'
    umount "$roots/$suite/proc"
    echo "== $suite: passed"
done
