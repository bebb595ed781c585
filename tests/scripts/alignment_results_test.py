"""bench/alignment_results.py on made-up links, and its table of bench/RESULTS.md:
alignment_results_test.py ROOT"""
import json
import pathlib
import sys
import unittest

from log_scratch import LogScratch, tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
PAGE = "<!-- bench/alignment_results.py -->\n{}<!-- end -->\n"
ALIGNED = ("pieces-forward", "pieces-intersection", "pieces-grow-diag-final-and", "words-forward",
           "words-intersection", "words-grow-diag-final-and")
MODELS = ("plain", "guided-auto", "guided-intersection")


class MadeUpLinks(LogScratch):
    script = ROOT / "bench/alignment_results.py"
    page_text = PAGE.format("")

    def comparison(self, seed, bleu):
        """Links equal to the sure ones, except in one file without any."""
        output = self.root / f"seed-{seed}"
        gold = (ROOT / "bench/alignment/multi30k_val_en_de.links").read_text().splitlines()
        sure = "".join(" ".join(link for link in line.split() if "?" not in link) + "\n" for line in gold)
        for name in ALIGNED + MODELS:
            (self.root / f"seed-{seed}").mkdir(exist_ok=True)
            (output / name).write_text("\n" * len(gold) if name == "plain" else sure)
        for name in MODELS:
            run = output / f"{name}.run"
            run.mkdir()
            (run / "settings.json").write_text(json.dumps({"settings": {
                "position": "sinusoidal", "seed": seed, "batch-tokens": 4096, "accumulate": 1,
                "precision": "fp32"}}))
            entries = [{"kind": "train", "update": 5, "seconds": 1, "tokens_per_second": 9,
                        "peak_memory_mb": 9}, {"kind": "valid", "bleu": bleu}]
            (run / "progress.jsonl").write_text("\n".join(map(json.dumps, entries)) + "\n")
        return self.run_script("add", output)

    def test_a_row_for_each_kind_of_links(self):
        for seed, bleu in ((1, 30.0), (2, 32.0)):
            answer = self.comparison(seed, bleu)
            self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(self.run_script("table").returncode, 0)
        rows = self.page.read_text().splitlines()[3:-1]
        self.assertEqual(len(rows), len(ALIGNED + MODELS))
        self.assertEqual(rows[0], "| `dietmt align --tokenizer`, one direction |  | 0.000 | 1.000 | 1.000 |  |")
        self.assertEqual(rows[6], "| attention of a plain model, mean of the last layer but one | 1, 2 |"
                         " 1.000 ± 0.000 | 0.000 ± 0.000 | 0.000 ± 0.000 | 31.00 ± 1.41 |")


class Results(unittest.TestCase):
    def test_the_table_is_that_of_the_log(self):
        tables_are_those_of_the_log(self, ROOT / "bench/alignment_results.py", "table")


if __name__ == "__main__":
    unittest.main()
