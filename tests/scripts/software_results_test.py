"""bench/software_results.py on made-up results, and the tables of bench/RESULTS.md.

    software_results_test.py ROOT
"""
import json
import pathlib
import sys
import unittest

from log_scratch import LogScratch, tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
HEAD = "<!-- bench/software_results.py: {} -->\n"
PAGE = f"{HEAD.format('en-de')}{{}}<!-- end -->\n{HEAD.format('de-en')}{{}}<!-- end -->\n"
TABLE = """\
| system | training, hours | validation BLEU | chrF2 | test BLEU | chrF2 | MB | start, s | lines/s | CPU s | memory, MB |
|---|---|---|---|---|---|---|---|---|---|---|
| `small` | 0.50 | 20.00 | 50.00 | {} | 51.00 | 12.3 | 0.20 | 1,234 | 8.3 | 46 |
| ensemble | 1.25 | 20.00 | 50.00 | {} | 51.00 | 12.3 | 0.20 | 1,234 | 8.3 | 46 |
"""


class MadeUpResults(LogScratch):
    script = ROOT / "bench/software_results.py"
    page_text = PAGE.format("", "")

    def add(self, pair, test_bleu, rounds=3):
        output = self.root / pair
        (output / "evaluated").mkdir(parents=True, exist_ok=True)
        (output / "evaluated/results.jsonl").write_text("".join(json.dumps({
            "system": system, "pair": pair, "rounds": rounds,
            "trainings": [{"hours": part} for part in hours],
            "validation": {"BLEU": 20.0, "chrF2": 50.0}, "test": {"BLEU": test_bleu, "chrF2": 51.0},
            "megabytes": 12.345, "start_seconds": [0.1, 0.2, 0.9], "lines_per_second": 1234.4,
            "processor_seconds": 8.251, "memory_mb": 45.6}) + "\n"
            for system, hours in (("`small`", [0.5]), ("ensemble", [0.5, 0.75]))))
        return self.run_script("add", output)

    def test_each_direction_gets_its_table(self):
        for pair, bleu in (("de-en", 32.0), ("en-de", 30.0)):
            self.assertEqual(self.add(pair, bleu).returncode, 0)
        self.assertIn("stale", self.run_script("table", "--check").stderr)
        answer = self.run_script("table")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        tables = [TABLE.format(bleu, bleu) for bleu in ("30.00", "32.00")]
        self.assertEqual(self.page.read_text(), PAGE.format(*tables))
        self.assertEqual(self.run_script("table", "--check").returncode, 0)

    def test_a_direction_is_added_once_and_others_of_its_kind_are_refused(self):
        for _ in range(2):
            self.assertEqual(self.add("en-de", 30.0).returncode, 0)
        self.assertIn("has another run of en-de, `small`", self.add("en-de", 31.0).stderr)
        self.assertIn("rounds is 2", self.add("de-en", 30.0, rounds=2).stderr)
        self.assertEqual(len((self.root / "bench/log/software.jsonl").read_text().splitlines()), 2)


class Results(unittest.TestCase):
    def test_the_tables_are_those_of_the_log(self):
        tables_are_those_of_the_log(self, ROOT / "bench/software_results.py", "table")


if __name__ == "__main__":
    unittest.main()
