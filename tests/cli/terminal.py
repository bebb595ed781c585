#!/usr/bin/env python3
"""Types two lines on a terminal and waits for an answer to each before the next.

    terminal.py COMMAND...
"""
import os
import pty
import subprocess
import sys


def main():
    ours, theirs = pty.openpty()
    with subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as program:
        os.close(theirs)
        hint = program.stderr.readline()
        if "Ctrl+D" not in hint:
            sys.exit(f"no hint but {hint!r}")
        for line in (b"red dog\n", b"old house\n"):
            os.write(ours, line)
            if not program.stdout.readline().strip():
                sys.exit(f"no answer to {line!r}: {program.stderr.read()}")
        os.write(ours, b"\x04")
        rest, _ = program.communicate(timeout=60)
        if rest or program.returncode:
            sys.exit(f"exit code {program.returncode}, {rest!r}")


main()
