#!/usr/bin/env python3
"""Makes a Python wheel of the programs: pip puts them where it puts commands. Needs nothing but Python 3.11;
scripts/release.sh calls it. On PyPI the name tengen is another project's.

    scripts/wheel.py FOLDER SYSTEM OUT

  FOLDER   the unpacked archive: programs, plans/, man/, LICENSE, licences/
  SYSTEM   linux-x86_64, linux-aarch64 or windows-x86_64
  OUT      folder of the wheel, whose path is printed
"""

import base64
import csv
import hashlib
import io
import os
import re
import sys
import time
import tomllib
import zipfile
from pathlib import Path

PROGRAMS = ["tengen", "tengen-match", "tengen-train"]
TOP = Path(__file__).resolve().parent.parent


def platform(system, programs):
    """The wheel's platform: on Linux also the oldest C library that has all that the programs ask for."""
    if system == "windows-x86_64":
        return "win_amd64"
    asked = [found for path in programs for found in re.findall(rb"GLIBC_2\.(\d+)", path.read_bytes())]
    return f"manylinux_2_{max(map(int, asked))}_{system.removeprefix('linux-')}"


def description():
    """The first page, whose links lead nowhere outside of the sources: as text without them."""
    text = (TOP / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"^!\[.*\n", "", text, flags=re.M)
    return re.sub(r"\[([^]]*)\]\((?![a-z]+://)[^)]*\)", r"\1", text)


def main(folder, system, out):
    def manifest(path):
        return tomllib.loads((TOP / path).read_text(encoding="utf-8"))

    package = manifest("src/tengen/Cargo.toml")["package"] | manifest("Cargo.toml")["workspace"]["package"]
    name, version = package["name"], package["version"]
    end = ".exe" if system.startswith("windows") else ""
    programs = [folder / (program + end) for program in PROGRAMS]
    tag = f"py3-none-{platform(system, programs)}"
    data, info = f"{name}-{version}.data", f"{name}-{version}.dist-info"

    files = {f"{data}/scripts/{path.name}": path.read_bytes() for path in programs}
    shared = {"plans": f"{name}/plans", "man": "man/man1"}
    for part, place in shared.items():
        for path in sorted((folder / part).glob("*")):
            files[f"{data}/data/share/{place}/{path.name}"] = path.read_bytes()
    licences = [folder / "LICENSE", *sorted((folder / "licences").rglob("*"))]
    for path in filter(Path.is_file, licences):
        files[f"{info}/licenses/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    metadata = [
        "Metadata-Version: 2.4",
        f"Name: {name}",
        f"Version: {version}",
        f"Summary: {package['description']}",
        f"License-Expression: {package['license']}",
        "License-File: LICENSE",
        "Keywords: go,nogo,gomoku,gtp,mcts",
        "Classifier: Topic :: Games/Entertainment :: Board Games",
        "Requires-Python: >=3.7",
        "Description-Content-Type: text/markdown",
        "",
        description(),
    ]
    files[f"{info}/METADATA"] = "\n".join(metadata).encode()
    wheel = ["Wheel-Version: 1.0", "Generator: wheel.py", "Root-Is-Purelib: false", f"Tag: {tag}", ""]
    files[f"{info}/WHEEL"] = "\n".join(wheel).encode()
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow([path, f"sha256={digest}", len(content)])
    rows.writerow([f"{info}/RECORD", "", ""])
    files[f"{info}/RECORD"] = record.getvalue().encode()

    # The same files make the same wheel; its format has no dates before 1980.
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    date = max(time.gmtime(seconds)[:6], (1980, 1, 1, 0, 0, 0))
    target = out / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, date)
            mode = 0o755 if "/scripts/" in path else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(target)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
