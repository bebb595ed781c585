#!/usr/bin/env python3
"""Results of recipes/multi30k/low_resource.sh, also of seeds from different days.

    bench/low_resource_results.py add OUTPUT...      # of finished comparisons
    bench/low_resource_results.py table [--check]    # writes those of bench/RESULTS.md

`add` appends results.jsonl of each OUTPUT to bench/log/low_resource.jsonl. --check changes nothing and
fails if a table is stale. --root FOLDER: the project, if it is not that of this file.
"""
import pathlib
import sys

from result_log import read, table_program

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "recipes/multi30k"))
from low_resource import result_table  # noqa: E402

table_program(
    __doc__, ROOT, "low_resource.jsonl",
    head="<!-- bench/low_resource_results.py: (?P<table>training|search) -->",
    results_of=lambda output: read(output / "results.jsonl"),
    table=lambda lines, match: result_table(lines, match["table"]),
    settings=("updates", "batch_tokens", "precision"), identity=("table", "row", "seed"))
