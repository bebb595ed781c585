#!/usr/bin/env python3
"""Tables of docs/results.md from the logs of bench/compare_ctranslate2.py, start_up.py and
serve_load.py.

    bench/speed_results.py table [--check]    # --check changes nothing, and fails if one is stale

The logs are bench/log/decoding.jsonl, start_up.jsonl and serving.jsonl, which --log of these
programs appends to; of lines of the same row, the last one counts.
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
    for line in lines.values():
        ours, theirs = (statistics.median(line[program]) for program in ("dietmt", "ctranslate2"))
        memory = line["peak_mb"]
        rows.append(f"| {line['model']}, {line['precision']}, {line['search']} | {ours:,.0f} | {theirs:,.0f} |"
                    f" {ours / theirs:.2f} | {100 * line['equal']:.1f} % |"
                    f" {memory['dietmt']:.0f}, {memory['ctranslate2']:.0f} |")
    return "\n".join(rows)


def start_up_table(lines):
    rows = ["| process | wall time, ms | peak memory, MB |", "|---|---|---|"]
    for line in lines.values():
        rows.append(f"| {line['process']} | {statistics.median(line['milliseconds']):.0f} |"
                    f" {line['peak_mb']:.1f} |")
    return "\n".join(rows)


def serving_key(line):
    load = line if line["check"] == "clients" else line["runs"][0]["serve"]
    return load["sentences_a_request"], load["clients"], line["check"]


def serving_table(lines):
    rows = ["| clients | sentences a request | sentences/s | p50, ms | p99, ms | memory, MiB |"
            " sentences/s relative to `translate` |", "|---" * 7 + "|"]
    for sentences, clients, check in sorted(lines):
        if check != "clients":
            continue
        load = lines[sentences, clients, check]
        ratios = [run["ratio"] for run in lines[sentences, clients, "throughput"]["runs"]]
        rows.append(f"| {clients} | {sentences} | {load['sentences_per_second']:,.0f} |"
                    f" {load['p50_ms']:.1f} | {load['p99_ms']:.1f} | {load['peak_memory_mib']:.0f} |"
                    f" {statistics.median(ratios):.2f} |")
    return "\n".join(rows)


def key_of(*names):
    return lambda line: tuple(line[name] for name in names)


TABLES = {"decoding": (decoding_table, key_of("model", "precision", "search")),
          "start_up": (start_up_table, key_of("model", "process")),
          "serving": (serving_table, serving_key)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("command", choices=["table"])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    for name, (table, key) in TABLES.items():
        lines = {key(line): line for line in read(options.root / "bench/log" / f"{name}.jsonl")}
        write_tables(options.root / "docs/results.md", f"<!-- bench/speed_results.py: {name} -->",
                     lambda _, made=table(lines): made, "bench/speed_results.py table", options.check)


if __name__ == "__main__":
    main()
