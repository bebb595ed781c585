#!/usr/bin/env python3
"""Results of recipes/multi30k/compare.sh with UPDATES, also of several of its folders.

    bench/encoding_results.py add OUTPUT...      # of finished comparisons on plain text
    bench/encoding_results.py table [--check]    # writes that of bench/RESULTS.md

`add` appends results.jsonl of each OUTPUT to bench/log/encodings.jsonl. The encoding with the best
mean validation BLEU comes first. --check changes nothing and fails if the table is stale.
--root FOLDER: the project, if it is not that of this file.
"""
import collections
import pathlib
import statistics
import sys

from result_log import read, table_program

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "recipes"))
from runs import encoding_of, quality, seeds_of  # noqa: E402


def table(lines, _):
    encodings = collections.defaultdict(list)
    for line in sorted(lines, key=lambda line: line["seed"]):
        encodings[encoding_of(line)].append(line)
    rows = ["| encoding | parameters | seeds | validation BLEU | test BLEU | chrF2 |", "|---" * 6 + "|"]
    for encoding, runs in sorted(encodings.items(), reverse=True, key=lambda item: statistics.mean(
            run["validation"]["bleu"] for run in item[1])):
        rows.append(f"| `{encoding}` | {runs[0]['parameters']:,} | {seeds_of(runs)} |"
                    f" {' | '.join(quality(runs))} |")
    return "\n".join(rows)


table_program(
    __doc__, ROOT, "encodings.jsonl", head="<!-- bench/encoding_results.py -->",
    results_of=lambda output: read(output / "results.jsonl"), table=table,
    settings=("pair", "text", "updates", "batch_tokens", "precision"),
    identity=("encoding", "decoder_encoding", "seed"))
