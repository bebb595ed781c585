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
| `training/` | the loop | yes |
| `nmt/training/` | translation as a task | yes |
| `nmt/` | decoding | yes |
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

    def test_reports_inference_that_includes_training(self):
        loop = {"training/loop.h": "\n", "nmt/training/task.h": '#include "training/loop.h"\n'}
        self.reports({**loop, "nmt/decoder.cpp": '#include "training/loop.h"\n'},
                     "nmt/decoder.cpp: is inference and includes training/: training/loop.h")
        self.reports({**loop, "tools/translate_command.cpp": '#include "nmt/decoder.h"\n',
                      "nmt/decoder.h": '#include "nmt/training/task.h"\n'},
                     "tools/translate_command.cpp: is inference and includes training/: "
                     "nmt/decoder.h -> nmt/training/task.h -> training/loop.h")
        code, output = self.check({**loop, "tools/train_command.cpp":
                                   '#include "nmt/training/task.h"\n'})
        self.assertEqual(code, 0, output)

    def test_reports_libraries_that_are_not_the_included_folders(self):
        files = {"common/CMakeLists.txt": "dietmt_library(dietmt_common\n SOURCES a.cpp LIBRARIES z)",
                 "common/error.h": "\n",
                 "data/text/tokenizer.h": '#include "common/error.h"\n'}
        library = "dietmt_library(dietmt_data_text\n  SOURCES tokenizer.cpp\n  LIBRARIES {})\n"
        code, output = self.check({**files,
                                   "data/text/CMakeLists.txt": library.format("dietmt_common ICU::uc")})
        self.assertEqual(code, 0, output)
        self.reports({**files, "data/text/CMakeLists.txt": library.format("ICU::uc")},
                     "data/text/CMakeLists.txt: LIBRARIES lacks dietmt_common")
        encoders = "dietmt_library(dietmt_encoders TORCH\n  SOURCES a.cpp\n  LIBRARIES dietmt_common)"
        self.reports({**files, "data/text/CMakeLists.txt": library.format("dietmt_common"),
                      "encoders/CMakeLists.txt": encoders},
                     "encoders/CMakeLists.txt: LIBRARIES has dietmt_common")

    def test_reports_a_folder_that_the_table_lacks(self):
        self.reports({"helpers/strings.h": "\n"}, "the folder helpers/ is not in the table")
        self.reports({"common/error.cpp": '#include "helpers/strings.h"\n'},
                     "includes helpers/strings.h, which is in no folder of the table")


if __name__ == "__main__":
    unittest.main()
