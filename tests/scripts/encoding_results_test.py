"""bench/encoding_results.py on made-up runs, and its table of bench/RESULTS.md.

    encoding_results_test.py ROOT
"""
import json
import pathlib
import sys
import unittest

from log_scratch import LogScratch, tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
PAGE = "<!-- bench/encoding_results.py -->\n{}<!-- end -->\n"
TABLE = """\
| encoding | parameters | seeds | validation BLEU | test BLEU | chrF2 |
|---|---|---|---|---|---|
| `t5/rope` | 2,000 | 1 | 33.00 | 31.00 | 51.00 |
| `sinusoidal` | 1,000 | 1, 2 | 32.00 ± 1.41 | 31.00 ± 0.00 | 51.00 ± 0.00 |
"""


class MadeUpRuns(LogScratch):
    script = ROOT / "bench/encoding_results.py"
    page_text = PAGE.format("")

    def add(self, *runs, updates=10):
        (self.root / "results.jsonl").write_text("".join(json.dumps({
            "encoding": encodings[0], "decoder_encoding": encodings[-1], "seed": seed,
            "pair": "en-de", "text": "raw", "updates": updates, "batch_tokens": 4096,
            "precision": "bf16", "parameters": 1000 * len(encodings), "validation": {"bleu": bleu},
            "test": {"BLEU": 31.0, "chrF2": 51.0}}) + "\n" for encodings, seed, bleu in runs))
        return self.run_script("add", self.root)

    def test_the_best_on_the_validation_text_comes_first(self):
        answer = self.add((["sinusoidal"], 2, 33.0), (["t5", "rope"], 1, 33.0),
                          (["sinusoidal"], 1, 31.0))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("stale", self.run_script("table", "--check").stderr)
        self.assertEqual(self.run_script("table").returncode, 0)
        self.assertEqual(self.page.read_text(), PAGE.format(TABLE))

    def test_a_run_is_added_once_and_others_of_its_kind_are_refused(self):
        for _ in range(2):
            self.assertEqual(self.add((["t5"], 1, 33.0)).returncode, 0)
        self.assertIn("has another run of t5, t5, 1", self.add((["t5"], 1, 34.0)).stderr)
        self.assertIn("updates is 20", self.add((["t5"], 2, 33.0), updates=20).stderr)
        self.assertEqual(len((self.root / "bench/log/encodings.jsonl").read_text().splitlines()), 1)


class Results(unittest.TestCase):
    def test_the_table_is_that_of_the_log(self):
        tables_are_those_of_the_log(self, ROOT / "bench/encoding_results.py", "table")


if __name__ == "__main__":
    unittest.main()
