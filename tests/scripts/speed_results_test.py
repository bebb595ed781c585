#!/usr/bin/env python3
"""bench/speed_results.py on made-up logs, and the tables of docs/results.md: speed_results_test.py ROOT"""
import json
import pathlib
import sys
import unittest

from log_scratch import LogScratch, tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
PAGE = "<!-- bench/speed_results.py: decoding -->\n{}<!-- end -->\n<!-- bench/speed_results.py: start_up -->\n{}<!-- end -->\n"
DECODING = """\
| model, weights, search | dietmt | CTranslate2 | ratio | equal lines | memory, MB |
|---|---|---|---|---|---|
| toy, int8, greedy | 2,000 | 1,000 | 2.00 | 94.5 % | 51, 149 |
"""
START_UP = """\
| process | wall time, ms | peak memory, MB |
|---|---|---|
| dietmt, packed int8 | 12 | 16.4 |
"""


class MadeUpLogs(LogScratch):
    script = ROOT / "bench/speed_results.py"
    page_text = PAGE.format("", "")

    def log(self, name, line):
        earlier = line | {"peak_mb": 0}
        (self.root / "bench/log" / f"{name}.jsonl").write_text(
            json.dumps(earlier) + "\n" + json.dumps(line) + "\n")

    def test_rows_are_medians_of_the_rounds(self):
        self.log("decoding", {"model": "toy", "precision": "int8", "search": "greedy",
                              "dietmt": [1900.0, 2000.4, 5000.0], "ctranslate2": [1000.0, 1000.2, 999.0],
                              "equal": 0.945, "peak_mb": {"dietmt": 50.6, "ctranslate2": 149.4}})
        self.log("start_up", {"model": "toy", "process": "dietmt, packed int8", "milliseconds": [11.0, 12.2, 90.0],
                              "peak_mb": 16.4})
        self.assertEqual(self.run_script("table", "--check").returncode, 1)
        self.assertEqual(self.run_script("table").returncode, 0)
        self.assertEqual(self.page.read_text(), PAGE.format(DECODING, START_UP))
        self.assertEqual(self.run_script("table", "--check").returncode, 0)


class Project(unittest.TestCase):
    def test_tables_are_those_of_the_logs(self):
        tables_are_those_of_the_log(self, ROOT / "bench/speed_results.py", "table")


if __name__ == "__main__":
    unittest.main()
