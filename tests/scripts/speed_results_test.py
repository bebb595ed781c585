#!/usr/bin/env python3
"""bench/speed_results.py on made-up logs, and the tables of bench/RESULTS.md: speed_results_test.py ROOT"""
import json
import pathlib
import sys
import unittest

from log_scratch import LogScratch, tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
NAMES = ("decoding", "start_up", "serving, toy", "trainers, A", "bert_trainers", "embedding",
         "bergamot", "position_cost", "python")
PAGE = "".join(f"<!-- bench/speed_results.py: {name} -->\n{{}}<!-- end -->\n" for name in NAMES)
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
TRAINERS = """\
| preset | precision | program | tokens/s | dietmt / program | CPU s a million tokens | memory, MB |
|---|---|---|---|---|---|---|
| tiny | fp32 | dietmt | 3,000 |  | 90 | 1,200 |
| tiny | fp32 | PyTorch | 1,500 | 2.00 | 90 | 1,200 |
| tiny | bf16 | dietmt | 6,000 |  | 90 | 1,200 |
"""
BERT = """\
| task | dietmt | transformers | ratio | memory, MB |
|---|---|---|---|---|
| RTE, fp32 | 200 | 100 | 2.00 | 10, 20 |
"""
EMBEDDING = """\
| lines | dietmt | transformers | ratio | largest difference | memory, MB |
|---|---|---|---|---|---|
| 1,997 | 300 | 200 | 1.50 | 1.7e-06 | 352, 740 |
"""
BERGAMOT = """\
| run | dietmt | bergamot | ratio | equal lines | memory, MB |
|---|---|---|---|---|---|
| 1 thread | 1,000 | 500 | 2.00 | 96.2 % | 84, 218 |
"""
PYTHON = """\
| model | call | wall time relative to the program | processor time |
|---|---|---|---|
| toy | `translate(lines)`, a stream | 1.10 | 0.90 |
| toy | `translate([...])` | 1.00 | 1.00 |
"""
POSITION_COST = """\
| encoding | step / sinusoidal |
|---|---|
| t5 | 1.002 |
"""


KEYS = {"model", "precision", "search", "process", "check", "clients", "sentences_a_request", "runs",
        "preset", "program", "processor", "task", "row"}


class MadeUpLogs(LogScratch):
    script = ROOT / "bench/speed_results.py"
    page_text = PAGE.format(*[""] * len(NAMES))

    def log(self, name, line):
        line = {"model": "toy", "processor": "2 x AMD EPYC"} | line
        earlier = dict.fromkeys(line, 0) | {key: line[key] for key in KEYS if key in line}
        with (self.root / "bench/log" / f"{name}.jsonl").open("a") as file:
            file.write(json.dumps(earlier) + "\n" + json.dumps(line) + "\n")

    def test_rows_are_medians_of_the_rounds(self):
        self.log("decoding", {"precision": "int8", "search": "greedy",
                              "dietmt": [1900.0, 2000.4, 5000.0], "ctranslate2": [1000.0, 1000.2, 999.0],
                              "equal": 0.945, "peak_mb": {"dietmt": 50.6, "ctranslate2": 149.4}})
        self.log("start_up", {"process": "dietmt, packed int8", "milliseconds": [11.0, 12.2, 90.0],
                              "peak_mb": 16.4})
        load = {"clients": 8, "sentences_a_request": 1}
        self.log("serving", {"model": "other", "check": "clients"} | load)
        self.log("serving", load | {"check": "clients", "sentences_per_second": 1500.2, "p50_ms": 5.2,
                                    "p99_ms": 13.0, "peak_memory_mib": 40.1})
        self.log("serving", {"check": "throughput", "runs": [
            {"ratio": ratio, "serve": load} for ratio in (0.5, 0.6, 0.9)]})
        for precision, program, speeds in (("bf16", "dietmt", [6000]), ("fp32", "dietmt", [1, 3000, 3001]),
                                           ("fp32", "PyTorch", [1500])):
            self.log("trainers", {
                "preset": "tiny", "precision": precision, "program": program, "memory_mb": 1200,
                "tokens_per_second": speeds, "processor_seconds_per_million_tokens": [90.0]})
        self.log("trainers", {"preset": "base", "precision": "fp32", "program": "dietmt",
                              "processor": "another"})
        self.log("bert_trainers", {"task": "RTE", "precision": "fp32",
                                   "tokens_per_second": {"dietmt": [200], "transformers": [90, 100, 500]},
                                   "memory_mb": {"dietmt": 10, "transformers": 20}})
        self.log("embedding", {"lines": 1997, "difference": 1.73e-6,
                               "lines_per_second": {"dietmt": [300.1], "transformers": [200.1]},
                               "memory_mb": {"dietmt": 352, "transformers": 740}})
        self.log("bergamot", {"row": "1 thread", "lines": 1000, "equal_lines": 0.962,
                              "seconds": {"dietmt": [1.0], "bergamot": [1.0, 2.0, 9.0]},
                              "memory_mb": {"dietmt": 84, "bergamot": 218}})
        self.log("python", {"seconds": {"program": [1.0, 2.0], "stream": [1.1, 2.2], "list": [1.0, 2.0]},
                            "processor_seconds": {"program": [1.0], "stream": [0.9], "list": [1.0]}})
        with (self.root / "bench/log/position_cost.jsonl").open("w") as file:
            for cost in ("1.500", "1.002"):
                file.write(json.dumps({"encoding": "t5", "step / sinusoidal": cost, "date": "now",
                                       "commit": "c", "processor": "p"}) + "\n")
        self.assertEqual(self.run_script("table", "--check").returncode, 1)
        self.assertEqual(self.run_script("table").returncode, 0)
        self.assertEqual(self.page.read_text(), PAGE.format(
            DECODING, START_UP, SERVING, TRAINERS, BERT, EMBEDDING, BERGAMOT, POSITION_COST, PYTHON))
        self.assertEqual(self.run_script("table", "--check").returncode, 0)


class Project(unittest.TestCase):
    def test_tables_are_those_of_the_logs(self):
        tables_are_those_of_the_log(self, ROOT / "bench/speed_results.py", "table")


if __name__ == "__main__":
    unittest.main()
