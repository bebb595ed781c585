#!/usr/bin/env python3
"""bench/speed_results.py on made-up logs, and the tables of docs/results.md: speed_results_test.py ROOT"""
import json
import pathlib
import sys
import unittest

from log_scratch import LogScratch, tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
PAGE = "".join(f"<!-- bench/speed_results.py: {name} -->\n{{}}<!-- end -->\n"
               for name in ("decoding", "start_up", "serving"))
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
SERVING = """\
| clients | sentences a request | sentences/s | p50, ms | p99, ms | memory, MiB | sentences/s relative to `translate` |
|---|---|---|---|---|---|---|
| 8 | 1 | 1,500 | 5.2 | 13.0 | 40 | 0.60 |
"""


class MadeUpLogs(LogScratch):
    script = ROOT / "bench/speed_results.py"
    page_text = PAGE.format("", "", "")

    def log(self, name, line):
        earlier = line | {"peak_mb": 0}
        with (self.root / "bench/log" / f"{name}.jsonl").open("a") as file:
            file.write(json.dumps(earlier) + "\n" + json.dumps(line) + "\n")

    def test_rows_are_medians_of_the_rounds(self):
        self.log("decoding", {"model": "toy", "precision": "int8", "search": "greedy",
                              "dietmt": [1900.0, 2000.4, 5000.0], "ctranslate2": [1000.0, 1000.2, 999.0],
                              "equal": 0.945, "peak_mb": {"dietmt": 50.6, "ctranslate2": 149.4}})
        self.log("start_up", {"model": "toy", "process": "dietmt, packed int8", "milliseconds": [11.0, 12.2, 90.0],
                              "peak_mb": 16.4})
        load = {"clients": 8, "sentences_a_request": 1}
        self.log("serving", load | {"check": "clients", "sentences_per_second": 1500.2, "p50_ms": 5.2,
                                    "p99_ms": 13.0, "peak_memory_mib": 40.1})
        self.log("serving", {"check": "throughput", "runs": [
            {"ratio": ratio, "serve": load} for ratio in (0.5, 0.6, 0.9)]})
        self.assertEqual(self.run_script("table", "--check").returncode, 1)
        self.assertEqual(self.run_script("table").returncode, 0)
        self.assertEqual(self.page.read_text(), PAGE.format(DECODING, START_UP, SERVING))
        self.assertEqual(self.run_script("table", "--check").returncode, 0)


class Project(unittest.TestCase):
    def test_tables_are_those_of_the_logs(self):
        tables_are_those_of_the_log(self, ROOT / "bench/speed_results.py", "table")


if __name__ == "__main__":
    unittest.main()
