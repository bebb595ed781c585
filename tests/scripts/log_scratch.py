"""A project folder with an empty log and one page, for scripts of bench/ that have --root."""
import pathlib
import subprocess
import sys
import tempfile
import unittest


class LogScratch(unittest.TestCase):
    script = page_text = None  # of the derived class

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "bench/log").mkdir(parents=True)
        self.page = self.root / "bench/RESULTS.md"
        self.page.write_text(self.page_text)

    def run_script(self, *arguments):
        command = [sys.executable, self.script, "--root", self.root, *arguments]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True)


def tables_are_those_of_the_log(test, script, command):
    """In the project itself, `script` finds no stale table."""
    answer = subprocess.run([sys.executable, script, command, "--check"], capture_output=True,
                            text=True)
    test.assertEqual(answer.returncode, 0, answer.stderr)
