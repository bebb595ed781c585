#!/usr/bin/env python3
"""Speed of `dietmt clean` and of OpusFilter with the same rules on the same text.

    compare_opusfilter.py --dietmt build/bin/dietmt --opusfilter VENV/bin/opusfilter \
        --source FILE --target FILE [--repeat 1]

Both read one file of rules, OpusFilter's. Prints pairs a second of wall time and of CPU time, the
pairs that each keeps, and those that only one of them keeps, without white space at the ends of
lines, which OpusFilter removes. dietmt runs with one thread, then with all cores. --repeat N gives
dietmt the text N times over, since it takes less than a second otherwise. For bench/log_table.py.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import tempfile
import time

RULES = """
common: {{output_directory: {folder}}}
steps:
  - type: filter
    parameters:
      inputs: [{source}, {target}]
      outputs: [filtered.source, filtered.target]
      filters:
        - LengthFilter: {{unit: word, min_length: 1, max_length: 250}}
        - LengthRatioFilter: {{unit: char, threshold: 3}}
        - LongWordFilter: {{threshold: 40}}
        - AlphabetRatioFilter: {{threshold: 0.5}}
        - CharacterScoreFilter: {{scripts: [Latin, Latin], thresholds: [0.9, 0.9]}}
        - HtmlTagFilter: {{}}
        - RepetitionFilter: {{}}
        - NonZeroNumeralsFilter: {{threshold: 0.5}}
        - TerminalPunctuationFilter: {{}}
  - type: remove_duplicates
    parameters: {{inputs: [filtered.source, filtered.target], outputs: [kept.source, kept.target]}}
"""


def seconds(command):
    """Wall time and CPU time of a command."""
    start, before = time.perf_counter(), os.times()
    answer = subprocess.run(command, capture_output=True)
    if answer.returncode != 0:
        raise SystemExit(f"{command[0]} failed: {answer.stderr.decode()[-1000:]}")
    after = os.times()
    return (time.perf_counter() - start, after.children_user + after.children_system
            - before.children_user - before.children_system)


def pairs_of(folder):
    sides = [(folder / f"kept.{side}").read_text().split("\n") for side in ("source", "target")]
    return collections.Counter((source.strip(), target.strip()) for source, target in zip(*sides))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("dietmt", "opusfilter", "source", "target"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        rules = folder / "rules.yaml"
        inputs = {name: getattr(options, name).resolve() for name in ("source", "target")}
        rules.write_text(RULES.format(folder=folder, **inputs))
        lines = inputs["source"].read_bytes().count(b"\n")
        rows = []
        wall, cpu = seconds([options.opusfilter, "--overwrite", rules])
        theirs = pairs_of(folder)
        rows.append(("OpusFilter", lines, wall, cpu, theirs))
        many = {}
        for name, file in inputs.items():
            many[name] = folder / f"many.{name}"
            many[name].write_bytes(file.read_bytes() * options.repeat)
        for threads in (1, os.cpu_count()):
            clean = [options.dietmt, "clean", "--rules", rules, "--threads", str(threads),
                     "--output", folder / "kept.source", folder / "kept.target", "--input"]
            wall, cpu = seconds([*clean, many["source"], "--input", many["target"]])
            name = f"dietmt, {threads} thread" + "s" * (threads > 1)
            rows.append((name, lines * options.repeat, wall, cpu, pairs_of(folder)))
    print("| program | pairs | pairs/s | pairs/s of CPU time | kept | only this one keeps |")
    print("|---|---|---|---|---|---|")
    for program, pairs, wall, cpu, kept in rows:
        other = theirs if program != "OpusFilter" else rows[1][4]
        print(f"| {program} | {pairs:,} | {pairs / wall:,.0f} | {pairs / cpu:,.0f} "
              f"| {sum(kept.values()):,} | {sum((kept - other).values()):,} |")


if __name__ == "__main__":
    main()
