"""bench/multi30k_significance.py on made-up runs."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "multi30k_significance.py"
REFERENCE = [f"the {word} runs over a small green hill ." for word in "dog cat man boy girl".split()] * 8


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True)


class Significance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log.jsonl"
        self.reference = self.folder / "reference.de"
        self.reference.write_text("\n".join(REFERENCE) + "\n")

    def add(self, encoding, seed, translations, bleu):
        run_folder = self.folder / f"{encoding}-{seed}"
        run_folder.mkdir()
        (run_folder / "test2016.de").write_text("\n".join(translations) + "\n")
        (run_folder / "result.json").write_text(json.dumps({
            "text": "tok", "pair": "en-de", "encoding": encoding, "decoder_encoding": encoding,
            "seed": seed, "updates": 1, "precision": "bf16", "commit": "none", "test": {"BLEU": bleu}}))
        return run("add", self.log, self.reference, run_folder)

    def rows(self):
        answer = run("table", self.log, "en-de", "sinusoidal")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        rows = [[cell.strip(" `") for cell in line.strip("|").split("|")]
                for line in answer.stdout.splitlines()[2:]]
        return {row[0]: row[1:] for row in rows}

    def test_a_difference_in_every_second_sentence_is_significant(self):
        # Half of the lines have one wrong word of 9, the first one: 17/18 of the words match, 15/16 of
        # the pairs, 13/14 of three and 11/12 of four words.
        expected = 100 * (17 / 18 * 15 / 16 * 13 / 14 * 11 / 12) ** 0.25
        worse = ["A" + line[3:] if at % 2 else line for at, line in enumerate(REFERENCE)]
        self.assertEqual(self.add("sinusoidal", 1, worse, expected).returncode, 0)
        self.assertEqual(self.add("rope", 1, REFERENCE, 100.0).returncode, 0)
        rows = self.rows()
        self.assertEqual(rows["sinusoidal"], ["93.17", "93.17", "", ""])
        self.assertEqual(rows["rope"][:3], ["100.00", "100.00", "+6.83, seeds 1"])
        self.assertLess(float(rows["rope"][3]), 0.001)

    def test_equal_translations_do_not_differ_and_only_shared_seeds_are_compared(self):
        cased = [line.upper() for line in REFERENCE]  # the case does not count
        for encoding, seed in (("sinusoidal", 1), ("t5", 1), ("t5", 2)):
            self.assertEqual(self.add(encoding, seed, cased, 100.0).returncode, 0)
        self.assertEqual(self.rows()["t5"], ["100.00, 100.00", "100.00 ± 0.00", "+0.00, seeds 1", "1.0000"])

    def test_another_reference_and_missing_lines_are_refused(self):
        answer = self.add("sinusoidal", 1, REFERENCE, 50.0)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("is not its reference", answer.stderr)
        answer = self.add("sinusoidal", 2, REFERENCE[1:], 100.0)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("39 translations for 40 references", answer.stderr)
        self.assertEqual(self.log.read_text(), "")


if __name__ == "__main__":
    unittest.main()
