#!/usr/bin/env python3
"""Speed of dietmt.Translator relative to `dietmt translate` on one file.

    PYTHONPATH=build/python bench/python_translator.py --dietmt build/bin/dietmt --model DIR \\
        --input FILE [--rounds 7] [--log FILE]

DIR is packed (`dietmt quantize`). Whole processes in turn: the program, a Python process that
translates the file as a stream, and one that translates it as a list. Both write the translations.
Prints for wall time and for processor time (which other processes disturb less) the median, the
median of the ratios to the program's, and each round; --log FILE appends them as a line of JSON. Fails
if the translations differ.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recipes"))
from runs import append_to_log  # noqa: E402

STREAM = """
import sys, dietmt
model, source, target = sys.argv[1:]
with open(source) as lines, open(target, "w") as out:
    out.writelines(one.text + "\\n" for one in dietmt.Translator(model).translate(lines))
"""
LIST = """
import sys, dietmt
model, source, target = sys.argv[1:]
with open(source) as lines, open(target, "w") as out:
    found = dietmt.Translator(model).translate(lines.readlines())
    out.writelines(one.text + "\\n" for one in found)
"""


def measured(command):
    """Wall time and processor time of a whole process."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dietmt", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--input", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--name", help="of the model, for --log; default: that of its directory")
    parser.add_argument("--log", help="append a line of JSON to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        target = {name: pathlib.Path(folder, name) for name in ("program", "stream", "list")}
        model, source = options.model, options.input
        commands = {"program": [options.dietmt, "translate", "--model", model, "--input", source,
                                "--output", target["program"]]}
        for name, code in (("stream", STREAM), ("list", LIST)):
            commands[name] = [sys.executable, "-c", code, model, source, target[name]]
        times = {name: [] for name in commands}
        for round_ in range(options.rounds + 1):  # the first one warms up
            for name, command in commands.items():
                pair = measured(command)
                if round_ > 0:
                    times[name].append(pair)
        if len({path.read_text() for path in target.values()}) != 1:
            sys.exit("the translations differ")
    for kind, title in enumerate(("wall", "processor")):
        for name in times:
            seconds = [pair[kind] for pair in times[name]]
            ratios = [mine / its[kind] for mine, its in zip(seconds, times["program"])]
            print(f"{title:10}{name:8} median {statistics.median(seconds):.3f} s, ratio "
                  f"{statistics.median(ratios):.3f}:", " ".join(f"{s:.3f}" for s in seconds))
    append_to_log(options.log, {
        "model": options.name or pathlib.Path(options.model).name,
        "seconds": {name: [round(wall, 3) for wall, _ in pairs] for name, pairs in times.items()},
        "processor_seconds": {name: [round(used, 3) for _, used in pairs]
                              for name, pairs in times.items()}})


if __name__ == "__main__":
    main()
