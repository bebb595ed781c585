#!/usr/bin/env python3
"""The table, results.jsonl and the plot of compare.sh:
compare.py OUTPUT tok|raw SOURCE TARGET DATA ENCODING=RUN..."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from runs import spread  # noqa: E402

WIDTH, ROW, LEFT, RIGHT = 720, 26, 260, 60


def dietmt(*arguments):
    command = [os.environ["DIETMT"], *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class TestSet:
    """The reference, and how the text is scored."""

    def __init__(self, form, target, data):
        path = pathlib.Path(data) / f"test_2016_flickr{'.lc.norm.tok' if form == 'tok' else ''}.{target}"
        self.reference = path if path.exists() else f"{path}.gz"
        self.target = target
        self.options = ["--tokenize", "none", "--lowercase"] if form == "tok" else []

    def p_value(self, run, other):
        """p-value of the difference of BLEU, by approximate randomization."""
        scores = json.loads(dietmt(
            "evaluate", "--reference", self.reference, "--hypothesis", self.translation(run),
            self.translation(other), "--paired", "randomization", "--json", *self.options))
        return scores[-1]["p_value"]

    def translation(self, run):
        return run / f"test2016.{self.target}"


def read_runs(pairs):
    """The finished runs of each encoding, in the order of the arguments."""
    encodings = {}
    for encoding, folder in pairs:
        run = pathlib.Path(folder)
        encodings.setdefault(encoding, []).append((run, json.loads((run / "result.json").read_text())))
    return encodings


def summary(encoding, runs, first, test_set):
    listing = dietmt("inspect", "params", "--model", runs[0][0] / "last")
    parameters = int(re.search(r"^total\s+([0-9,]+)", listing, re.M)[1].replace(",", ""))
    folders = [run for run, _ in runs]
    results = [result for _, result in runs]
    return {
        "encoding": encoding,
        "parameters": parameters,
        "results": [result | {"parameters": parameters} for result in results],
        "valid": [result["validation"]["bleu"] for result in results],
        "test": [result["test"]["BLEU"] for result in results],
        "chrf": [result["test"]["chrF2"] for result in results],
        "p": [f"{test_set.p_value(*pair):.3f}" for pair in zip(first, folders) if folders != first],
        "speed": statistics.median(result["tokens_per_second"] for result in results),
        "memory": max(result["memory_mb"] for result in results),
    }


def print_table(rows):
    print("| encoding | parameters | validation BLEU | test BLEU | test chrF2 | p | tokens/s | memory, MB |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(f"| `{row['encoding']}` | {row['parameters']:,} | {spread(row['valid'])} |"
              f" {spread(row['test'])} | {spread(row['chrf'])} | {', '.join(row['p'])} |"
              f" {row['speed']:,.0f} |"
              f" {row['memory']:,.0f} |")


def svg(rows, title):
    """A row for each encoding: a bar of the test's BLEU and a tick at the validation's."""
    height = ROW * (len(rows) + 2)
    means = [(statistics.mean(row["test"]), statistics.mean(row["valid"])) for row in rows]
    scale = (WIDTH - LEFT - RIGHT) / max(1.0, *map(max, means))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        ' font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="12" y="18">{title}, BLEU on test_2016_flickr; line: validation</text>',
    ]
    for index, (row, (test, valid)) in enumerate(zip(rows, means), start=1):
        y = ROW * index
        bar, tick = scale * test, LEFT + scale * valid
        parts += [
            f'<text x="{LEFT - 8}" y="{y + 17}" text-anchor="end">{row["encoding"]}</text>',
            f'<rect x="{LEFT}" y="{y + 4}" width="{bar:.1f}" height="{ROW - 8}" fill="#4a7fb5"/>',
            f'<path d="M{tick:.1f} {y + 1}v{ROW - 2}" stroke="#222" stroke-width="2"/>',
            f'<text x="{max(LEFT + bar, tick) + 6:.1f}" y="{y + 17}">{test:.2f}</text>',
        ]
    return "\n".join(parts + ["</svg>", ""])


def main():
    output = pathlib.Path(sys.argv[1])
    form, source, target, data = sys.argv[2:6]
    encodings = read_runs(argument.rsplit("=", 1) for argument in sys.argv[6:])
    test_set = TestSet(form, target, data)
    first = [run for run, _ in next(iter(encodings.values()))]
    rows = [summary(encoding, runs, first, test_set) for encoding, runs in encodings.items()]
    lines = [json.dumps(result) + "\n" for row in rows for result in row["results"]]
    (output / "results.jsonl").write_text("".join(lines))
    rows.sort(key=lambda row: -statistics.mean(row["test"]))
    print_table(rows)
    (output / "compare.svg").write_text(svg(rows, f"Multi30k {source.upper()}-{target.upper()}"))


main()
