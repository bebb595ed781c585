#!/usr/bin/env python3
"""The table and the plot of compare.sh: compare.py PLOT.svg ENCODING=RUN..."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

WIDTH, ROW, LEFT, RIGHT = 720, 26, 260, 60


def read_run(encoding, folder):
    entries = [json.loads(line) for line in (folder / "progress.jsonl").open()]
    train = [entry for entry in entries if entry["kind"] == "train"]
    valid = [entry for entry in entries if entry["kind"] == "valid"]
    listing = subprocess.run(
        [os.environ["DIETMT"], "inspect", "params", "--model", str(folder / "last")],
        check=True, capture_output=True, text=True,
    ).stdout
    return {
        "encoding": encoding,
        "valid": valid[-1]["bleu"],
        "test": float(re.search(r"BLEU = ([0-9.]+)", (folder / "test.txt").read_text())[1]),
        "parameters": int(re.search(r"^total\s+([0-9,]+)", listing, re.M)[1].replace(",", "")),
        "speed": statistics.median(entry["tokens_per_second"] for entry in train),
        "memory": max(entry["peak_memory_mb"] for entry in train),
    }


def print_table(runs):
    print("| encoding | parameters | validation BLEU | test BLEU | tokens/s | memory, MB |")
    print("|---|---|---|---|---|---|")
    for run in runs:
        print(
            f"| `{run['encoding']}` | {run['parameters']:,} | {run['valid']:.2f} |"
            f" {run['test']:.2f} | {run['speed']:,.0f} | {run['memory']:,.0f} |"
        )


def svg(runs):
    """A row for each encoding: a bar of the test's BLEU and a tick at the validation's."""
    height = ROW * (len(runs) + 2)
    scale = (WIDTH - LEFT - RIGHT) / max(1.0, *(max(r["valid"], r["test"]) for r in runs))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        ' font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        '<text x="12" y="18">Multi30k EN-DE, BLEU on test_2016_flickr; line: validation</text>',
    ]
    for row, run in enumerate(runs, start=1):
        y = ROW * row
        bar, tick = scale * run["test"], LEFT + scale * run["valid"]
        parts += [
            f'<text x="{LEFT - 8}" y="{y + 17}" text-anchor="end">{run["encoding"]}</text>',
            f'<rect x="{LEFT}" y="{y + 4}" width="{bar:.1f}" height="{ROW - 8}" fill="#4a7fb5"/>',
            f'<path d="M{tick:.1f} {y + 1}v{ROW - 2}" stroke="#222" stroke-width="2"/>',
            f'<text x="{max(LEFT + bar, tick) + 6:.1f}" y="{y + 17}">{run["test"]:.2f}</text>',
        ]
    return "\n".join(parts + ["</svg>", ""])


def main():
    plot = pathlib.Path(sys.argv[1])
    pairs = [argument.rsplit("=", 1) for argument in sys.argv[2:]]
    runs = [read_run(encoding, pathlib.Path(folder)) for encoding, folder in pairs]
    runs.sort(key=lambda run: -run["test"])
    print_table(runs)
    plot.write_text(svg(runs))


main()
