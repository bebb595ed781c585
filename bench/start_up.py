#!/usr/bin/env python3
"""Time and memory of a whole process that translates one short line.

    start_up.py --dietmt build/bin/dietmt --model DIR [--text LINE] [--rounds 5]

The model is packed (`dietmt quantize`) in fp32 and int8 and exported for CTranslate2. Then all
translate the line in turn, --rounds times each, after one that fills the file cache: dietmt-torch
with the model as it is, dietmt with the packed ones, and a Python process with CTranslate2 (one
thread) in both precisions, once more without a model to show what Python itself takes. Prints the
medians of the wall time and of the peak resident memory, and for CTranslate2 those of loading its
model within the process. --log FILE appends a line of JSON for each process. Needs ctranslate2 and
sentencepiece.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recipes"))
from runs import append_to_log, measured  # noqa: E402

PEER = """
import sys, time
import ctranslate2, sentencepiece
if len(sys.argv) > 1:
    directory, compute_type, line = sys.argv[1:]
    start = time.perf_counter()
    translator = ctranslate2.Translator(directory, compute_type=compute_type, inter_threads=1,
                                        intra_threads=1)
    source, target = (sentencepiece.SentencePieceProcessor(model_file=f"{directory}/{side}.spm")
                      for side in ("source", "target"))
    print(time.perf_counter() - start)
    pieces = source.encode(line, out_type=str)
    found = translator.translate_batch([pieces], beam_size=5, length_penalty=1)
    print(target.decode(found[0].hypotheses[0]))
"""


def run(command, text):
    """Wall seconds and peak MB of a process, and the lines of its standard output."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        given.write(text.encode())
        given.seek(0)
        used = measured(command, stdin=given, stdout=out)
        out.seek(0)
        return used.seconds, used.memory_mb, out.read().decode().splitlines()


def contenders(options, root):
    """Commands by name."""
    for weights in ("fp32", "int8"):
        subprocess.run([options.dietmt, "quantize", "--model", options.model, "--type", weights,
                        "--output", root / weights], check=True)
    exported = root / "ctranslate2"
    subprocess.run([options.dietmt, "export", "--model", options.model, "--to", "ctranslate2",
                    "--output", exported], check=True)
    translate = ["translate", "--workers", "1", "--model"]
    peer = [sys.executable, "-c", PEER]
    return {
        "dietmt-torch, model": [options.dietmt.with_name("dietmt-torch"), *translate,
                                options.model],
        "dietmt, packed fp32": [options.dietmt, *translate, root / "fp32"],
        "dietmt, packed int8": [options.dietmt, *translate, root / "int8"],
        "CTranslate2, fp32": [*peer, exported, "float32", options.text],
        "CTranslate2, int8": [*peer, exported, "int8", options.text],
        "CTranslate2, no model": peer,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dietmt", type=pathlib.Path, default="build/bin/dietmt")
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", default="Two dogs play in the snow.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--name", help="of the model, for --log; default: that of its directory")
    parser.add_argument("--log", help="append lines of JSON to this file")
    options = parser.parse_args()
    options.dietmt = options.dietmt.resolve()
    with tempfile.TemporaryDirectory() as folder:
        commands = contenders(options, pathlib.Path(folder))
        figures = {name: [] for name in commands}
        for turn in range(options.rounds + 1):
            for name, command in commands.items():
                figure = run(command, options.text + "\n")
                if turn:
                    figures[name].append(figure)
    print("process\tms\tpeak MB\tload ms\ttranslation")
    for name, rounds in figures.items():
        seconds, peaks, outputs = zip(*rounds)
        loads = [float(output[0]) for output in outputs if len(output) == 2]
        append_to_log(options.log, {
            "model": options.name or pathlib.Path(options.model).name, "process": name,
            "milliseconds": [round(1e3 * value, 2) for value in seconds],
            "peak_mb": round(statistics.median(peaks), 1)})
        print(f"{name}\t{1e3 * statistics.median(seconds):.0f}\t{statistics.median(peaks):.1f}\t"
              f"{f'{1e3 * statistics.median(loads):.1f}' if loads else ''}\t{' '.join(outputs[0][-1:])}")


if __name__ == "__main__":
    main()
