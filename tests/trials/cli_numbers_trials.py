#!/usr/bin/env python3
"""Extreme numbers that users gave on the command line (extremes.py): an answer, or a usage error
that names the option, in seconds and 1 GB."""
from extremes import REPORTED, Toys, is_refused, takes_too_much
from trials import build_and_work, report

POINT = 1
LINES = 200


def answered(name, seen):
    """Exit 0; a translation has as many lines as its input, none of them empty."""
    lines = seen.out.splitlines()
    translated = len(lines) == LINES and all(lines)
    return seen.code == 0 and (translated or not name.startswith("translate"))


def main():
    build, work = build_and_work()
    commands = Toys(build / "bin/dietmt", work / "toys").commands()
    for name, values in REPORTED.items():
        many = {"input": work / "toys/lines"} if name.startswith("translate") else {}
        for option, value in values:
            seen = commands[name].run({option: value, **many})
            good = is_refused(seen, option) or answered(name, seen)
            report(POINT, f"{name} --{option} {value}", good and not takes_too_much(seen), seen)


main()
