#!/usr/bin/env python3
"""Tests scripts/charts: charts_test.py ROOT     (ROOT: the repository)"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
RESULTS = (ROOT / "bench/RESULTS.md").read_text()
CHARTS = {name: (ROOT / "docs" / name).read_text() for name in ("encodings.svg", "speed.svg")}


def draw(results, *options):
    """The finished process and its charts, from a tree with only these results."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("docs", "bench"):
            (pathlib.Path(folder) / name).mkdir()
        (pathlib.Path(folder) / "bench/RESULTS.md").write_text(results)
        process = subprocess.run([sys.executable, ROOT / "scripts/charts", *options, folder],
                                 capture_output=True, text=True)
        return process, {path.name: path.read_text() for path in pathlib.Path(folder).glob("docs/*.svg")}


def luminance(colour):
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """WCAG 2.1's contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


class ChartsTest(unittest.TestCase):
    def test_charts_are_those_of_the_results(self):
        process = subprocess.run([sys.executable, ROOT / "scripts/charts", "--check", ROOT],
                                 capture_output=True, text=True)
        self.assertEqual((process.returncode, process.stderr), (0, ""))

    def test_a_changed_figure_makes_a_chart_stale(self):
        process, _ = draw(RESULTS, "--check")
        self.assertEqual(process.returncode, 1)
        self.assertIn("docs/speed.svg is stale: run scripts/charts", process.stderr)
        changed = re.sub(r"^(\| `t5` \|.*?\|.*?\|) [0-9.]+", r"\1 42.50", RESULTS, count=1, flags=re.M)
        _, drawn = draw(changed)
        self.assertNotEqual(drawn["encodings.svg"], CHARTS["encodings.svg"])
        self.assertEqual(drawn["speed.svg"], CHARTS["speed.svg"])

    def test_every_bar_is_as_long_as_its_ratio(self):
        bars = re.findall(r'<rect class="blue".* width="([0-9.]+)" height="13".*/>\n<text[^>]*>([0-9.]+)<',
                          CHARTS["speed.svg"])
        self.assertEqual(len(bars), 12)
        for width, ratio in bars:
            self.assertAlmostEqual(float(width) / float(ratio), float(bars[0][0]) / float(bars[0][1]), delta=0.1)

    def test_every_mean_lies_in_its_place_with_the_deviation_around_it(self):
        marks = [(int(mark), float(x)) for x, mark in re.findall(
            r'<text class="note" x="([0-9.]+)" y="430"[^>]*>([0-9]+)<', CHARTS["encodings.svg"])]
        (low, start), (high, end) = marks[0], marks[-1]
        means = re.findall(r'(?:<path class="line" d="M([0-9.]+) [0-9.]+H([0-9.]+)"/>\n)?<text[^>]*>([^<]*)<.*\n'
                           r'<circle class="(\w+)" cx="([0-9.]+)".*\n<text[^>]*>([0-9.]+)<', CHARTS["encodings.svg"])
        self.assertEqual(len(means), 7)
        for left, right, name, kind, x, mean in means:
            place = start + (float(mean) - low) / (high - low) * (end - start)
            self.assertAlmostEqual(float(x), place, delta=0.2, msg=name)
            self.assertEqual(kind == "ring", not left, name)
            if left:
                self.assertAlmostEqual((float(left) + float(right)) / 2, place, delta=0.4, msg=name)

    def test_the_readme_has_the_ranges_of_the_bars(self):
        bars = re.findall(r'font-size="11"[^>]*>(?:tiny|small|base), (fp32|bf16|int8)<.*\n<rect.*\n<text[^>]*>([0-9.]+)<',
                          CHARTS["speed.svg"])
        training, decoding = bars[:4], bars[4:]
        self.assertEqual([len(training), len(decoding)], [4, 4])
        readme = (ROOT / "README.md").read_text()
        for sentence, rows, precision in (
                ("{} times as fast in fp32, ", training, "fp32"), ("in fp32, {} in bf16]", training, "bf16"),
                ("{} times as fast in fp32, ", decoding, "fp32"), ("in fp32, {} in int8]", decoding, "int8")):
            ratios = [float(ratio) for of, ratio in rows if of == precision]
            self.assertIn(sentence.format(f"{min(ratios):.1f} to {max(ratios):.1f}"), readme)

    def test_a_missing_table_is_named(self):
        process, _ = draw(RESULTS.replace("## Training speed", "## Speed"))
        self.assertEqual(process.returncode, 1)
        self.assertIn("no heading 'Training speed'", process.stderr)
        self.assertNotIn("Traceback", process.stderr)

    def test_readable_on_light_and_on_dark(self):
        for name, chart in CHARTS.items():
            light, dark = re.search(r"<style>(.*)@media \(prefers-color-scheme:dark\)\{(.*)\}</style>",
                                    chart).groups()
            for scheme in (light, dark):
                colours = dict(re.findall(r"\.(\w+)\{\w+:(#\w+)\}", scheme))
                used = set(re.findall(r'class="(\w+)"', chart)) - {"card", "grid"}
                for kind in used:
                    self.assertGreaterEqual(contrast(colours[kind], colours["card"]), 4.5, (name, kind))

    def test_everything_lies_inside(self):
        for name, chart in CHARTS.items():
            root = ElementTree.fromstring(chart)
            width, height = float(root.get("width")), float(root.get("height"))
            for element in root.iter("{http://www.w3.org/2000/svg}text"):
                x, y = float(element.get("x")), float(element.get("y"))
                length = len(element.text) * float(element.get("font-size", 12)) * 0.56
                start = x - {"end": 1, "middle": 0.5}.get(element.get("text-anchor"), 0) * length
                self.assertTrue(start >= 0 and start + length <= width and 0 < y < height,
                                (name, element.text))


if __name__ == "__main__":
    unittest.main()
