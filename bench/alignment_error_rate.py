#!/usr/bin/env python3
"""Alignment error rate of word alignments (Och and Ney 2003, "A Systematic Comparison of Various
Statistical Alignment Models", section 5).

    alignment_error_rate.py GOLD ALIGNMENTS...

Each file has one sentence pair a line: pairs SOURCE-TARGET, from 0, separated by spaces. In GOLD,
SOURCE-TARGET is a sure link and SOURCE?TARGET a possible one. Of a line with ` ||| `, as
`dietmt translate --alignment hard` writes it, only the last field counts. Prints, for each file,

    AER = 1 - (|A & S| + |A & P|) / (|A| + |S|)

with P holding S, and the precision |A & P| / |A| and recall |A & S| / |S|.
"""

import re
import sys


def links(line, where):
    """The sure links of a line, and all of them."""
    sure, possible = set(), set()
    for word in line.rsplit(" ||| ", 1)[-1].split():
        found = re.fullmatch(r"(\d+)([-?])(\d+)", word)
        if not found:
            sys.exit(f"{where}: '{word}' is no link such as 3-7 or 3?7")
        link = int(found[1]), int(found[3])
        possible.add(link)
        if found[2] == "-":
            sure.add(link)
    return sure, possible


def read(path):
    with open(path, encoding="utf-8") as file:
        return [links(line, f"{path}:{n}") for n, line in enumerate(file, 1)]


def scores(gold, given):
    """AER, precision and recall."""
    sure = sum(len(s) for s, _ in gold)
    found = sum(len(a) for _, a in given)
    in_sure = sum(len(a & s) for (s, _), (_, a) in zip(gold, given))
    in_possible = sum(len(a & p) for (_, p), (_, a) in zip(gold, given))
    if sure + found == 0:
        return 0.0, 1.0, 1.0
    return (
        1 - (in_sure + in_possible) / (sure + found),
        in_possible / max(found, 1),
        in_sure / max(sure, 1),
    )


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gold = read(sys.argv[1])
    for path in sys.argv[2:]:
        given = read(path)
        if len(given) != len(gold):
            sys.exit(f"{path}: {len(given)} lines; {sys.argv[1]} has {len(gold)}")
        error, precision, recall = scores(gold, given)
        print(f"{path}: AER {error:.4f}, precision {precision:.4f}, recall {recall:.4f}")


if __name__ == "__main__":
    main()
