#!/usr/bin/env python3
"""Prints the files to which a page leads by relative links, pages behind pages included: what an archive
needs so that no link in it is dead.

    scripts/linked-files.py README.md
"""

import os
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]+)")


def linked(page):
    """The files that a page links to, by their paths from here."""
    with open(page, encoding="utf-8") as file:
        targets = LINK.findall(file.read())
    folder = os.path.dirname(page)
    return [os.path.normpath(os.path.join(folder, target)) for target in targets if "://" not in target]


def main(pages):
    found, to_read = set(), list(pages)
    while to_read:
        path = to_read.pop()
        if os.path.isdir(path):
            path = os.path.join(path, "README.md")
        if path in found:
            continue
        if not os.path.isfile(path):
            sys.exit(f"linked-files: {path} is linked to, and no file")
        found.add(path)
        if path.endswith(".md"):
            to_read += linked(path)
    print("\n".join(sorted(found)))


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1:])
