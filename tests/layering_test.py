#!/usr/bin/env python3
"""Fails on an include that the folder table in docs/architecture.md does not allow.

    layering_test.py ROOT

A folder may include itself and the folders above it in the table. Every folder with sources must be
in the table, and no folder without LibTorch may include one with it. Only sources that train may
include `training/`, directly or through other headers. Each `dietmt_library` lists the libraries of
the folders that its folder includes, and no others. Tests, benchmarks and examples may include
anything.
"""
import collections
import os
import pathlib
import re
import sys

ROW = re.compile(r"^\| `([a-z0-9_/]+)/` \|.*\| ([^|]+) \|$")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
TORCH = re.compile(r"^\s*#include <(?:torch|ATen|c10)/", re.MULTILINE)
# Sources that may include `training/`; all others are inference.
TRAINING = ("training/", "nmt/training/", "bert/training/", "bert/finetuning/", "tools/train_command",
            "tools/train_options", "tools/training_options", "tools/learning_options",
            "tools/guided_alignment", "tools/initial_model", "tools/task_options",
            "tools/bert_finetune", "tools/bert_pretrain")
# A folder's library and what it links; `kernels/` has only headers.
LIBRARY = re.compile(r"dietmt_library\((dietmt_\w+).*?LIBRARIES\s([^)]*)\)", re.DOTALL)
LINKED = re.compile(r"target_link_libraries\((dietmt_\w+) PUBLIC\s([^)]*)\)")
FREE = ("tests", "bench", "examples", "build", ".deps")


def folder_table(document):
    """The folders in order, each with the table's word on LibTorch: yes, no or part."""
    rows = [match.groups() for line in document.splitlines() if (match := ROW.match(line))]
    return {folder: word if word in ("yes", "no") else "part" for folder, word in rows}


def read_sources(root):
    """The sources by folder and name. Build folders are not even listed."""
    texts = {}
    for folder, folders, files in os.walk(root):
        if pathlib.Path(folder) == root:
            folders[:] = [name for name in folders if not name.startswith(FREE)]
        for name in files:
            if name.endswith((".h", ".cpp", ".cu", ".cuh")):
                path = pathlib.Path(folder, name)
                texts[path.relative_to(root)] = path.read_text()
    return dict(sorted(texts.items()))


def folder_of(include):
    return include.rpartition("/")[0] or "."


def violations(table, sources):
    rank = {folder: place for place, folder in enumerate(table)}
    for relative, text in sources.items():
        folder = relative.parent.as_posix()
        if folder not in table:
            yield f"{relative}: the folder {folder}/ is not in the table"
            continue
        if table[folder] == "no" and TORCH.search(text):
            yield f"{relative}: includes LibTorch, and {folder}/ is listed without it"
        for include in INCLUDE.findall(text):
            target = folder_of(include)
            if target == folder:
                continue
            if target not in rank:
                yield f"{relative}: includes {include}, which is in no folder of the table"
            elif rank[target] > rank[folder]:
                yield f"{relative}: includes {include}, but {target}/ is below {folder}/"
            elif table[folder] == "no" and table[target] != "no":
                yield f"{relative}: includes {include}, but {target}/ needs LibTorch"


def training_includes(sources):
    """Inference that includes `training/`, with the headers between."""
    includes = {relative.as_posix(): INCLUDE.findall(text) for relative, text in sources.items()}

    def way(file, seen):
        for include in includes.get(file, ()):
            if include.startswith("training/"):
                return [include]
            if include not in seen:
                seen.add(include)
                if rest := way(include, seen):
                    return [include, *rest]
        return []

    for file in includes:
        if not file.startswith(TRAINING) and (found := way(file, set())):
            yield f"{file}: is inference and includes training/: {' -> '.join(found)}"


def library_of(folder):
    return "dietmt_" + folder.replace("/", "_")


def wrong_libraries(root, table, sources):
    """LIBRARIES that are not those of the included folders."""
    linked = {}
    for folder in table:
        file = root / folder / "CMakeLists.txt"
        text = file.read_text() if file.exists() else ""
        if not (library := LIBRARY.search(text)) or library[1] != library_of(folder):
            continue
        listed = library[2].split("PRIVATE")[0].split()
        for name, more in LINKED.findall(text):
            listed += more.split() if name == library[1] else []
        linked[folder] = {name for name in listed if name.startswith("dietmt_")}
    included = collections.defaultdict(set)
    for relative, text in sources.items():
        included[relative.parent.as_posix()] |= {library_of(folder_of(include))
                                                 for include in INCLUDE.findall(text)}
    libraries = {library_of(folder) for folder in linked} | {"dietmt_kernels"}
    for folder, listed in linked.items():
        wanted = included[folder] & libraries - {library_of(folder)}
        # The subfolders of kernels/cpu/ contain the functions that kernels/ declares.
        rooms = {name for name in listed if name.startswith("dietmt_kernels_cpu_")}
        if "dietmt_kernels" in wanted:
            listed = listed - (rooms - wanted)
        for name in sorted(wanted - listed):
            yield f"{folder}/CMakeLists.txt: LIBRARIES lacks {name}, whose headers are included"
        for name in sorted(listed - wanted):
            yield f"{folder}/CMakeLists.txt: LIBRARIES has {name}, whose headers are not included"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    table = folder_table((root / "docs/architecture.md").read_text())
    sources = read_sources(root)
    found = [*violations(table, sources), *training_includes(sources),
             *wrong_libraries(root, table, sources)]
    print("\n".join(found))
    print(f"layering: {len(found)} findings against docs/architecture.md")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
