"""bench/low_resource_results.py on made-up runs, and its tables of bench/RESULTS.md:
low_resource_results_test.py ROOT"""
import json
import pathlib
import sys
import unittest

from log_scratch import LogScratch, tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
PAGE = """\
<!-- bench/low_resource_results.py: training -->
{}<!-- end -->
<!-- bench/low_resource_results.py: search -->
{}<!-- end -->
"""
TRAINING = """\
| run | seeds | BLEU | chrF2 | validation loss |
|---|---|---|---|---|
| `bpe` | 1, 2 | 31.00 ± 1.41 | 50.00 ± 0.00 | 2.00 ± 0.00 |
"""
SEARCH = """\
| options of `translate` | seeds | BLEU | chrF2 |
|---|---|---|---|
| `--beam 10` | 1 | 33.00 | 50.00 |
"""


class MadeUpRuns(LogScratch):
    script = ROOT / "bench/low_resource_results.py"
    page_text = PAGE.format("", "")

    def add(self, *runs):
        (self.root / "results.jsonl").write_text("".join(json.dumps({
            "table": table, "row": row, "seed": seed, "updates": 10, "batch_tokens": 4096,
            "precision": "bf16", "validation": {"bleu": bleu, "chrf": 50.0, "valid_loss": 2.0}}) + "\n"
            for table, row, seed, bleu in runs))
        return self.run_script("add", self.root)

    def test_tables_have_a_row_for_each_option(self):
        answer = self.add(("training", "bpe", 1, 30.0), ("search", "--beam 10", 1, 33.0),
                          ("training", "bpe", 2, 32.0))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("stale", self.run_script("table", "--check").stderr)
        self.assertEqual(self.run_script("table").returncode, 0)
        self.assertEqual(self.page.read_text(), PAGE.format(TRAINING, SEARCH))
        self.assertIn("has another run of training, bpe, 2", self.add(("training", "bpe", 2, 1.0)).stderr)


class Results(unittest.TestCase):
    def test_the_tables_are_those_of_the_log(self):
        tables_are_those_of_the_log(self, ROOT / "bench/low_resource_results.py", "table")


if __name__ == "__main__":
    unittest.main()
