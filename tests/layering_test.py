#!/usr/bin/env python3
"""Fails on an include that the folder table in docs/architecture.md does not allow.

    layering_test.py ROOT

A folder may include itself and the folders above it in the table. Every folder with sources must be
in the table, and no folder without LibTorch may include one with it. Tests, benchmarks and
examples may include anything.
"""
import pathlib
import re
import sys

ROW = re.compile(r"^\| `([a-z0-9_/]+)/` \|.*\| ([^|]+) \|$")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
TORCH = re.compile(r"^\s*#include <(?:torch|ATen|c10)/", re.MULTILINE)
FREE = ("tests", "bench", "examples", "build", ".deps")


def folder_table(document):
    """The folders in order, each with the table's word on LibTorch: yes, no or part."""
    rows = [match.groups() for line in document.splitlines() if (match := ROW.match(line))]
    return {folder: word if word in ("yes", "no") else "part" for folder, word in rows}


def sources(root):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.suffix in (".h", ".cpp", ".cu", ".cuh") and not relative.parts[0].startswith(FREE):
            yield path, relative


def violations(root):
    table = folder_table((root / "docs/architecture.md").read_text())
    rank = {folder: place for place, folder in enumerate(table)}
    for path, relative in sources(root):
        folder = relative.parent.as_posix()
        if folder not in table:
            yield f"{relative}: the folder {folder}/ is not in the table"
            continue
        text = path.read_text()
        if table[folder] == "no" and TORCH.search(text):
            yield f"{relative}: includes LibTorch, and {folder}/ is listed without it"
        for include in INCLUDE.findall(text):
            target = pathlib.PurePosixPath(include).parent.as_posix()
            if target == folder:
                continue
            if target not in rank:
                yield f"{relative}: includes {include}, which is in no folder of the table"
            elif rank[target] > rank[folder]:
                yield f"{relative}: includes {include}, but {target}/ is below {folder}/"
            elif table[folder] == "no" and table[target] != "no":
                yield f"{relative}: includes {include}, but {target}/ needs LibTorch"


def main():
    found = list(violations(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    print(f"layering: {len(found)} includes against docs/architecture.md")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
