"""The command `dietmt`: replaces itself with the program in this package."""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "dietmt")
    os.environ["DIETMT_PYTHON"] = sys.executable  # for bin/dietmt-torch
    os.execv(program, ["dietmt", *sys.argv[1:]])
