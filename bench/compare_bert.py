#!/usr/bin/env python3
"""Training speed of a BERT encoder in dietmt and in Hugging Face's Trainer: same batches, in turn.

    bench/compare_bert.py --python PYTHON OPTION... --train TEXT... | --task NAME --data DIR

PYTHON has torch, transformers and accelerate; the other options are those of bench/bert_speed. Each
round runs both programs once, in new processes. Prints the medians of tokens per second, their ratio
and the peak memory; --log FILE appends them as a line of JSON.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "recipes"))
from runs import append_to_log, measured_answer  # noqa: E402

SPEED = "tokens_per_second"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bert-speed", default=ROOT / "build/bin/bert_speed")
    parser.add_argument("--python", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--task", help="to fine-tune for; default: pre-training")
    parser.add_argument("--log", help="append a line of JSON to this file")
    options, given = parser.parse_known_args()
    if options.task:
        given += ["--task", options.task]

    speeds, memory = {}, {}
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as batches:
        for _ in range(options.rounds):
            sizes, ours = measured_answer([options.bert_speed, *given, "--write-batches", batches.name])
            found, theirs = measured_answer([
                options.python, ROOT / "bench/huggingface_trainer.py", "--batches", batches.name,
                "--model", json.dumps(sizes)])
            for program, answer, used in (("dietmt", sizes, ours), ("transformers", found, theirs)):
                speeds.setdefault(program, []).append(round(answer[SPEED]))
                memory[program] = max(memory.get(program, 0), round(used.memory_mb))
                print(f"{program}: {answer[SPEED]:,.0f} tokens/s", file=sys.stderr)
    medians = {program: statistics.median(values) for program, values in speeds.items()}
    for program, speed in medians.items():
        print(f"{program}: {speed:,.0f} tokens/s, {memory[program]} MB")
    print(f"ratio {medians['dietmt'] / medians['transformers']:.2f}")
    append_to_log(options.log, {
        "task": options.task or "pre-training", "precision": sizes["precision"],
        "threads": sizes["threads"], "layers": sizes["layers"], "width": sizes["width"],
        SPEED: speeds, "memory_mb": memory})


if __name__ == "__main__":
    main()
