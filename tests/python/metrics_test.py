"""dietmt.metrics gives the numbers of dietmt evaluate."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import dietmt
from dietmt import metrics
from support import main, pairs, run_dietmt, toy_lines

REFERENCE = [line + " ." for line in toy_lines(80, seed=5)]
SYSTEMS = [[line.replace("dog", "cat") for line in REFERENCE],
           [line.replace("red", "blue ") for line in REFERENCE]]


class MetricsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.files = []
        for name, lines in zip(("reference", "a", "b"), (REFERENCE, *SYSTEMS)):
            self.files.append(str(pathlib.Path(folder.name, name)))
            pathlib.Path(self.files[-1]).write_text("".join(line + "\n" for line in lines))

    def evaluate(self, *flags):
        return json.loads(run_dietmt("evaluate", "--json", "--reference", self.files[0],
                                     "--hypothesis", *self.files[1:], *flags))

    def check(self, scores, *flags):
        for row, score in pairs(self.evaluate(*flags), scores):
            self.assertEqual(row.pop("metric"), score.name)
            self.assertEqual(row.pop("score"), score.score)
            self.assertEqual(row.pop("signature"), score.signature)
            self.assertEqual(row.pop("confidence_mean", None), score.confidence_mean)
            self.assertEqual(row.pop("confidence_half_width", None), score.confidence_half_width)
            self.assertEqual(row.pop("p_value", None), score.p_value)
            self.assertEqual(row.pop("sentence_scores", []), score.sentence_scores)
            row.pop("hypothesis"), row.pop("baseline", None)
            self.assertEqual(row, score.figures)
            self.assertEqual(float(score), score.score)

    def test_bleu(self):
        self.check([metrics.bleu(lines, REFERENCE) for lines in SYSTEMS])
        self.check([metrics.bleu(lines, REFERENCE, tokenize="char", lowercase=True, smooth="floor",
                                 smooth_value=0.2, confidence=True, confidence_samples=50)
                    for lines in SYSTEMS],
                   "--tokenize", "char", "--lowercase", "--smooth", "floor", "--smooth-value", "0.2",
                   "--confidence", "--confidence-samples", "50")

    def test_chrf(self):
        self.check([metrics.chrf(lines, REFERENCE) for lines in SYSTEMS], "--metric", "chrf")
        self.check([metrics.chrf(lines, [REFERENCE], word_order=2, sentence_scores=True)
                    for lines in SYSTEMS], "--metric", "chrf++", "--sentence-level")

    def test_references_may_come_from_an_iterator(self):
        sets = [REFERENCE, SYSTEMS[0]]
        self.assertEqual(metrics.bleu(SYSTEMS[1], iter(sets)).signature,
                         metrics.bleu(SYSTEMS[1], sets).signature)
        self.assertEqual(metrics.bleu(SYSTEMS[1], iter(REFERENCE)).score,
                         metrics.bleu(SYSTEMS[1], REFERENCE).score)

    def test_ter(self):
        self.check([metrics.ter(lines, REFERENCE, normalized=True) for lines in SYSTEMS],
                   "--metric", "ter", "--ter-normalized")

    def test_compare(self):
        self.check(metrics.compare(SYSTEMS, REFERENCE, paired_samples=100),
                   "--paired", "bootstrap", "--paired-samples", "100")
        self.check(metrics.compare(SYSTEMS, REFERENCE, metric="chrf", paired="randomization",
                                   paired_samples=100, seed=3),
                   "--metric", "chrf", "--paired", "randomization", "--paired-samples", "100",
                   "--seed", "3")

    def test_warnings_go_to_standard_error(self):
        code = ("from dietmt import Error, metrics\n"
                "try: metrics.bleu(['a'], ['a'], tokenize='ja-mecab')\n"
                "except Error: print('no MeCab')\n")
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        if "no MeCab" in ended.stdout:
            self.skipTest("MeCab or its Japanese dictionary is not installed")
        self.assertEqual((ended.returncode, ended.stdout), (0, ""), ended.stderr)
        if not ended.stderr:
            self.skipTest("MeCab's dictionary is that of sacreBLEU: nothing to warn of")
        self.assertIn("warning", ended.stderr)

    def test_errors(self):
        with self.assertRaisesRegex(dietmt.InputError, "80"):
            metrics.bleu(["one"], REFERENCE)
        with self.assertRaisesRegex(dietmt.UsageError, "paired"):
            metrics.compare(SYSTEMS[:1], REFERENCE)
        with self.assertRaisesRegex(TypeError, "no option 'tokenise'"):
            metrics.bleu(REFERENCE, REFERENCE, tokenise="13a")
        with self.assertRaisesRegex(TypeError, "smooth_value must be float, not 'x'"):
            metrics.bleu(REFERENCE, REFERENCE, smooth_value="x")
        with self.assertRaisesRegex(TypeError, "metric is an option of compare"):
            metrics.bleu(REFERENCE, REFERENCE, metric="ter")

    def test_one_text_is_no_list_of_lines(self):
        with self.assertRaisesRegex(TypeError, "hypotheses must be several lines"):
            metrics.bleu("the cat", ["the cat"])
        for references in ("the cat", [["the cat"], "the cat"]):
            with self.assertRaisesRegex(TypeError, "references must be several lines"):
                metrics.bleu(["the cat"], references)


if __name__ == "__main__":
    main()
