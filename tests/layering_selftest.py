#!/usr/bin/env python3
"""Tests layering_test.py: it must report each kind of wrong include in a small tree.

    layering_selftest.py
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("layering_test.py")
TABLE = """| folder | holds | LibTorch |
|---|---|---|
| `common/` | errors | no |
| `data/text/` | tokenizers | no |
| `encoders/` | layers | yes |
| `tools/` | programs | the second |
"""


class LayeringTest(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"docs/architecture.md": TABLE, **files}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            run = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True,
                                 check=False)
        return run.returncode, run.stdout

    def reports(self, files, message):
        code, output = self.check(files)
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)

    def test_accepts_includes_of_folders_above(self):
        code, output = self.check({
            "common/error.h": "#include <string>\n",
            "data/text/tokenizer.cpp": '#include "common/error.h"\n',
            "encoders/layer.cpp": '#include <torch/torch.h>\n#include "data/text/tokenizer.h"\n',
            "tests/common/error_test.cpp": '#include "encoders/layer.h"\n'})
        self.assertEqual(code, 0, output)

    def test_reports_an_include_of_a_folder_below(self):
        self.reports({"common/error.cpp": '#include "data/text/tokenizer.h"\n'},
                     "common/error.cpp: includes data/text/tokenizer.h, but data/text/ is below")

    def test_reports_an_indented_include(self):
        self.reports({"common/error.cpp": '#if X\n  #include "encoders/layer.h"\n#endif\n'},
                     "encoders/ is below common/")

    def test_reports_libtorch_in_a_folder_without_it(self):
        self.reports({"data/text/tokenizer.cpp": "#include <ATen/ATen.h>\n"},
                     "data/text/tokenizer.cpp: includes LibTorch")

    def test_reports_a_folder_that_the_table_lacks(self):
        self.reports({"helpers/strings.h": "\n"}, "the folder helpers/ is not in the table")
        self.reports({"common/error.cpp": '#include "helpers/strings.h"\n'},
                     "includes helpers/strings.h, which is in no folder of the table")


if __name__ == "__main__":
    unittest.main()
