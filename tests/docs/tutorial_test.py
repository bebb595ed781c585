#!/usr/bin/env python3
"""Runs the commands of docs/tutorial.md, except those of the server, with a training run of 20 updates.

    tutorial_test.py PROGRAM ROOT SCRATCH

Every command must succeed, and print those lines of the page that no training changes.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

COMMAND = re.compile(r"(dietmt|python3|paste|echo|diff) ")
SERVER = re.compile(r"dietmt serve")
# Lines of the page that depend neither on the training run nor on the machine.
SAME_EVERYWHERE = re.compile(r"^[A-Z].*\t|^weights\t|training text:|parameters|updates     |nrefs:1|^0 \|\|\| ")


def code_blocks(page):
    return re.findall(r"(?:^    .*\n)+", page, re.M)


def commands(page):
    """(command, the output that the page shows below it)."""
    for block in code_blocks(page):
        lines = [line[4:] for line in block.splitlines()]
        while lines:
            command = lines.pop(0)
            while command.endswith("\\"):
                command = command[:-1] + lines.pop(0)
            shown = []
            while lines and not COMMAND.match(lines[0]) and not SERVER.match(lines[0]):
                shown.append(lines.pop(0))
            if COMMAND.match(command) and not SERVER.match(command):
                yield command, shown


def run(command, folder):
    process = subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=folder, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    accepted = {0}
    if command.startswith("diff"):
        accepted.add(1)  # Another model translates differently.
    if "| head" in command:
        accepted.add(128 + signal.SIGPIPE)  # head may end before what it reads from does.
    if process.returncode not in accepted:
        return process.stdout, f"exit code {process.returncode}: {command}\n{process.stdout}"
    return process.stdout, None


def problems(page, folder):
    trained = False
    for command, shown in commands(page):
        output, problem = run(command, folder)
        if problem:
            yield problem
            return
        for line in shown:
            # A short run translates differently; its n-best list has the same form.
            wanted = line[:6] if line.startswith("0 |||") else line
            if SAME_EVERYWHERE.search(line) and wanted not in output:
                yield f"{command}\nprints no line '{line}', but\n{output}"
        if command.endswith("--dry-run") and not trained:
            trained = True
            short = command.replace("--dry-run", "").replace("800", "20").replace("--valid-interval 200",
                                                                                 "--valid-interval 10")
            output, problem = run(short, folder)
            if problem:
                yield problem
                return
            if "update 20/20" not in output:
                yield f"{short}\nprints no update 20/20, but\n{output}"
    if not trained:
        yield "docs/tutorial.md has no dry run"


def main(program, root, scratch):
    folder = pathlib.Path(scratch)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "docs").symlink_to(pathlib.Path(root).resolve() / "docs")
    os.environ["PATH"] = f"{pathlib.Path(program).resolve().parent}:{os.environ['PATH']}"
    found = list(problems((folder / "docs/tutorial.md").read_text(), folder))
    print("\n".join(found) or "every command of docs/tutorial.md runs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
