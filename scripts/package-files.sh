#!/usr/bin/env bash
# Writes what a package needs beside its programs: the licences of Tengen, of its networks and of all that is linked,
# and with tengen-train the plans that run without a checkout.
#
#   scripts/package-files.sh FOLDER [ARGUMENTS OF CARGO TREE...]
#
# The arguments choose packages, features and target as they were built: -p tengen --no-default-features.
set -euo pipefail
[ $# -gt 0 ] && [ "${1#-}" = "$1" ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."

# The crates that are linked, as `name-version licence`.
crates() {
    cargo tree --locked "$@" --edges normal --prefix none --format '{p}|{l}' |
        grep -vE "^$|^tengen(-[a-z]+)? v" | sed 's/ ([^|]*)|/|/; s/ v/-/; s/|/ /; s/ (\*)$//' | sort -u
}

# The text of every licence once, below the crates that it applies to.
licences() {
    local sources=${CARGO_HOME:-$HOME/.cargo}/registry/src crate licence file sum
    declare -A of=() text=()
    echo "Tengen's own licence, also that of the networks, is in the file LICENSE. These crates are linked into its"
    echo "programs. A crate that comes without a text has the usual one of its licence, which stands here with others:"
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
    while read -r sum; do
        printf '\n%s\n\n' "$(printf '=%.0s' {1..78})"
        fold -s -w 78 <<<"${of[$sum]# }"
        echo
        cat "${text[$sum]}"
    done < <(printf '%s\n' "${!of[@]}" | LC_ALL=C sort)
}

# The licences of code added by the linker: Rust's standard library, and MinGW-w64 with GCC's parts.
linked_licences() {
    local from file package
    from=$(rustc --print sysroot)/share/doc/rust
    # Older toolchains have one text for the library and the compiler.
    for file in COPYRIGHT-library.html COPYRIGHT.html; do
        [ ! -f "$from/$file" ] || { cp "$from/$file" "$out/licences/rust-$file" && break; }
    done
    if [ -d "$from/licenses" ]; then
        mkdir -p "$out/licences/rust"
        cp "$from"/licenses/* "$out/licences/rust/"
    fi
    [[ " $* " == *-windows-gnu* ]] || return 0
    for package in mingw-w64-x86-64-dev gcc-mingw-w64-x86-64-posix-runtime; do
        file=/usr/share/doc/$package/copyright
        [ -f "$file" ] || { echo "package-files: the licence of $package is not in $file" >&2; exit 1; }
        cp "$file" "$out/licences/$package.txt"
    done
}

mkdir -p "$out/licences"
cp LICENSE "$out/"
crates "$@" | licences >"$out/licences/crates.txt"
linked_licences "$@"
case " $* " in
*" tengen-train "*)
    # Not those of tengen-lab's studies, which have arms, nor those that begin with a file of a checkout.
    mkdir -p "$out/plans"
    grep -LE '^\[\[arm\]\]|^warm-up = .*(network|weights) = ' scripts/plans/*.toml | xargs cp -t "$out/plans"
    ;;
esac
