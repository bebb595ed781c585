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
import sys

from result_log import append, is_new, read, require_settings, write_tables

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "recipes/bert"))
from tables import result_table  # noqa: E402

SETTINGS = ("updates", "batch_tokens", "precision")  # of all runs of the log


def add(log, run):
    result = json.loads((run / "result.json").read_text())
    require_settings(log, result, run, SETTINGS)
    if is_new(log, result, run, ("encoding", "seed")):
        append(log, result)


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
    elif not read(log):
        print(f"{log} has no runs")
    else:
        write_tables(arguments.root / "docs/results.md", "<!-- bench/bert_results.py -->",
                     lambda _: result_table(read(log)), "bench/bert_results.py table",
                     arguments.check)


if __name__ == "__main__":
    main()
