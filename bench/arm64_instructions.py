#!/usr/bin/env python3
"""Instructions that a line of translation takes with each instruction set of Arm64, under QEMU.

    arm64_instructions.py BUILD_ARM64 TEXT MODEL... [--options "--beam 1"]

BUILD_ARM64 is the folder of scripts/arm64. Needs QEMU with plugins (Debian's qemu-user) and gcc. One
run over all lines of TEXT less one over its first line leaves out what starting costs. Prints a
Markdown table for bench/log_table.py; the ratio is that to `generic`.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

SETS = ["generic", "neon_dot", "neon_i8mm"]
PLUGIN = pathlib.Path(__file__).with_name("qemu_instructions.c")


class Emulator:
    def __init__(self, build, folder):
        self.plugin = folder / "count.so"
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", self.plugin, PLUGIN], check=True)
        self.command = ["qemu-aarch64", "-L", build.parent / ".deps/arm64/sysroot", "-plugin",
                        self.plugin, build / "bin/dietmt"]

    def instructions(self, arguments, lines, instruction_set):
        answer = subprocess.run([*self.command, *arguments], input="\n".join(lines) + "\n", text=True,
                                capture_output=True,
                                env={**os.environ, "DIETMT_INSTRUCTION_SET": instruction_set})
        seen = re.search(r"^instructions: (\d+)$", answer.stderr, re.MULTILINE)
        if answer.returncode != 0 or not seen:
            raise SystemExit(f"qemu-aarch64 failed: {answer.stderr[-1000:]}")
        return int(seen[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--options", default="", help="more options of `dietmt translate`")
    options = parser.parse_args()
    lines = options.text.read_text().splitlines()
    print("| model | instruction set | million instructions a line | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        emulator = Emulator(options.build.resolve(), pathlib.Path(folder))
        for model in options.models:
            arguments = ["translate", "--model", model, "--threads", "1", *shlex.split(options.options)]
            generic = None
            for instruction_set in SETS:
                count = (emulator.instructions(arguments, lines, instruction_set)
                         - emulator.instructions(arguments, lines[:1], instruction_set))
                generic = generic or count
                print(f"| {model.name} | {instruction_set} | {count / (len(lines) - 1) / 1e6:,.1f} "
                      f"| {generic / count:.2f} |", flush=True)


if __name__ == "__main__":
    main()
