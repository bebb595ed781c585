#!/usr/bin/env python3
"""Tests documents_test.py: it must report each kind of mistake in a small tree.

    documents_selftest.py
"""
import pathlib
import tempfile
import unittest

import documents_test

OPTIONS = {"train": {"--preset", "--width"}, "bert pretrain": {"--train"}}


class DocumentsTest(unittest.TestCase):
    def problems(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            # Only folders of such names are skipped: "build" with what a build unpacks, not this page.
            files = {"README.md": "[p](docs/build.md) [o](docs/other.md)\n", "docs/build.md": text,
                     "docs/other.md": "# A `title` (of it)\n## Same\n## Same\n",
                     "build/page.md": "[a](nowhere.md)\n",
                     "CMakeLists.txt": "project(dietmt VERSION 1.2.3)\n",
                     "CITATION.cff": "version: 1.2.3\n"}
            for name, content in files.items():
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(content)
            return list(documents_test.problems(root, OPTIONS))

    def accepts(self, text):
        self.assertEqual(self.problems(text), [])

    def reports(self, text, message):
        found = self.problems(text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(message, found[0])

    def test_accepts_files_anchors_and_addresses(self):
        self.accepts("[a](other.md) [b](other.md#a-title-of-it) [c](other.md#same-1) [d](#here)\n"
                     "[e](https://example.org/x.md) `[f](nowhere.md)`\n# Here\n    [g](nowhere.md)\n")

    def test_reports_a_file_that_is_not_there(self):
        self.reports("x\n[a](nowhere.md)\n", "docs/build.md:2: nowhere.md leads nowhere")

    def test_reports_a_file_outside_the_repository(self):
        self.reports("[a](../../../etc/passwd)\n", "leads nowhere")

    def test_reports_an_image_that_is_not_there(self):
        self.reports('<p><img width="49%" src="nowhere.svg" alt="x"></p>\n', "nowhere.svg leads nowhere")

    def test_reports_a_page_that_no_link_leads_to(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "docs/deep").mkdir(parents=True)
            (root / "README.md").write_text("[d](docs)\n")
            (root / "docs/README.md").write_text("[f](deep/found.md)\n")
            (root / "docs/deep/found.md").write_text("[back](../README.md)\n")
            (root / "docs/lost.md").write_text("[f](deep/found.md)\n")
            self.assertEqual(list(documents_test.reach_problems(root)),
                             ["docs/lost.md: no link leads here from README.md"])

    def test_reports_a_heading_that_is_not_there(self):
        self.reports("[a](other.md#same-2)\n", "no such heading")

    def test_does_not_take_comments_of_code_for_headings(self):
        self.reports("[a](#comment)\n```\n# comment\n```\n", "no such heading")

    def test_accepts_options_of_the_command(self):
        self.accepts("`dietmt train --preset tiny`, `dietmt bert pretrain --train x`\n"
                     "    dietmt train --width=3 | other --unknown\n    dietmt train \\\n      --width 3\n")

    def test_reports_options_of_another_command(self):
        self.reports("`dietmt train --train x`\n", "dietmt train has no option --train")

    def test_reports_an_option_on_a_continued_line(self):
        self.reports("```\nx\ndietmt train --preset tiny \\\n  --wdith 3\n```\n",
                     "docs/build.md:3: dietmt train has no option --wdith")

    def test_reports_a_command_that_is_not_there(self):
        self.reports("    dietmt tarin --preset tiny\n", "dietmt has no command tarin")

    def test_reports_an_option_that_no_command_has(self):
        self.reports("Use `--wdith 3`.\n", "no command has the option --wdith")

    def test_reports_scripts_that_cannot_be_executed(self):
        self.reports("    SEEDS=\"1 2\" THREADS=1 recipes/run.sh tok \\\n      OUTPUT\n",
                     "docs/build.md:1: recipes/run.sh cannot be executed")
        self.reports("`bench/speed.py --model MODEL`\n", "bench/speed.py cannot be executed")
        self.accepts("`bench/speed.py` and `recipes/` are described here.\n")

    def test_reports_wide_prose(self):
        self.reports("word " * 21 + "\n", "105 columns")
        self.accepts("| " + "word " * 30 + "|\n\n    " + "word " * 30 + "\n\n`" + "x " * 60 + "`\n")

    def test_reports_encodings_that_a_table_lacks(self):
        page = "## At a glance\n| `a` | E |\n| `b` | D |\n\n## The encodings\n### Sums\n| `a` | 0 |\n"
        self.assertEqual(list(documents_test.encoding_problems(page, {"a"})), [])
        self.assertEqual(list(documents_test.encoding_problems(page, {"a", "b"})),
                         ["docs/positions.md: 'The encodings' lacks b"])

    def test_reports_another_version(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text("project(dietmt VERSION 1.2.3)\n")
            (root / "CITATION.cff").write_text("version: 1.2.2\n")
            (root / "docs").mkdir()
            self.assertEqual(len(list(documents_test.problems(root, {}))), 1)


if __name__ == "__main__":
    unittest.main()
