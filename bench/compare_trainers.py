#!/usr/bin/env python3
"""Training speed of dietmt, PyTorch and fairseq: the same batches, one program after another.

    bench/compare_trainers.py --source TRAIN.en --target TRAIN.de --tokenizer tokenizer.model \\
        --python PYTHON --presets tiny base

Programs: dietmt, as it is and with --checkpoint-activations; a plain PyTorch trainer (bench/pytorch_baseline.py), as it is and under
torch.compile; fairseq 0.12.2 (bench/fairseq_trainer.py, which says how to install it), in fp32 only.
PYTHON has torch, FAIRSEQ_PYTHON has fairseq. All take the padding of their batches, so tokens are
counted without it. Each round runs every program once, in a new process.

Prints for each preset and precision the medians over the rounds: target tokens per second, seconds
of the processor for a million target tokens, the speed of dietmt relative to the program, and the
largest peak memory of the process. --log FILE appends a line of JSON for each program, preset and
precision.
"""

import argparse
import collections
import pathlib
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "recipes"))
from runs import append_to_log, measured_answer  # noqa: E402

SPEED, COST = "target_tokens_per_second", "processor_seconds_per_million_tokens"


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--training-speed", default=ROOT / "build/bin/training_speed")
    parser.add_argument("--python", help="has torch; default: without PyTorch")
    parser.add_argument("--fairseq-python", help="has fairseq; default: without fairseq")
    parser.add_argument("--presets", nargs="+", default=["tiny"])
    parser.add_argument("--precisions", nargs="+", choices=("fp32", "bf16"), default=["fp32", "bf16"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=8, help="timed updates of a run")
    parser.add_argument("--warmup", type=int, default=4, help="updates before them")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--log", help="append lines of JSON to this file")
    return parser.parse_args()


class Comparison:
    """One preset in one precision."""

    def __init__(self, options, preset, precision, batches):
        self.options, self.preset, self.precision, self.batches = options, preset, precision, batches
        self.results = collections.defaultdict(list)

    def round(self):
        options = self.options
        command = [options.training_speed, "--source", options.source, "--target", options.target,
                   "--tokenizer", options.tokenizer, "--precision", self.precision, "--quiet"]
        sizes = self.run("dietmt", *command, "--write-batches", self.batches)
        self.run("dietmt, `--checkpoint-activations`", *command, "--checkpoint-activations")
        given = ["--batches", self.batches, "--vocab", sizes["vocabulary"]]
        if options.python:
            command = [options.python, ROOT / "bench/pytorch_baseline.py", *given, "--precision",
                       self.precision]
            self.run("PyTorch", *command)
            self.run("PyTorch, compiled", *command, "--compile")
        if options.fairseq_python and self.precision == "fp32":
            self.run("fairseq", options.fairseq_python, ROOT / "bench/fairseq_trainer.py", *given)

    def run(self, program, *command):
        """The JSON object that the program prints."""
        options = self.options
        command = [*command, "--preset", self.preset, "--updates", options.updates, "--warmup",
                   options.warmup, "--threads", options.threads]
        result, used = measured_answer(command)
        # training_speed also times its matrix products, for which it takes more memory.
        result["memory_mb"] = result.get("peak_megabytes") or used.memory_mb
        self.results[program].append(result)
        print(f"{self.preset} {self.precision} {program}: {result[SPEED]:.0f} tokens/s",
              file=sys.stderr)
        return result

    def median(self, program, key):
        return statistics.median(result[key] for result in self.results[program])

    def memory(self, program):
        return max(result["memory_mb"] for result in self.results[program])

    def rows(self):
        ours = self.median("dietmt", SPEED)
        for program in self.results:
            speed = self.median(program, SPEED)
            yield (f"| {self.preset} | {self.precision} | {program} | {speed:,.0f} | "
                   f"{self.median(program, COST):.0f} | {ours / speed:.2f} | {self.memory(program):.0f} |")

    def lines(self):
        for program, results in self.results.items():
            yield {
                "program": program, "preset": self.preset, "precision": self.precision,
                "tokens_per_second": [round(result[SPEED]) for result in results],
                COST: [round(result[COST], 1) for result in results],
                "memory_mb": round(self.memory(program)),
                "threads": self.options.threads, "updates": self.options.updates,
            }


def main():
    options = parse_options()
    print("| preset | precision | program | tokens/s | processor, s a million tokens | dietmt / program |"
          " memory, MB |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for preset in options.presets:
            for precision in options.precisions:
                comparison = Comparison(options, preset, precision, pathlib.Path(folder) / "batches")
                for _ in range(options.rounds):
                    comparison.round()
                print("\n".join(comparison.rows()), flush=True)
                append_to_log(options.log, *comparison.lines())


if __name__ == "__main__":
    main()
