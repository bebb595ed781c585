#!/usr/bin/env python3
"""Tests scripts/test_summary.py on a report that this file writes.

    test_summary_test.py ROOT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)) / "scripts/test_summary.py"

GTEST = """[ RUN      ] Bleu.Smoothing
[       OK ] Bleu.Smoothing (0 ms)
[ RUN      ] Parity.Wmt/0
tests/metrics/wmt_test.cpp:22: Skipped
no data of WMT

[  SKIPPED ] Parity.Wmt/0, where GetParam() = "en-de" (1 ms)
[ RUN      ] Parity.Wmt/1
tests/metrics/wmt_test.cpp:22: Skipped
no data of WMT

[  SKIPPED ] Parity.Wmt/1 (1 ms)
[  SKIPPED ] 2 tests, listed below:
[  SKIPPED ] Parity.Wmt/0
"""


def case(name, status, output, skipped=None):
    reason = f'<skipped message="{skipped}"/>' if skipped else ""
    return (f'<testcase name="{name}" status="{status}">{reason}'
            f"<system-out>{output}</system-out></testcase>")


class SummaryTest(unittest.TestCase):
    def summary(self, *cases):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as report:
            report.write("<testsuite>" + "".join(cases) + "</testsuite>")
            report.flush()
            run = subprocess.run([sys.executable, SCRIPT, report.name],
                                 capture_output=True, text=True, check=False)
        return run.returncode, run.stdout.strip().splitlines()

    def test_counts_cases_and_groups_reasons(self):
        code, lines = self.summary(case("metrics_tests", "run", GTEST), case("cli_train", "run", "ok"))
        self.assertEqual(code, 0)
        self.assertEqual(lines, ["Skipped:", "     2  no data of WMT (metrics_tests)",
                                 "2 passed, 0 failed, 2 skipped"])

    def test_scripts_that_are_skipped_give_a_reason(self):
        code, lines = self.summary(case(
            "cli_serve", "notrun", "skipped: there is no curl", "SKIP_RETURN_CODE=77"))
        self.assertEqual(code, 0)
        self.assertEqual(lines[1:], ["     1  there is no curl (cli_serve)",
                                     "0 passed, 0 failed, 1 skipped"])

    def test_failed_cases_are_named(self):
        output = "[  FAILED  ] Ter.Shifts (3 ms)\n[  FAILED  ] Ter.Shifts\n"
        code, lines = self.summary(case("metrics_tests", "fail", output))
        self.assertEqual(code, 1)
        self.assertEqual(lines, ["Failed:", "        metrics_tests: Ter.Shifts",
                                 "0 passed, 1 failed, 0 skipped"])

    def test_a_crash_is_a_failure(self):
        output = "[       OK ] Ter.Shifts (3 ms)\n[ RUN      ] Ter.Edits\n"
        code, lines = self.summary(case("metrics_tests", "fail", output))
        self.assertEqual(code, 1)
        self.assertEqual(lines[-1], "1 passed, 1 failed, 0 skipped")

    def test_a_test_that_was_not_built_is_a_failure(self):
        code, lines = self.summary(case(
            "metrics_tests", "notrun", "Unable to find executable: x", "Unable to find executable"))
        self.assertEqual(code, 1)
        self.assertEqual(lines[-1], "0 passed, 1 failed, 0 skipped")


if __name__ == "__main__":
    unittest.main()
