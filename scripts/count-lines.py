#!/usr/bin/env python3
"""Lines of Rust code by package, without blank lines, comments and tests: scripts/count-lines.py [FOLDER]"""

import re
import sys
from collections import Counter
from pathlib import Path

if sys.argv[1:2] == ["--help"]:
    sys.exit(print(__doc__))
src = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent) / "src"
# Modules that are compiled for tests only, by the line before their declaration.
GATED = re.compile(r'#\[cfg\((?:test|any\(test[^\n]*|all\(test[^\n]*|loom[^\n]*|all\(loom[^\n]*)\)\]\s*(?:#\[(?!path)[^\n]*\]\s*)*(?:#\[path = "([^"]+)"\]\s*)?(?:pub(?:\([^)]*\))? )?mod (\w+);')
lines, files, tests = Counter(), Counter(), set()


def home(file, path, name):
    if path:
        return (file.parent / path,)
    folder = file.parent if file.stem in ("mod", "lib", "main") else file.parent / file.stem
    return folder / f"{name}.rs", folder / name


for file in src.rglob("*.rs"):
    for path, name in GATED.findall(file.read_text()):
        tests.update(home(file, path, name))
for file in sorted(src.rglob("*.rs")):
    if file in tests or any(parent in tests for parent in file.parents):
        continue
    package = file.relative_to(src).parts[0]
    # A module of tests is the last thing in its file.
    text = re.split(r"#\[cfg\((?:test|all\(test)[^\n]*\n(?:#\[[^\n]*\n)*(?:pub(?:\([^)]*\))? )?mod \w+ \{", file.read_text())[0]
    code = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]
    lines[package] += len(code)
    files[package] += bool(code)
for package in [*lines, "all"]:
    total = (sum(lines.values()), sum(files.values())) if package == "all" else (lines[package], files[package])
    print(f"{package:8} {total[0]:7,} lines of code in {total[1]:4} files")
