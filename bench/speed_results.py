#!/usr/bin/env python3
"""Tables of docs/results.md from the logs of bench/compare_ctranslate2.py and bench/start_up.py.

    bench/speed_results.py table [--check]    # --check changes nothing, and fails if one is stale

The logs are bench/log/decoding.jsonl and start_up.jsonl, which --log of these programs appends to;
of lines with the same model and row, the last one counts.
--root FOLDER: the project, if it is not that of this file.
"""
import argparse
import pathlib
import statistics

from result_log import read, write_tables

ROOT = pathlib.Path(__file__).resolve().parents[1]


def decoding_table(lines):
    rows = ["| model, weights, search | dietmt | CTranslate2 | ratio | equal lines | memory, MB |",
            "|---|---|---|---|---|---|"]
    for line in lines:
        ours, theirs = (statistics.median(line[program]) for program in ("dietmt", "ctranslate2"))
        memory = line["peak_mb"]
        rows.append(f"| {line['model']}, {line['precision']}, {line['search']} | {ours:,.0f} | {theirs:,.0f} |"
                    f" {ours / theirs:.2f} | {100 * line['equal']:.1f} % |"
                    f" {memory['dietmt']:.0f}, {memory['ctranslate2']:.0f} |")
    return "\n".join(rows)


def start_up_table(lines):
    rows = ["| process | wall time, ms | peak memory, MB |", "|---|---|---|"]
    for line in lines:
        rows.append(f"| {line['process']} | {statistics.median(line['milliseconds']):.0f} |"
                    f" {line['peak_mb']:.1f} |")
    return "\n".join(rows)


TABLES = {"decoding": (decoding_table, ("model", "precision", "search")),
          "start_up": (start_up_table, ("model", "process"))}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("command", choices=["table"])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    for name, (table, row) in TABLES.items():
        lines = {tuple(line[key] for key in row): line
                 for line in read(options.root / "bench/log" / f"{name}.jsonl")}
        write_tables(options.root / "docs/results.md", f"<!-- bench/speed_results.py: {name} -->",
                     lambda _, made=table(lines.values()): made, "bench/speed_results.py table", options.check)


if __name__ == "__main__":
    main()
