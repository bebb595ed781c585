"""bench/multi30k_results.py on made-up runs, and the tables of bench/RESULTS.md.

    multi30k_results_test.py ROOT
"""
import json
import pathlib
import sys
import unittest

from log_scratch import LogScratch, tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
REFERENCE = [f"the {word} runs over a small green hill ." for word in "dog cat man boy girl".split()] * 8
PAGE = "before\n<!-- bench/multi30k_results.py: en-de -->\n{}<!-- end -->\nafter\n"


class MadeUpRuns(LogScratch):
    script = ROOT / "bench/multi30k_results.py"
    page_text = PAGE.format("")

    def setUp(self):
        super().setUp()
        self.reference = self.root / "reference.de"
        self.reference.write_text("\n".join(REFERENCE) + "\n")

    def add(self, encoding, seed, translations, bleu, updates=8000):
        run = self.root / f"{encoding}-{seed}"
        run.mkdir(exist_ok=True)
        (run / "test2016.de").write_text("\n".join(translations) + "\n")
        (run / "result.json").write_text(json.dumps({
            "text": "tok", "updates": updates, "batch_tokens": 8192, "precision": "bf16", "pair": "en-de", "encoding": encoding, "decoder_encoding": encoding,
            "seed": seed, "validation": {"bleu": 40 + seed}, "test": {"BLEU": bleu, "chrF2": 60.0}}))
        return self.run_script("add", self.reference, run)

    def rows(self):
        answer = self.run_script("tables")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        before, *table, after, rest = self.page.read_text().splitlines()[1:]
        self.assertEqual((after, rest), ("<!-- end -->", "after"))
        rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table[2:]]
        return {row[0]: row[1:] for row in rows}

    def test_a_difference_in_every_second_sentence_is_significant(self):
        # Half of the lines have one wrong word of 9, the first one: 17/18 of the words match, 15/16 of
        # the pairs, 13/14 of three and 11/12 of four words.
        expected = 100 * (17 / 18 * 15 / 16 * 13 / 14 * 11 / 12) ** 0.25
        worse = ["A" + line[3:] if at % 2 else line for at, line in enumerate(REFERENCE)]
        self.assertEqual(self.add("rope", 1, REFERENCE, 100.0).returncode, 0)
        self.assertEqual(self.add("sinusoidal", 1, worse, expected).returncode, 0)
        rows = self.rows()
        self.assertEqual(list(rows), ["sinusoidal", "rope"])
        self.assertEqual(rows["sinusoidal"], ["1", "41.00", "93.17", "60.00", "", ""])
        self.assertEqual(rows["rope"][:5], ["1", "41.00", "100.00", "60.00", "+6.83"])
        self.assertLess(float(rows["rope"][5]), 0.001)

    def test_equal_translations_do_not_differ(self):
        cased = [line.upper() for line in REFERENCE]  # the case does not count
        for encoding, seed in (("sinusoidal", 1), ("t5", 1), ("t5", 2)):
            self.assertEqual(self.add(encoding, seed, cased, 100.0).returncode, 0)
        self.assertEqual(self.rows()["t5"],
                         ["1, 2", "41.50 ± 0.71", "100.00 ± 0.00", "60.00 ± 0.00", "+0.00", "1.000"])

    def test_what_is_wrong_is_refused_and_changes_nothing(self):
        for seed, translations, bleu, text in ((1, REFERENCE, 50.0, "is not its reference"),
                                               (2, REFERENCE[1:], 100.0, "39 translations for 40")):
            answer = self.add("sinusoidal", seed, translations, bleu)
            self.assertEqual(answer.returncode, 1)
            self.assertIn(text, answer.stderr)
        self.assertEqual(list((self.root / "bench/log").iterdir()), [])
        self.assertEqual(self.add("sinusoidal", 3, REFERENCE, 100.0).returncode, 0)

    def test_a_run_is_added_once_and_another_of_its_encoding_and_seed_is_refused(self):
        self.assertEqual(self.add("sinusoidal", 3, REFERENCE, 100.0).returncode, 0)
        log = (self.root / "bench/log/multi30k.jsonl").read_text()
        self.assertEqual(self.add("sinusoidal", 3, REFERENCE, 100.0).returncode, 0)
        answer = self.add("sinusoidal", 3, REFERENCE[::-1], 1.0)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("has another run", answer.stderr)
        self.assertEqual((self.root / "bench/log/multi30k.jsonl").read_text(), log)

    def test_one_run_is_compared_with_all_sinusoidal_ones(self):
        worse = ["A" + line[3:] if at % 2 else line for at, line in enumerate(REFERENCE)]
        score = 100 * (17 / 18 * 15 / 16 * 13 / 14 * 11 / 12) ** 0.25
        for encoding, seed, bleu in (("rope", 1, 100.0), ("sinusoidal", 1, 100.0),
                                     ("sinusoidal", 2, score), ("sinusoidal", 3, score),
                                     ("t5", 2, score), ("t5", 3, 100.0)):
            translations = REFERENCE if bleu == 100.0 else worse
            self.assertEqual(self.add(encoding, seed, translations, bleu).returncode, 0)
        rows = self.rows()
        *_, difference, p = rows["rope"]
        self.assertEqual(difference, "+4.55")  # 6.83 from two of three
        self.assertLess(float(p), 0.001)  # for these models
        self.assertEqual(rows["t5"][4], "+1.14")  # a half of 6.83 above, two thirds below

    def test_runs_of_other_settings_are_refused(self):
        self.assertEqual(self.add("sinusoidal", 1, REFERENCE, 100.0).returncode, 0)
        answer = self.add("sinusoidal", 2, REFERENCE, 100.0, updates=1500)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("updates is 1500, and in multi30k.jsonl 8000", answer.stderr)

    def test_lengths_become_a_table_of_lines_and_one_of_words(self):
        self.page.write_text(PAGE.replace("en-de", "en-de lengths").format(""))
        for seed, scores in ((1, {"1 line": [40.0, 0.9], "9- words": [30.0, 1.0]}),
                             (2, {"1 line": [42.0, 1.0], "9- words": [31.0, 1.1]})):
            self.assertEqual(self.add("t5", seed, REFERENCE, 100.0).returncode, 0)
            (self.root / f"t5-{seed}/lengths.json").write_text(json.dumps(scores))
        runs = [self.root / "t5-1", self.root / "t5-2"]
        self.assertEqual(self.run_script("lengths", *runs).returncode, 0)
        self.assertEqual(self.run_script("lengths", *runs).returncode, 0)  # once more
        (self.root / "t5-2/lengths.json").write_text(json.dumps({"1 line": [50.0, 1.0]}))
        self.assertIn("has another run", self.run_script("lengths", runs[1]).stderr)
        self.assertEqual(self.run_script("tables").returncode, 0)
        page = self.page.read_text()
        self.assertIn("| encoding | seeds | 1 line |\n|---|---|---|\n| `t5` | 1, 2 | 41.00 ± 1.41 (0.95) |\n\n"
                      "| encoding | seeds | 9- words |\n", page)
        self.assertIn("| `t5` | 1, 2 | 30.50 ± 0.71 (1.05) |\n<!-- end -->", page)

    def test_a_stale_table_is_found(self):
        self.add("sinusoidal", 1, REFERENCE, 100.0)
        answer = self.run_script("tables", "--check")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("stale", answer.stderr)
        self.assertEqual(self.page.read_text(), PAGE.format(""))
        self.rows()
        written = self.page.stat().st_mtime_ns
        self.assertEqual(self.run_script("tables", "--check").returncode, 0)
        self.assertEqual(self.page.stat().st_mtime_ns, written)


class Results(unittest.TestCase):
    def test_the_tables_are_those_of_the_log(self):
        tables_are_those_of_the_log(self, ROOT / "bench/multi30k_results.py", "tables")


unittest.main()
