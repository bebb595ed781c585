"""What the tests of the Python package share: TEST.py DIETMT MODEL [UNITTEST-ARGUMENT...]."""
import os
import random
import subprocess
import sys
import unittest

DIETMT = sys.argv[1]
MODEL = sys.argv[2]
WORDS = "red blue green small big old new cat dog house tree bird sees likes finds".split()


def toy_lines(count, seed=1):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(0, 8))) for _ in range(count)]


def run_dietmt(*arguments, text=""):
    """Standard output of the program."""
    done = subprocess.run([DIETMT, *arguments], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main():
    print(f"Python {sys.version.split()[0]}, {os.path.dirname(__import__('dietmt').__file__)}")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
