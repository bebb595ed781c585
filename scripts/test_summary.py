#!/usr/bin/env python3
"""Sums up what CTest ran, from its JUnit reports.

    test_summary.py REPORT.xml...

Prints the skipped cases by reason, the failed ones by name, and a last line with the counts. A
GoogleTest program counts by its cases, any other test as one. The exit code is 1 if something failed.
"""
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree

OUTCOME = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (.+?)(?:, where .*)? \(\d+ ms\)$")
SKIPPED_AT = re.compile(r"^\S+:\d+: Skipped$")
COUNTED = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}


def cases_of(test, output):
    """(case, outcome, reason) of every GoogleTest case in the output."""
    reason = []
    inside = False
    for line in output.splitlines():
        if outcome := OUTCOME.match(line):
            yield f"{test}: {outcome[2]}", COUNTED[outcome[1]], " ".join(reason)
        if line.startswith("["):
            reason, inside = [], False
        elif SKIPPED_AT.match(line):
            reason, inside = [], True
        elif inside and line.strip():
            reason.append(line.strip())


def results_of(element):
    """(name, outcome, reason) of one test of a report: its cases, or the test itself."""
    name = element.get("name")
    output = element.findtext("system-out") or ""
    cases = list(cases_of(name, output))
    skipped = element.find("skipped")
    if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        lines = [line for line in output.splitlines() if line.strip()] or [""]
        return cases or [(name, "skipped", lines[-1].removeprefix("skipped: "))]
    if element.get("status") == "run":
        return cases or [(name, "passed", "")]
    if not any(outcome == "failed" for _, outcome, _ in cases):
        cases.append((name, "failed", ""))  # not built, a crash, a time-out, or not GoogleTest
    return cases


def print_skipped(skipped):
    by_reason = collections.defaultdict(list)
    for name, reason in skipped:
        by_reason[reason or "no reason given"].append(name)
    print("Skipped:")
    for reason, names in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
        tests = sorted({name.split(":")[0] for name in names})
        print(f"{len(names):6}  {reason} ({', '.join(tests)})")


def main(reports):
    results = []
    for report in reports:
        for element in ElementTree.parse(report).getroot().iter("testcase"):
            results += results_of(element)
    count = collections.Counter(outcome for _, outcome, _ in results)
    print()
    if count["skipped"]:
        print_skipped([(name, why) for name, outcome, why in results if outcome == "skipped"])
    if count["failed"]:
        print("Failed:")
        for name in sorted(name for name, outcome, _ in results if outcome == "failed"):
            print(f"        {name}")
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
