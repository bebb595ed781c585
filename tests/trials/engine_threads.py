#!/usr/bin/env python3
"""Translates with several workers and threads in a program built with a sanitizer:

    engine_threads.py DIETMT WATCHED

DIETMT, with dietmt-torch in its directory, trains and packs a toy model. WATCHED, another build of
dietmt (preset tsan), translates with it in many ways at once and must write what DIETMT writes.
"""
import pathlib
import sys
import tempfile

from trials import execute, toy_model

PARALLEL = (["--workers", 4], ["--workers", 2, "--threads", 2], ["--workers", 3, "--batch-tokens", 64],
            ["--workers", 1, "--threads", 4, "--flush"])
SEARCHES = ([], ["--beam", 4, "--nbest", 4], ["--sample", "--seed", 3])


def run(command):
    seen = execute(command, seconds=600)
    if seen.code != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {seen.code}\n{seen.err}")
    return seen.out


def main(dietmt, watched):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        packed = work / "packed"
        run([dietmt, "quantize", "--model", toy_model(dietmt, work), "--output", packed])
        translate = ["translate", "--model", packed, "--input", work / "train.en"]
        for search in SEARCHES:
            expected = run([dietmt, *translate, *search, "--workers", 1])
            for parallel in PARALLEL:
                if run([watched, *translate, *search, *parallel]) != expected:
                    sys.exit(f"other translations with {' '.join(map(str, [*search, *parallel]))}")
    print(f"{len(SEARCHES) * len(PARALLEL)} settings give the same translations")


if __name__ == "__main__":
    main(*sys.argv[1:])
