#!/usr/bin/env python3
"""Compares greedy translations of a model trained with `dietmt train --marian` with those of Marian's
own decoder (the Python package pymarian) on what `dietmt export --to marian` makes of the model.

    bench/marian_decoder_parity.py --model runs/en-de --text test.en [--dietmt build/bin/dietmt]

Prints how many lines are equal and the first that are not. Both decoders stop at three times the
length of the source.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import pymarian


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dietmt", default="build/bin/dietmt", metavar="FILE")
    parser.add_argument("--model", required=True, metavar="DIR")
    parser.add_argument("--text", required=True, metavar="FILE")
    options = parser.parse_args()

    lines = pathlib.Path(options.text).read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as scratch:
        exported = pathlib.Path(scratch) / "exported"
        subprocess.run([options.dietmt, "export", "--model", options.model, "--to", "marian",
                        "--output", exported], check=True)
        ours = subprocess.run([options.dietmt, "translate", "--model", options.model, "--input",
                               options.text, "--beam", "1", "--max-length-factor", "3",
                               "--max-length-offset", "1"],
                              check=True, capture_output=True, text=True).stdout.splitlines()
        marian = pymarian.Translator(f"-c {exported / 'decoder.yml'} --beam-size 1 --cpu-threads 1 "
                                     "--quiet").translate(lines)
    equal = sum(a == b for a, b in zip(ours, marian, strict=True))
    print(f"{equal} of {len(lines)} lines are equal")
    different = [pair for pair in zip(ours, marian) if pair[0] != pair[1]]
    for own, other in different[:5]:
        print(f"dietmt: {own}\nmarian: {other}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
