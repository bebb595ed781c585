"""bench/bert_results.py on made-up runs: bert_results_test.py ROOT"""
import json
import pathlib
import sys
import unittest

from log_scratch import LogScratch, tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
PAGE = "before\n<!-- bench/bert_results.py -->\n{}<!-- end -->\nafter\n"
TABLE = """\
| encoding | seeds | MLM loss | accuracy, % | MRPC, accuracy / f1 | RTE, accuracy |
|---|---|---|---|---|---|
| `t5` | 1, 2 | 4.10 ± 0.14 | 30.00 ± 0.00 | 71.5 ± 1.4 / 80.0 ± 0.0 | 55.0 ± 0.0 |
| `learned` | 1 | 5.00 | 30.00 | 70.5 / 80.0 | 55.0 |
"""


class MadeUpRuns(LogScratch):
    script = ROOT / "bench/bert_results.py"
    page_text = PAGE.format("")

    def add(self, encoding, seed, loss, accuracies, updates=10):
        run = self.root / f"{encoding}-{seed}"
        run.mkdir(exist_ok=True)
        (run / "result.json").write_text(json.dumps({
            "encoding": encoding, "seed": seed, "updates": updates, "batch_tokens": 4096,
            "precision": "bf16", "validation": {"valid_loss": loss, "mlm_accuracy": 30.0},
            "tasks": {"MRPC": {"learning_rate": 1e-4,
                               "scores": {"accuracy": accuracies, "f1": [80.0, 80.0]}},
                      "RTE": {"learning_rate": 1e-4, "scores": {"accuracy": [55.0, 55.0]}}}}))
        return self.run_script("add", run)

    def test_seeds_of_both_trainings_count(self):
        for run in (("t5", 2, 4.2, [72.0, 73.0]), ("learned", 1, 5.0, [70.0, 71.0]),
                    ("t5", 1, 4.0, [70.0, 71.0])):
            self.assertEqual(self.add(*run).returncode, 0)
        self.assertEqual(self.run_script("table", "--check").returncode, 1)
        self.assertEqual(self.page.read_text(), PAGE.format(""))
        self.assertEqual(self.run_script("table").returncode, 0)
        rows = self.page.read_text()
        self.assertEqual(sorted(rows.splitlines()), sorted(PAGE.format(TABLE).splitlines()))
        self.assertEqual(self.run_script("table", "--check").returncode, 0)

    def test_a_page_without_a_place_for_the_table_is_refused(self):
        self.assertEqual(self.add("t5", 1, 4.0, [70.0, 71.0]).returncode, 0)
        self.page.write_text("before\nafter\n")
        answer = self.run_script("table", "--check")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("no line is the head of a table", answer.stderr)

    def test_a_run_is_added_once_and_others_of_its_kind_are_refused(self):
        for _ in range(2):
            self.assertEqual(self.add("t5", 1, 4.0, [70.0, 71.0]).returncode, 0)
        self.assertIn("has another run of t5, 1", self.add("t5", 1, 4.5, [70.0, 71.0]).stderr)
        self.assertIn("updates is 20", self.add("t5", 2, 4.0, [70.0, 71.0], updates=20).stderr)
        log = (self.root / "bench/log/bert_small.jsonl").read_text()
        self.assertEqual(len(log.splitlines()), 1)


class Results(unittest.TestCase):
    def test_the_table_is_that_of_the_log(self):
        tables_are_those_of_the_log(self, ROOT / "bench/bert_results.py", "table")


if __name__ == "__main__":
    unittest.main()
