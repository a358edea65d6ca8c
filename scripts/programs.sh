# Sourced by other scripts: sets `bin` to the folder of tengen and tengen-match, which is
# target/release, or BIN if it is set; says what to do when one is missing. And `played`.
bin=${BIN:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/target/release}
for program in tengen tengen-match; do
    if [ ! -x "$bin/$program" ]; then
        echo "$(basename "$0" .sh): no $bin/$program: run cargo build --release first" >&2
        exit 1
    fi
done

# played STATUS REPORT: whether a match that ended so was played. With 3 it was, but an engine
# complained or misbehaved: that is shown.
played() {
    [ "$1" -eq 3 ] || return "$1"
    grep -E ' (complained|lost .* games by)' "$2" >&2 || true
}
