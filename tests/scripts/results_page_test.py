"""The figures in the tables of docs/results.md and README.md are those of bench/RESULTS.md:
results_page_test.py ROOT

The pages for users quote tables that scripts make from logs. When a table
changes, this test names quoted figures that no longer exist.
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
FIGURE = re.compile(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d+\.\d+|\d{3,})(?![\w,]*\d)")


def figures(text):
    """Numbers with a decimal point or at least three digits in the rows of tables."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("|") and not line.startswith("|---"):
            for figure in FIGURE.findall(re.sub(r"\]\([^)]*\)|`[^`]*`", "", line)):
                yield number, figure


def is_known(figure, known):
    """Also accepts a figure rounded from more digits: 3.6 for 3.59."""
    if figure in known:
        return True
    digits = len(figure.partition(".")[2])
    return "." in figure and any(
        f"{float(other):.{digits}f}" == figure for other in known if re.fullmatch(r"\d+\.\d+", other))


class ResultsPage(unittest.TestCase):
    def test_every_figure_stands_in_the_benchmarks(self):
        sources = [ROOT / "bench/RESULTS.md", ROOT / "docs/gpu.md"]
        known = set(FIGURE.findall("\n".join(source.read_text() for source in sources)))
        for page in ("docs/results.md", "README.md"):
            found = list(figures((ROOT / page).read_text()))
            self.assertGreater(len(found), 5, page)
            for number, figure in found:
                self.assertTrue(is_known(figure, known),
                                f"{page}:{number}: {figure} is not in bench/RESULTS.md")

    def test_a_stale_figure_is_found(self):
        self.assertEqual(list(figures("| `tiny`, 3 seeds | 40.96 ± 0.26 | 1,144 |\n|---|\n")),
                         [(1, "40.96"), (1, "0.26"), (1, "1,144")])
        self.assertTrue(is_known("3.6", {"3.59"}))
        self.assertFalse(is_known("3.6", {"3.49", "36"}))


if __name__ == "__main__":
    unittest.main()
