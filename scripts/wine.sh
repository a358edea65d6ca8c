#!/usr/bin/env bash
# Runs a program for Windows under Wine, in a separate Wine folder, which is initialised the first time:
#
#   scripts/wine.sh PROGRAM.exe [ARGUMENT...]
#
# The folder is $WINEPREFIX, or wine in ${CARGO_TARGET_DIR:-target}. Ends with 77 where there is no Wine
# (Debian: apt install wine64 libwine), or it cannot be initialised.
set -euo pipefail

wine=
for candidate in wine64 /usr/lib/wine/wine64 wine; do
    if command -v "$candidate" >/dev/null; then
        wine=$candidate
        break
    fi
done
if [ -z "$wine" ]; then
    echo "wine.sh: there is no Wine" >&2
    exit 77
fi
top=$(cd "$(dirname "$0")/.." && pwd)
export WINEPREFIX=${WINEPREFIX:-${CARGO_TARGET_DIR:-$top/target}/wine}
export WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES=${WINEDLLOVERRIDES:-mscoree,mshtml=}
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$WINEPREFIX}

system=$WINEPREFIX/drive_c/windows/system32
if [ ! -e "$system/bcryptprimitives.dll" ]; then
    mkdir -p "$WINEPREFIX"
    "$wine" wineboot -i >/dev/null 2>&1 || exit 77
    # Wine 8 has no bcryptprimitives.dll, of which Rust's standard library needs one function.
    if [ ! -e "$system/bcryptprimitives.dll" ]; then
        cat >"$WINEPREFIX/prng.c" <<'TEXT'
#include <windows.h>
BOOLEAN WINAPI SystemFunction036(PVOID buffer, ULONG len);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T len) {
    return SystemFunction036(buffer, (ULONG)len);
}
TEXT
        x86_64-w64-mingw32-gcc -shared -o "$system/bcryptprimitives.dll" "$WINEPREFIX/prng.c" \
            -ladvapi32 || exit 77
    fi
fi
exec "$wine" "$@"
