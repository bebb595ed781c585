#!/usr/bin/env python3
"""Tables of bench/RESULTS.md from the logs of benchmarks.

    bench/speed_results.py table [--check]    # --check changes nothing, and fails if one is stale

The logs are files of bench/log; --log of the programs that compare speeds appends to them, and
log_table.py. Of lines of the same row, the last one counts.
--root FOLDER: the project, if it is not that of this file.
"""
import argparse
import collections
import pathlib
import statistics
import sys

from result_log import read, write_tables

ROOT = pathlib.Path(__file__).resolve().parents[1]
MACHINES = {"2 x AMD EPYC": "A", "2 x AMD EPYC, family 26, model 2": "B",
            "2 x Intel(R) Xeon(R) Processor": "C"}  # of bench/RESULTS.md
PLACE = {"date", "commit", "processor"}
TRAINERS = ["dietmt", "dietmt, `--checkpoint-activations`", "PyTorch", "PyTorch, compiled", "fairseq"]


def markdown(columns, rows):
    """The columns are separated as in the table."""
    lines = [f"| {columns} |", "|---" * (columns.count("|") + 1) + "|"]
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows])


def medians(speeds):
    """Medians of the lists of two programs as two cells, and their ratio."""
    ours, theirs = map(statistics.median, speeds)
    return f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:.2f}"


def cells(numbers):
    return ", ".join(f"{number:.0f}" for number in numbers.values())


def decoding_table(lines):
    return markdown(
        "model, weights, search | dietmt | CTranslate2 | ratio | equal lines | memory, MB",
        [(f"{line['model']}, {line['precision']}, {line['search']}",
          *medians((line["dietmt"], line["ctranslate2"])), f"{100 * line['equal']:.1f} %",
          cells(line["peak_mb"])) for line in lines])


def start_up_table(lines):
    return markdown("process | wall time, ms | peak memory, MB",
                    [(line["process"], f"{statistics.median(line['milliseconds']):.0f}",
                      f"{line['peak_mb']:.1f}") for line in lines])


def serving_key(line):
    load = line if line["check"] == "clients" else line["runs"][0]["serve"]
    return line["model"], load["sentences_a_request"], load["clients"], line["check"]


def serving_table(lines):
    loads = collections.defaultdict(dict)  # of a number of sentences and clients, by check
    for line in lines:
        loads[serving_key(line)[1:3]][line["check"]] = line
    return markdown(
        "clients | sentences a request | sentences/s | p50, ms | p99, ms | memory, MiB |"
        " sentences/s relative to `translate`",
        [(clients, sentences, f"{load['clients']['sentences_per_second']:,.0f}",
          *(f"{load['clients'][time]:.1f}" for time in ("p50_ms", "p99_ms")),
          f"{load['clients']['peak_memory_mib']:.0f}",
          f"{statistics.median(run['ratio'] for run in load['throughput']['runs']):.2f}")
         for (sentences, clients), load in sorted(loads.items())])


def trainers_table(lines):
    speeds = {(line["preset"], line["precision"], line["program"]):
              statistics.median(line["tokens_per_second"]) for line in lines}
    rows = []
    for line in sorted(lines, key=lambda line: (line["preset"] != "tiny", line["precision"] != "fp32",
                                                TRAINERS.index(line["program"]))):
        setting = line["preset"], line["precision"]
        ours, speed = (speeds[*setting, program] for program in ("dietmt", line["program"]))
        rows.append((*setting, line["program"], f"{speed:,.0f}",
                     "" if line["program"] == "dietmt" else f"{ours / speed:.2f}",
                     f"{statistics.median(line['processor_seconds_per_million_tokens']):,.0f}",
                     f"{line['memory_mb']:,}" if "memory_mb" in line else ""))
    return markdown("preset | precision | program | tokens/s | dietmt / program |"
                    " CPU s a million tokens | memory, MB", rows)


def bert_table(lines):
    return markdown("task | dietmt | transformers | ratio | memory, MB",
                    [(f"{line['task']}, {line['precision']}",
                      *medians(line["tokens_per_second"].values()), cells(line["memory_mb"]))
                     for line in lines])


def embedding_table(lines):
    return markdown("lines | dietmt | transformers | ratio | largest difference | memory, MB",
                    [(f"{line['lines']:,}", *medians(line["lines_per_second"].values()),
                      f"{line['difference']:.1e}", cells(line["memory_mb"])) for line in lines])


def bergamot_table(lines):
    speeds = [[[line["lines"] / second for second in seconds] for seconds in line["seconds"].values()]
              for line in lines]
    return markdown("run | dietmt | bergamot | ratio | equal lines | memory, MB",
                    [(line["row"], *medians(speed), f"{100 * line['equal_lines']:.1f} %",
                      cells(line["memory_mb"])) for line, speed in zip(lines, speeds)])


def python_table(lines):
    """The table of bench/python_translator.py, whose programs take turns."""
    rows = []
    for line in lines:
        for name, api in (("stream", "`translate(lines)`, a stream"), ("list", "`translate([...])`")):
            ratios = [statistics.median(mine / its for mine, its in zip(line[time][name],
                                                                        line[time]["program"]))
                      for time in ("seconds", "processor_seconds")]
            rows.append((line["model"], api, *(f"{ratio:.2f}" for ratio in ratios)))
    return markdown("model | call | wall time relative to the program | processor time", rows)


def logged_table(lines):
    """The table of log_table.py."""
    columns = [column for column in lines[0] if column not in PLACE]
    return markdown(" | ".join(columns), [[line[column] for column in columns] for line in lines])


def key_of(*names):
    return lambda line: tuple(line[name] for name in names)


TABLES = {  # by name of the log
    "attention": (logged_table, key_of("tokens a sentence", "encoding")),
    "bergamot": (bergamot_table, key_of("row")),
    "bert_trainers": (bert_table, key_of("task", "precision")),
    "cleaning": (logged_table, key_of("program")),
    "decoding": (decoding_table, key_of("model", "precision", "search")),
    "embedding": (embedding_table, key_of("model")),
    "position_cost": (logged_table, key_of("encoding")),
    "python": (python_table, key_of("model")),
    "serving": (serving_table, serving_key),
    "start_up": (start_up_table, key_of("model", "process")),
    "trainers": (trainers_table, key_of("processor", "preset", "precision", "program")),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("command", choices=["table"])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    def made(match):
        table, key = TABLES[match["log"]]
        lines = read(options.root / "bench/log" / f"{match['log']}.jsonl")
        last = {key(line): line for line in lines if not match["part"]
                or match["part"] in (line.get("model"), MACHINES.get(line["processor"]))}
        if not last:
            sys.exit(f"bench/log/{match['log']}.jsonl has no line for {match[0].splitlines()[0]}")
        return table(list(last.values()))

    head = rf"<!-- bench/speed_results.py: (?P<log>{'|'.join(TABLES)})(?:, (?P<part>[^>]+))? -->"
    write_tables(options.root / "bench/RESULTS.md", head, made, "bench/speed_results.py table",
                 options.check)


if __name__ == "__main__":
    main()
