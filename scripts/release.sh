#!/usr/bin/env bash
# Makes one archive for people who do not build: the three programs, the networks, licences, notes on
# board programs. Builds first: some 10 minutes on two cores if nothing is built yet.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/release.sh [--out FOLDER] [--with-onnxruntime]

  --out FOLDER          where the archive goes [target/release-archive]
  --with-onnxruntime    put the ONNX Runtime library in: the fastest backend needs nothing else
                        then (9 MB more; scripts/fetch-onnxruntime.sh fetches it)

The archive runs on the processors that .cargo/config.toml asks for (x86-64-v3: AVX2 and BMI2, most
since 2013) and with the C library of the machine it is built on or a newer one: build on the oldest
system that it shall run on. scripts/check-release.sh tries it on a bare Debian.
TEXT
}

fail() {
    echo "release: $*" >&2
    exit 1
}

top=$(cd "$(dirname "$0")/.." && pwd)
out=$top/target/release-archive
runtime=
while [ $# -gt 0 ]; do
    case $1 in
    --out)
        [ $# -ge 2 ] || { usage >&2; exit 2; }
        out=$2
        shift
        ;;
    --with-onnxruntime) runtime=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
    shift
done
for tool in cargo strip tar xz sha256sum; do
    command -v "$tool" >/dev/null || fail "$tool is needed"
done
mkdir -p "$out" && [ -w "$out" ] || fail "cannot write to $out"
cd "$top"

# The crates that are linked, as `name-version licence`.
crates() {
    cargo tree --locked --features train --edges normal --prefix none --format '{p}|{l}' |
        grep -v "^tengen v" | sed 's/ ([^|]*)|/|/; s/ v/-/; s/|/ /; s/ (\*)$//' | sort -u
}

# The text of every licence once, below the crates that it is of.
licences() {
    local sources=${CARGO_HOME:-$HOME/.cargo}/registry/src crate licence file sum
    declare -A of=() text=()
    echo "Tengen's own licence is in the file LICENSE. These crates are linked into its programs. A crate"
    echo "that comes without a text has the usual one of its licence, which stands here with others:"
    echo
    while read -r crate licence; do
        printf '  %-44s %s\n' "$crate" "$licence"
        for file in "$sources"/*/"$crate"/{LICEN[CS]E,COPYING,COPYRIGHT,NOTICE,UNLICENSE}*; do
            [ -f "$file" ] || continue
            sum=$(sha256sum <"$file")
            of[$sum]+=" $crate"
            text[$sum]=$file
        done
    done
    for sum in "${!of[@]}"; do
        printf '\n%s\n\n' "$(printf '=%.0s' {1..78})"
        fold -s -w 78 <<<"${of[$sum]# }"
        echo
        cat "${text[$sum]}"
    done
}

echo "building; nothing built yet takes some 10 minutes on two cores"
cargo build --release --locked --features train
built=${CARGO_TARGET_DIR:-target}/release
version=$("$built/tengen" --version | cut -d ' ' -f 2)
name=tengen-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
work=$(mktemp -d "$out/.release.XXXXXX")
trap 'rm -rf "$work"' EXIT
stage=$work/$name
mkdir -p "$stage/docs" "$stage/models" "$stage/plans" "$stage/licences"

for program in tengen tengen-match tengen-train; do
    strip -o "$stage/$program" "$built/$program"
done
cp models/*.onnx models/*.critic models/README.md "$stage/models/"
# Without the pictures, which are larger than the text.
for page in docs/*.md; do
    sed '/^!\[/d' "$page" >"$stage/$page"
done
cp scripts/plans/*.toml "$stage/plans/"
cp scripts/fetch-onnxruntime.sh README.md CHANGELOG.md LICENSE "$stage/"
crates | licences >"$stage/licences/crates.txt"
if [ -n "$runtime" ]; then
    scripts/fetch-onnxruntime.sh --into "$work/runtime"
    # Beside the program, where it is looked for first.
    cp "$work/runtime/libonnxruntime.so" "$stage/"
    for file in LICENSE ThirdPartyNotices.txt; do
        cp "$work/runtime/$file" "$stage/licences/onnxruntime-$file"
    done
fi
glibc=$(grep -aoh 'GLIBC_2\.[0-9]*' "$stage"/tengen* | sort -Vu | tail -n 1)
cat >"$stage/START.txt" <<TEXT
Tengen $version, for Linux on x86-64 processors with AVX2 and BMI2 (level x86-64-v3, most since 2013)
and a C library from ${glibc/_/ } on. Nothing has to be installed.

  ./tengen doctor          is everything in order here, and how fast is it?
  ./tengen gtp             the engine, for a board program: see docs/board-programs.md
  ./tengen-match --help    matches between engines
  ./tengen-train --help    networks of your own; plans are in plans/

The default network is inside tengen; models/ holds it and others as files. README.md and docs/
say everything else; where they speak of target/release, scripts/ or cargo, they mean the sources.
TEXT

# The same files make the same archive.
date=$(git log -1 --format=%cI 2>/dev/null || date -Iseconds)
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$date" \
    -cf - "$name" | xz -T0 >"$work/$name.tar.xz"

# As someone would use it: unpacked elsewhere, with nothing of this machine's settings.
mkdir "$work/try"
tar -C "$work/try" -xf "$work/$name.tar.xz"
answer=$(printf 'genmove b\nquit\n' | env -i "$work/try/$name/tengen" gtp --visits 50 2>&1) ||
    fail "tengen does not run: $answer"
grep -q '^= [A-J][1-9]' <<<"$answer" || fail "tengen does not play: $answer"
for program in tengen-match tengen-train; do
    env -i "$work/try/$name/$program" --version >/dev/null || fail "$program does not run"
done

mv -f "$work/$name.tar.xz" "$out/"
(cd "$out" && sha256sum "$name.tar.xz" >"$name.tar.xz.sha256")
echo "$out/$name.tar.xz, $(du -h "$out/$name.tar.xz" | cut -f 1)"
