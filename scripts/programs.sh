# Sourced by other scripts: sets `bin` to the folder of tengen and tengen-match, which is
# cargo's target/release, or BIN if it is set, and reports a missing one. Also defines functions.
bin=${BIN:-${CARGO_TARGET_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/target}/release}
for program in tengen tengen-match; do
    if [ ! -x "$bin/$program" ]; then
        echo "$(basename "$0" .sh): no $bin/$program: run cargo build --release, or set BIN to their folder" >&2
        exit 1
    fi
done

# whole OPTION VALUE: rejects a value that is not a whole number.
whole() {
    case $2 in
    '' | *[!0-9]*)
        echo "$(basename "$0" .sh): $1 needs a whole number, not \"$2\"" >&2
        exit 2
        ;;
    esac
}

# played STATUS NAME: whether a match with this exit code and its report in NAME.txt was played. With 3 it
# was, but an engine warned or misbehaved, which is shown. Otherwise NAME.log has the reason.
played() {
    if [ "$1" -ne 3 ]; then
        tail -n 3 "$2.log" >&2
        return "$1"
    fi
    grep -E ' (complained|lost .* games? by)' "$2.txt" >&2 || true
}
