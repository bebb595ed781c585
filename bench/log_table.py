#!/usr/bin/env python3
"""Runs a benchmark that prints a Markdown table, and appends a line of JSON to LOG for each row: its
cells by column, the date, the commit and the processor.

    bench/log_table.py LOG COMMAND...
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "recipes"), str(ROOT / "bench/gpu")]
from runs import append_to_log  # noqa: E402
from speed import table_rows  # noqa: E402


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    answer = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True)
    print(answer.stdout, end="")
    rows = list(table_rows(answer.stdout))
    if answer.returncode != 0 or not rows:
        sys.exit(f"log_table.py: {sys.argv[2]} {'failed' if answer.returncode else 'printed no table'}")
    append_to_log(sys.argv[1], *rows)


if __name__ == "__main__":
    main()
