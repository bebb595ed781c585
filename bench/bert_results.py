#!/usr/bin/env python3
"""Results of recipes/bert/small.sh, also of runs from different days.

    bench/bert_results.py add RUN...         # finished runs
    bench/bert_results.py table [--check]    # writes that of docs/results.md

`add` appends result.json of each new run to bench/log/bert_small.jsonl. --check changes nothing and
fails if the table is stale. --root FOLDER: the project, if it is not that of this file.
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "recipes/bert"))
from tables import result_table  # noqa: E402

SETTINGS = ("updates", "batch_tokens", "precision")  # of all runs of the log


def read(log):
    return list(map(json.loads, log.open())) if log.exists() else []


def add(log, run):
    result = json.loads((run / "result.json").read_text())
    for other in read(log):
        if other == result:
            return
        if [other["encoding"], other["seed"]] == [result["encoding"], result["seed"]]:
            sys.exit(f"{run}: {log.name} has another run of this encoding and seed")
        for setting in SETTINGS:
            if other[setting] != result[setting]:
                sys.exit(f"{run}: {setting} is {result[setting]}, and in {log.name} {other[setting]}")
    with log.open("a") as file:
        file.write(json.dumps(result) + "\n")


def write_table(log, page, check):
    before = page.read_text()
    after = re.sub(r"(<!-- bench/bert_results.py -->\n).*?(<!-- end -->)",
                   lambda match: f"{match[1]}{result_table(read(log))}\n{match[2]}", before, flags=re.S)
    if check and after != before:
        sys.exit(f"{page}: the table is stale; bench/bert_results.py table writes it")
    if not check:
        page.write_text(after)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("add").add_argument("runs", nargs="+", type=pathlib.Path)
    commands.add_parser("table").add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    log = arguments.root / "bench/log/bert_small.jsonl"
    if arguments.command == "add":
        for run in arguments.runs:
            add(log, run)
    else:
        write_table(log, arguments.root / "docs/results.md", arguments.check)


if __name__ == "__main__":
    main()
