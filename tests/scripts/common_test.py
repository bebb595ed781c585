#!/usr/bin/env python3
"""Tests the functions of scripts/common.sh: progress of builds, and the search for Pythons.

    common_test.py ROOT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMON = pathlib.Path(sys.argv.pop(1)).resolve() / "scripts/common.sh"

# What a build prints: Ninja's lines, as they are and indented by pip, and others.
BUILD = """[0/1] Re-running CMake...
  [1/4] Building CXX object kernels/cpu/CMakeFiles/kernels.dir/a.cpp.o
[2/4] Building CXX object data/CMakeFiles/data.dir/b.cpp.o
FAILED: data/CMakeFiles/data.dir/b.cpp.o
b.cpp:1:1: error: no
[4/4] Linking CXX executable bin/dietmt
"""


def shell(commands, stdin="", **environment):
    script = f'set -euo pipefail; source "{COMMON}"; {commands}'
    return subprocess.run(["bash", "-c", script, "build"], input=stdin, capture_output=True, text=True,
                          check=True, env={"PATH": "/usr/bin:/bin", **environment})


class TimeLeft(unittest.TestCase):
    def test_the_pace_so_far_goes_on(self):
        self.assertEqual("about 15 minutes left\n", shell("time_left 50 200 300").stdout)
        self.assertEqual("about 2 minutes left\n", shell("time_left 100 200 61").stdout)

    def test_the_end(self):
        self.assertEqual("less than a minute left\n", shell("time_left 199 200 600").stdout)
        self.assertEqual("less than a minute left\n", shell("time_left 200 200 600").stdout)


class ShowProgress(unittest.TestCase):
    def test_every_line_of_ninja_becomes_a_line_on_stderr(self):
        shown = shell("show_progress 0", BUILD)
        self.assertEqual("FAILED: data/CMakeFiles/data.dir/b.cpp.o\nb.cpp:1:1: error: no\n", shown.stdout)
        self.assertEqual(["build: step 1 of 4 (kernels/cpu), less than a minute left",
                          "build: step 2 of 4 (data), less than a minute left",
                          "build: step 4 of 4 (bin/dietmt), less than a minute left"],
                         shown.stderr.splitlines())

    def test_a_quick_build_shows_nothing(self):
        self.assertEqual("", shell("show_progress 60", BUILD).stderr)

    def test_the_estimate_comes_from_the_time_spent(self):
        # The seconds of bash are set while the function waits for the second line.
        lines = "[1/10] Building CXX object a/CMakeFiles/a.o\n"
        shown = shell('read() { SECONDS=60; builtin read "$@"; }; SECONDS=0; show_progress 0', lines)
        self.assertEqual("build: step 1 of 10 (a), about 9 minutes left\n", shown.stderr)


class FindPython(unittest.TestCase):
    def test_programs_and_versions(self):
        with tempfile.TemporaryDirectory() as folder:
            for version in ("3.1.4", "3.12.1"):
                python = pathlib.Path(folder) / "versions" / version / "bin/python"
                python.parent.mkdir(parents=True)
                python.write_text(f"#!/bin/sh\necho {version}\n")
                python.chmod(0o755)
            for name, found in (("3.1", "3.1.4"), ("3.12", "3.12.1"), ("3.2", ""), (str(python), "3.12.1")):
                result = shell(f'find_python "{name}"', PYENV_ROOT=folder, PATH=f"{folder}:/usr/bin:/bin")
                self.assertEqual(found, result.stdout.strip(), name)


if __name__ == "__main__":
    unittest.main()
