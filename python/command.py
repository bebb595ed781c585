#!python
"""The command `dietmt`: becomes the program in the package. It does not import the package, so that
the program starts sooner."""
import os
import sys

for folder in sys.path:
    program = os.path.join(folder, "dietmt", "bin", "dietmt")
    if os.path.exists(program):
        os.environ["DIETMT_PYTHON"] = sys.executable  # for bin/dietmt-torch
        os.execv(program, ["dietmt", *sys.argv[1:]])
sys.exit("error: the Python package dietmt is not installed")
