#!/usr/bin/env python3
"""The papers' claims about position encodings, by the runs in bench/log.

    bench/claims.py table [--check]    # writes that of bench/RESULTS.md

A claim says that one encoding is better than another. It holds if the difference of the means over
the seeds has its sign and the two-sided p of Welch's t-test is below 0.05, does not hold if the sign
is the opposite one, and cannot be told otherwise. --check changes nothing and fails if the table is
stale. --root FOLDER: the project, if it is not that of this file.
"""
import argparse
import math
import pathlib
import statistics
import sys

from result_log import read, write_tables

ROOT = pathlib.Path(__file__).resolve().parents[1]

TRANSLATION, MASKED_WORDS = "translation, BLEU", "masked words, accuracy"
SCORES = {  # log, and the score of a run on validation text
    TRANSLATION: ("encodings.jsonl", lambda run: run["validation"]["bleu"]),
    MASKED_WORDS: ("bert_small.jsonl", lambda run: run["validation"]["mlm_accuracy"]),
}
CLAIMS = [  # claim, score, better, than
    ("Positions in the heads beat positions in the input (Chen)", TRANSLATION, "diet-rel", "learned"),
    ("", TRANSLATION, "diet-abs(share=layers)", "learned"),
    ("", MASKED_WORDS, "diet-rel", "learned"),
    ("", MASKED_WORDS, "diet-abs(rank=32,share=layers)", "learned"),
    ("Sharing hurts DIET-REL (Chen)", TRANSLATION, "diet-rel", "diet-rel(share=layers)"),
    ("", TRANSLATION, "diet-rel", "diet-rel(share=heads)"),
    ("Untied words and positions help (Ke)", MASKED_WORDS, "tupe-r", "learned"),
    ("Relative positions beat sinusoids (Shaw)", TRANSLATION, "shaw(clip=16)", "sinusoidal"),
]


def two_sided_p(t, degrees):
    """That of Student's t, by Simpson's rule."""
    def density(x):
        return (1 + x * x / degrees) ** (-(degrees + 1) / 2)

    steps, end = 20_000, abs(t)
    width = end / steps
    inner = sum(density(i * width) * (1 if i in (0, steps) else 4 if i % 2 else 2) for i in range(steps + 1))
    total = math.sqrt(degrees * math.pi) * math.gamma(degrees / 2) / math.gamma((degrees + 1) / 2)
    return 1 - 2 * inner * width / 3 / total


def welch(a, b):
    """t and its degrees of freedom (Welch 1947)."""
    shares = [statistics.variance(values) / len(values) for values in (a, b)]
    degrees = sum(shares) ** 2 / sum(share ** 2 / (len(values) - 1) for share, values in zip(shares, (a, b)))
    return (statistics.mean(a) - statistics.mean(b)) / math.sqrt(sum(shares)), degrees


def verdict(difference, p):
    if p >= 0.05:
        return "cannot be told"
    return "holds" if difference > 0 else "does not hold"


def table(root):
    rows = ["| claim | score | better | than | seeds | difference | p | here |", "|---" * 8 + "|"]
    for claim, score, better, than in CLAIMS:
        log, value = SCORES[score]
        runs = read(root / "bench/log" / log)
        a, b = ([value(run) for run in runs if run["encoding"] == name] for name in (better, than))
        if min(len(a), len(b)) < 2:
            sys.exit(f"{log}: fewer than two runs of {better} or {than}")
        p, difference = two_sided_p(*welch(a, b)), statistics.mean(a) - statistics.mean(b)
        rows.append(f"| {claim} | {score} | `{better}` | `{than}` | {len(a)}, {len(b)} | {difference:+.2f} "
                    f"| {p:.3f} | {verdict(difference, p)} |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("table").add_argument("--check", action="store_true")
    options = parser.parse_args()
    made = table(options.root)
    write_tables(options.root / "bench/RESULTS.md", "<!-- bench/claims.py -->", lambda _: made,
                 "bench/claims.py table", options.check)


if __name__ == "__main__":
    main()
