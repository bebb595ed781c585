#!/usr/bin/env python3
"""Lines of the CUDA kernels that their tests on the host never run.

    scripts/kernel_coverage.py

Builds these tests with gcov's counters (the preset coverage), runs them, and prints the lines of
kernels/cuda that never ran. Ends with 1 if one of them is a kernel's (.cuh).
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-coverage"
TESTS = ("kernels_cuda_host_tests", "kernels_cuda_rowwise_host_tests", "kernels_cuda_step_tests",
         "kernels_cuda_sm90_host_tests")


def run(*command, **how):
    return subprocess.run(list(map(str, command)), check=True, cwd=ROOT, **how)


def runs_of_lines():
    """{file: {line: how often it ran}} of kernels/cuda, over all objects."""
    files = collections.defaultdict(lambda: collections.defaultdict(int))
    for counters in BUILD.rglob("*.gcda"):
        text = run("gcov", "--json-format", "--stdout", counters, stdout=subprocess.PIPE,
                   stderr=subprocess.DEVNULL, text=True).stdout
        for file in json.loads(text)["files"]:
            path = (BUILD / file["file"]).resolve()
            if not path.is_relative_to(ROOT / "kernels/cuda"):
                continue
            for line in file["lines"]:
                files[path.relative_to(ROOT)][line["line_number"]] += line["count"]
    return files


def main():
    run("cmake", "--preset", "coverage", stdout=subprocess.DEVNULL)
    run("cmake", "--build", BUILD, "--target", *TESTS)
    for counters in BUILD.rglob("*.gcda"):
        counters.unlink()
    for test in TESTS:
        run(BUILD / "bin" / test, "--gtest_brief=1")
    files = runs_of_lines()
    missed = {path: [line for line, count in sorted(lines.items()) if count == 0]
              for path, lines in sorted(files.items())}
    for path, lines in missed.items():
        text = (ROOT / path).read_text().splitlines()
        for line in lines:
            print(f"{path}:{line}: {text[line - 1].strip()}")
    print(f"{sum(map(len, missed.values()))} of {sum(map(len, files.values()))} lines never ran")
    sys.exit(any(lines for path, lines in missed.items() if path.suffix == ".cuh"))


if __name__ == "__main__":
    main()
