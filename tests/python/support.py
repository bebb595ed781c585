"""Shared by the tests of the Python package: TEST.py DIETMT MODEL [UNITTEST-ARGUMENT...].

MODEL has packed fp32 weights, and so has DIETMT_LANGUAGES_MODEL, an M2M-100. DIETMT_FULL_MODEL is
one with full weights, and DIETMT_ENCODER a BERT, for the tests that need LibTorch. DIETMT_SLOWNESS
multiplies limits on time, for processors that are emulated.
"""
import importlib.util
import os
import pathlib
import random
import subprocess
import sys
import unittest

DIETMT = sys.argv[1]
MODEL = sys.argv[2]
LANGUAGES_MODEL = os.environ.get("DIETMT_LANGUAGES_MODEL", "")
FULL_MODEL = os.environ.get("DIETMT_FULL_MODEL", "")
ENCODER = os.environ.get("DIETMT_ENCODER", "")
SLOWNESS = float(os.environ.get("DIETMT_SLOWNESS", "1"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = "red blue green small big old new cat dog house tree bird sees likes finds".split()

# What scripts/setup test-packages installs, for this Python and for those that tests start.
_CLIENTS = ROOT / (".deps/test-clients/lib/python%d.%d/site-packages" % sys.version_info[:2])
if _CLIENTS.is_dir():
    sys.path.insert(1, str(_CLIENTS))  # before packages of the interpreter
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [os.environ.get("PYTHONPATH"), str(_CLIENTS)]))


def toy_lines(count, seed=1):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(0, 8))) for _ in range(count)]


def pairs(left, right):
    """zip() with strict=True, which Python 3.9 lacks."""
    left, right = list(left), list(right)
    assert len(left) == len(right), (len(left), len(right))
    return zip(left, right)


def run_dietmt(*arguments, text=""):
    """Standard output of the program."""
    done = subprocess.run([DIETMT, *arguments], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def needs(*packages, model="any"):
    """Skips a test without these packages, or without the model."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        return unittest.skip(f"the Python package {' and '.join(missing)} is not installed")
    return unittest.skipIf(not model, "there is no model of this kind, or no LibTorch")


def main():
    print(f"Python {sys.version.split()[0]}, {os.path.dirname(__import__('dietmt').__file__)}")
    run = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2, exit=False)
    sys.stderr.flush()
    if run.result.skipped:
        print("skipped: " + "; ".join(sorted({reason for _, reason in run.result.skipped})))
    sys.exit(not run.result.wasSuccessful())
