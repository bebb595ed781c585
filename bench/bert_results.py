#!/usr/bin/env python3
"""Results of recipes/bert/small.sh, also of runs from different days.

    bench/bert_results.py add RUN...         # finished runs
    bench/bert_results.py table [--check]    # writes that of bench/RESULTS.md

`add` appends result.json of each new run to bench/log/bert_small.jsonl. --check changes nothing and
fails if the table is stale. --root FOLDER: the project, if it is not that of this file.
"""
import json
import pathlib
import sys

from result_log import table_program

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "recipes/bert"))
from tables import result_table  # noqa: E402

table_program(
    __doc__, ROOT, "bert_small.jsonl", head="<!-- bench/bert_results.py -->",
    results_of=lambda run: [json.loads((run / "result.json").read_text())],
    table=lambda lines, _: result_table(lines),
    settings=("updates", "batch_tokens", "precision"), identity=("encoding", "seed"))
