#!/usr/bin/env python3
"""Results of recipes/student on texts of software, also of directions from different days.

    bench/software_results.py add OUTPUT...      # of finished directions
    bench/software_results.py table [--check]    # writes those of bench/RESULTS.md

`add` appends evaluated/results.jsonl of each OUTPUT to bench/log/software.jsonl. --check changes nothing and
fails if a table is stale. --root FOLDER: the project, if it is not that of this file.
"""
import pathlib
import sys

from result_log import read, table_program

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "recipes/student"), str(ROOT / "recipes")]
from systems import result_table  # noqa: E402

table_program(
    __doc__, ROOT, "software.jsonl", head=r"<!-- bench/software_results.py: (?P<pair>\w+-\w+) -->",
    results_of=lambda output: read(output / "evaluated/results.jsonl"),
    table=lambda lines, match: result_table([line for line in lines if line["pair"] == match["pair"]]),
    settings=("rounds",), identity=("pair", "system"))
