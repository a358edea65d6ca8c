#!/usr/bin/env bash
# Makes what users without a compiler can install: an archive of the three programs, the networks, pages and
# licences; a Python wheel; a Debian package; for Windows an archive for Gomocup. Builds first: some 10 minutes
# on two cores if nothing is built yet.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/release.sh [--windows | --arm] [--out FOLDER] [--with-onnxruntime]

  --windows             for Windows, as a zip, and a second zip of less than 8 MB for Gomocup
  --arm                 for Linux on 64-bit ARM
  --out FOLDER          where everything goes [target/release-archive]
  --with-onnxruntime    put the ONNX Runtime library into the archive, for networks that only it runs
                        (9 MB more; scripts/fetch-onnxruntime.sh fetches it)

Python 3 is needed, for the wheel 3.11; the Debian package needs `cargo install cargo-deb`, and a list of parts
(SBOM) `cargo install cargo-cyclonedx`; without them there is none. All run on the processors that
.cargo/config.toml asks for (x86-64-v3: AVX2 and BMI2, most since 2013; any 64-bit ARM) and on Linux with the C
library of the machine they are built on or a newer one: build on the oldest system that they shall run on.
scripts/check-release.sh tries the archive on a bare Debian. What is built for another machine is tried under
Wine or qemu, where they are installed. On Debian --windows needs gcc-mingw-w64-x86-64-posix, zip and unzip,
--arm gcc-aarch64-linux-gnu and libc6-dev-arm64-cross, and both a target of rustup.
.github/workflows/release.yml does it all for a tag.
TEXT
}

fail() {
    echo "release: $*" >&2
    exit 1
}

top=$(cd "$(dirname "$0")/.." && pwd)
out=$top/target/release-archive
runtime=
kind=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
triple=
while [ $# -gt 0 ]; do
    case $1 in
    --windows | --arm)
        [ -z "$triple" ] || { usage >&2; exit 2; }
        kind=windows-x86_64 triple=x86_64-pc-windows-gnu
        [ "$1" = --windows ] || kind=linux-aarch64 triple=aarch64-unknown-linux-gnu
        ;;
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
# The tools for the target machine, and how its programs are run here.
cross=
exe=
run=()
case $triple in
x86_64-pc-windows-gnu)
    cross=x86_64-w64-mingw32- exe=.exe
    tools=("${cross}gcc" zip unzip)
    if "$top/scripts/wine.sh" --version >/dev/null 2>&1; then
        run=("$top/scripts/wine.sh")
    fi
    ;;
aarch64-unknown-linux-gnu)
    cross=aarch64-linux-gnu-
    tools=("${cross}gcc" tar xz)
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=${cross}gcc
    if command -v qemu-aarch64-static >/dev/null; then
        run=(qemu-aarch64-static -L /usr/aarch64-linux-gnu)
    fi
    ;;
*) tools=(tar xz) ;;
esac
for tool in cargo python3 "${cross}strip" sha256sum "${tools[@]}"; do
    command -v "$tool" >/dev/null || fail "$tool is needed"
done
[ -z "$triple" ] || [ -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ] ||
    fail "the target is needed: rustup target add $triple"
mkdir -p "$out" && [ -w "$out" ] || fail "cannot write to $out"
out=$(cd "$out" && pwd)
cd "$top"

# Builds without this machine's paths in the programs, so that the same sources make the same programs elsewhere.
here=("$top" "${CARGO_HOME:-$HOME/.cargo}")
build() {
    local flags=("--remap-path-prefix=${here[0]}=/tengen" "--remap-path-prefix=${here[1]}=/cargo")
    [ -z "${RUSTFLAGS:-}" ] || local -x RUSTFLAGS="$RUSTFLAGS ${flags[*]}"
    cargo build --release --locked ${triple:+--target "$triple"} \
        --config "target.'cfg(all())'.rustflags = ['${flags[0]}', '${flags[1]}']" "$@"
}

# Copies the first page and all that it links to, pages behind pages included.
pages() {
    mkdir -p "$1"
    scripts/linked-files.py README.md | xargs -d '\n' cp --parents -t "$1"
}

# The first page, for Windows with the line ends and the byte order mark that its editors need.
start_windows() {
    sed 's/$/\r/; 1s/^/\xef\xbb\xbf/' <<TEXT
Tengen $version, for Windows 10 and later on x86-64 processors with AVX2 and BMI2 (most since 2013).
Nothing has to be installed. Unpack the whole archive first; a folder with blanks or Chinese letters
will do.

  tengen.exe board --open    a board in the browser: play, analyse, review
  tengen.exe doctor          is everything in order here, and how fast is it?
  tengen.exe gtp --game go   the engine, for a board program (Sabaki, GoGui, Lizzie): name this as
                             its command, with the whole path; without --game it plays NoGo
  tengen-match.exe --help    matches between engines
  tengen-train.exe --help    networks of your own; plans are in plans\\, others in the sources

Championship (SAU platform): choose tengen.exe as the engine. For arguments rename tengen.args.example
to tengen.args and change it: docs\\programs-and-servers.md.
Piskvork and other Gomoku managers: copy tengen.exe to pbrain-tengen.exe.
Networks of other programs: double-click fetch-onnxruntime.cmd once. NVIDIA GPUs: run
fetch-onnxruntime.cmd --gpu once; docs\\networks.md says what else they need.
docs\\install.md says what to do when Windows warns, or a window closes at once.

天元（Tengen）$version：不围棋、围棋、五子棋引擎，适用于 Windows 10 及以上，处理器需支持 AVX2（2013 年后大多支持）。
无需安装。请先把压缩包整个解压；路径里可以有空格和中文。

  tengen.exe board --open    在浏览器中下棋、分析、复盘
  tengen.exe doctor          自检与测速
  tengen.exe gtp --game go   GTP 引擎：在 Sabaki、GoGui 等界面中填这条命令（写完整路径）；不写 --game 下不围棋
  tengen-match.exe --help    引擎对战

大赛（SAU 平台）：把 tengen.exe 选为引擎即可。要改参数（队名、用时等），把 tengen.args.example
改名为 tengen.args 后编辑：docs\\ccgc.zh-CN.md。棋谱在 records 文件夹里。
五子棋（Piskvork 等）：把 tengen.exe 复制为 pbrain-tengen.exe。
其他程序的网络：双击一次 fetch-onnxruntime.cmd（下载 ONNX Runtime）。
NVIDIA 显卡：在命令行运行一次 fetch-onnxruntime.cmd --gpu，其他要求见 docs\\networks.md。
Windows 弹出警告，或窗口一闪而过：见 docs\\install.md。
TEXT
}

start_linux() {
    local glibc words='x86-64 processors with AVX2 and BMI2 (level x86-64-v3, most since 2013)'
    glibc=$(grep -aoh 'GLIBC_2\.[0-9]*' "$stage"/tengen* | sort -Vu | tail -n 1)
    case $kind in *aarch64) words='64-bit ARM processors' ;; esac
    cat <<TEXT
Tengen $version, for Linux on $words
and a C library from ${glibc/_/ } on. Nothing has to be installed.

  ./tengen board --open    a board in the browser: play, analyse, review
  ./tengen doctor          is everything in order here, and how fast is it?
  ./tengen gtp --game go   the engine, for a board program; without --game it plays NoGo: see
                           docs/programs-and-servers.md
  ./tengen-match --help    matches between engines
  ./tengen-train --help    networks of your own; plans are in plans/, others in the sources

The default network is inside tengen; models/ holds it and others as files. README.md and docs/
say everything else; where they speak of target/release, scripts/ or cargo, they mean the sources;
scripts/fetch-onnxruntime.sh is ./fetch-onnxruntime.sh here.
TEXT
}

# Packs a folder of $work; the same files make the same archive. For Windows as a zip.
pack() {
    local from=$work what=$1
    chmod -R u=rwX,go=rX "$work/$1"
    # Gomocup's managers load a program from the root of its archive.
    [ "${2:-}" != --flat ] || from=$work/$1 what=.
    if [ -n "$exe" ]; then
        find "$work/$1" -exec touch --no-dereference --date="$date" {} +
        (cd "$from" && find "$what" ! -name . | LC_ALL=C sort |
            TZ=UTC zip -q -X -9 "$work/$1.zip" -@)
    else
        tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$date" \
            -cf - "$1" | xz --threads=2 >"$work/$1.tar.xz"
    fi
}

# The archive for Gomocup in this folder: one program with the networks of one game, after the others are
# staged, since it is built in their place.
brain() {
    build -p tengen --no-default-features --features gomocup --bin tengen
    scripts/package-files.sh "$1" -p tengen --no-default-features ${triple:+--target "$triple"}
    "${cross}strip" -o "$1/pbrain-tengen$exe" "$built/tengen$exe"
    sed 's/$/\r/' >"$1/README.txt" <<TEXT
Tengen $version for Gomocup: freestyle, standard Gomoku and Renju on boards from 5x5 to 20x20, by networks from
8x8 on. Free software (LICENSE).

Memory    half of INFO max_memory for the search tree, a quarter for caches; at least 130 MiB in all.
          With max_memory 350 MB the program took at most 171 MB.
Threads   one for each processor; INFO thread_num limits them, and so does a file tengen.args beside the
          program with the three lines gomocup, --threads and 1.
Time      60 ms of a turn are reserved for the manager (--lag).
TEXT
}

# A wheel of the staged programs.
wheel() {
    python3 -c 'import tomllib' 2>/dev/null || { echo "no wheel: Python 3.11 is needed"; return 0; }
    scripts/wheel.py "$stage" "$kind" "$work" >/dev/null
}

# A Debian package of the staged files, which Cargo.toml names as target/stage, and of the pages.
debian() {
    [ -z "$exe" ] || return 0
    cargo deb --version >/dev/null 2>&1 || { echo "no Debian package: cargo install cargo-deb"; return 0; }
    pages "$work/pages"
    mkdir -p target
    ln -sfn "$stage" target/stage
    ln -sfn "$work/pages" target/pages
    cargo deb -p tengen --quiet --no-build --no-strip ${triple:+--target "$triple"} --output "$work"
    rm target/stage target/pages
    if command -v dpkg-deb >/dev/null; then
        dpkg-deb --extract "$work"/*.deb "$work/deb"
        no_dead_links "$work/deb/usr/share/doc/tengen"
    fi
}

# Fails at a link of the pages in a folder that leads to no file.
no_dead_links() {
    (cd "$1" && "$top/scripts/linked-files.py" README.md) >/dev/null || fail "a dead link below $1"
}

# A list of the programs' parts (SBOM) in CycloneDX's format.
parts() {
    cargo cyclonedx --version >/dev/null 2>&1 ||
        { echo "no list of parts: cargo install cargo-cyclonedx"; return 0; }
    cargo cyclonedx -qq --manifest-path src/train/Cargo.toml ${triple:+--target "$triple"} --no-build-deps \
        --format json --spec-version 1.5 --override-filename "$name.cdx"
    mv "src/train/$name.cdx.json" "$work/"
    find src -name "$name.cdx.json" -delete
}

# All files have the date of the commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c safe.directory="$top" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
date=@$SOURCE_DATE_EPOCH
echo "building; nothing built yet takes some 10 minutes on two cores, for Windows some 20"
build -p tengen -p tengen-train
built=${CARGO_TARGET_DIR:-target}${triple:+/$triple}/release
version=$(cargo pkgid --locked -p tengen | sed 's/.*[#@]//')
name=tengen-$version-$kind
end=tar.xz
[ -z "$exe" ] || end=zip
work=$(mktemp -d "$out/.release.XXXXXX")
trap 'rm -rf "$work"' EXIT
stage=$work/$name
mkdir -p "$stage/models"

for program in tengen tengen-match tengen-train; do
    "${cross}strip" -o "$stage/$program$exe" "$built/$program$exe"
    ! grep -qaF -e "${here[0]}/" -e "${here[1]}/" "$stage/$program$exe" ||
        fail "$program$exe contains paths of this machine"
done
cp models/*.onnx models/*.critic "$stage/models/"
pages "$stage"
scripts/package-files.sh "$stage" -p tengen -p tengen-train ${triple:+--target "$triple"}
if [ -z "$triple" ] || [ ${#run[@]} -gt 0 ]; then
    for program in tengen tengen-match tengen-train; do
        "${run[@]}" "$stage/$program$exe" man "$stage/man"
    done
fi
if [ -n "$runtime" ]; then
    scripts/fetch-onnxruntime.sh --for "$kind" --into "$work/runtime"
    # Beside the program, which is searched first.
    cp "$work/runtime"/*onnxruntime.* "$stage/"
    for file in LICENSE ThirdPartyNotices.txt; do
        cp "$work/runtime/$file" "$stage/licences/onnxruntime-$file"
    done
fi
if [ -n "$exe" ]; then
    # cmd misses labels in a file without carriage returns.
    sed 's/\r*$/\r/' scripts/fetch-onnxruntime.cmd >"$stage/fetch-onnxruntime.cmd"
    sed 's/$/\r/' scripts/tengen.args.example >"$stage/tengen.args.example"
    start_windows >"$stage/START.txt"
    brain "$work/pbrain-tengen-$version"
    pack "pbrain-tengen-$version" --flat
    [ "$(stat -c %s "$work/pbrain-tengen-$version.zip")" -le 8000000 ] ||
        fail "the archive for Gomocup has more than the 8 MB that it allows"
else
    cp scripts/fetch-onnxruntime.sh "$stage/"
    start_linux >"$stage/START.txt"
fi
pack "$name"
wheel
debian
parts

# As a user would do: unpacked elsewhere, without this machine's settings.
mkdir "$work/try"
if [ -n "$triple" ] && [ ${#run[@]} -eq 0 ]; then
    echo "not tested: no way to run programs for $kind here"
else
    if [ -n "$exe" ]; then
        unzip -q "$work/$name.$end" -d "$work/try"
    else
        tar -C "$work/try" -xf "$work/$name.$end"
        run=(env -i PATH="$PATH" "${run[@]}")
    fi
    answer=$(printf 'genmove b\nquit\n' |
        "${run[@]}" "$work/try/$name/tengen$exe" gtp --visits 50 2>&1) ||
        fail "tengen does not run: $answer"
    grep -q '^= [A-J][1-9]' <<<"$answer" || fail "tengen does not play: $answer"
    for program in tengen-match tengen-train; do
        "${run[@]}" "$work/try/$name/$program$exe" --version >/dev/null || fail "$program does not run"
    done
    no_dead_links "$work/try/$name"
    if [ -n "$exe" ]; then
        # As a manager does: the program at the root, without arguments.
        unzip -q "$work/pbrain-tengen-$version.zip" -d "$work/try/brain"
        answer=$(printf '%s\r\n' 'START 15' 'INFO timeout_turn 500' BEGIN END |
            "${run[@]}" "$work/try/brain/pbrain-tengen.exe" 2>&1) ||
            fail "pbrain-tengen.exe does not run: $answer"
        grep -q '^[0-9]*,[0-9]*' <<<"$answer" || fail "pbrain-tengen.exe does not play: $answer"
    fi
fi

for archive in "$work"/*.{"$end",whl,deb,json}; do
    [ -e "$archive" ] || continue
    file=$(basename "$archive")
    mv -f "$archive" "$out/"
    (cd "$out" && sha256sum "$file" >"$file.sha256")
    echo "$out/$file, $(du -h "$out/$file" | cut -f 1)"
done
