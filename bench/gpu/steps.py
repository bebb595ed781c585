"""The measurements: each step yields rows, dictionaries that become JSON lines and tables."""

import collections
import hashlib
import json
import pathlib
import re

import trace
from common import attempt, batch_sizes, multi30k, presets, progress, train
from decoding import decoding
from machine import Failed, torch_folder
from speed import bert, kernels, sweep, training


def machine(m):
    """the machine: GPU, driver, PyTorch, missing libraries, speed of copies and products"""
    query = "name,driver_version,memory.total,clocks.max.sm"
    yield attempt({"what": "GPU"}, lambda: {"value": m.run(
        ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], 30).strip()})
    version = re.search(r"__version__ = '?([^'\n]+)", (torch_folder() / "version.py").read_text())
    yield {"what": "PyTorch", "value": version[1] if version else "unknown"}
    for name in sorted(path.name for path in m.bin.iterdir()):
        listed = m.run(["ldd", m.bin / name], 30, m.environment(), ends=(0, 1))
        lacking = [line.split()[0] for line in listed.splitlines() if "not found" in line]
        # The shared object of the kernels finds LibTorch in the program that opens it.
        if lacking:
            yield {"what": name, "failed": f"lacks {', '.join(lacking)}"}
    for name in ("dietmt", "dietmt-torch"):
        yield attempt({"what": name}, lambda: {
            "value": m.program(name, "--version", seconds=60).split("\n")[0]})
    if not m.trial:
        ceilings = m.python(pathlib.Path(__file__).with_name("ceilings.py"), seconds=90)
        yield from map(json.loads, ceilings.splitlines())


def run_tests(m, name, *arguments):
    """Runs one test program: counts of its cases, and the properties they recorded."""
    report = m.out / f"{name}.json"
    report.unlink(missing_ok=True)
    try:
        m.program(name, f"--gtest_output=json:{report}", *arguments, seconds=m.left())
        failed = None
    except Failed as error:
        failed = str(error)
    counts = collections.Counter()
    recorded = []
    if report.exists():
        for suite in json.loads(report.read_text())["testsuites"]:
            for case in suite["testsuite"]:
                state = "failures" if "failures" in case else case["result"].lower()
                counts[state] += 1
                values = {key: value for key, value in case.items() if key.startswith("gap_")}
                if values:
                    recorded.append({"test": name, "case": case["name"],
                                     "of": case.get("value_param", ""), **values})
    row = {"test": name, "passed": counts["completed"], "failed_cases": counts["failures"],
           "skipped": counts["skipped"]}
    if failed:
        row["failed"] = failed
    return row, recorded


def tests(m):
    """the tests labelled gpu, with the gaps between GPU and CPU that they record"""
    for name in m.gpu_tests():
        row, recorded = run_tests(m, name)
        yield row
        yield from recorded


def weights_hash(output):
    newest = max((output / "checkpoints").glob("update-*/model.safetensors"))
    return hashlib.sha256(newest.read_bytes()).hexdigest()[:16]


def short_run(m, name, updates, *options):
    output = m.work / "numerics" / name
    train(m, output, 120, "--accumulate", "1", "--log-interval", "1", "--warmup", "100",
          "--max-updates", str(updates), *options)
    return output


def difference(first, second):
    """The largest gaps in loss and, relative, in gradient norm over the updates of both."""
    both = list(zip(progress(first), progress(second)))
    return {"updates": len(both), "loss": max(abs(a["loss"] - b["loss"]) for a, b in both),
            "gradient_norm": max(abs(a["gradient_norm"] / b["gradient_norm"] - 1)
                                 for a, b in both)}


def numerics(m):
    """short training runs on GPU and CPU; the same bits twice, and after a stop"""
    updates = 2 if m.trial else 10
    for position in ("sinusoidal", "diet-rel", "shaw(clip=16)", "rope", "t5")[:1 if m.trial else 5]:
        def run(name, device, precision):
            return short_run(m, f"{position}-{name}", updates, "--position", position,
                             "--device", device, "--precision", precision, "--resume", "never")
        row = {"position": position}
        try:
            exact = run("cpu", "cpu", "fp32")
        except Failed as error:
            yield {**row, "failed": str(error)}
            continue
        for precision in ("fp32", "bf16"):
            yield attempt({**row, "precision": precision}, lambda: difference(
                exact, run(precision, m.device, precision)))

    def same_bits():
        options = ("--device", m.device, "--precision", "bf16", "--position", "diet-rel")
        hashes = [weights_hash(short_run(m, name, 2 * updates, *options, "--resume", "never"))
                  for name in ("once", "twice")]
        short_run(m, "halves", updates, *options, "--resume", "never")
        hashes.append(weights_hash(short_run(m, "halves", 2 * updates, *options)))
        return {"same_bits_twice": hashes[0] == hashes[1], "same_bits_after_a_stop":
                hashes[0] == hashes[2]}
    yield attempt({"position": "diet-rel", "precision": "bf16"}, same_bits)


def memory(m):
    """what --dry-run and --find-batch say of the device's memory"""
    for preset in ("tiny",) if m.trial else ("base", "big"):
        options = ("--preset", preset, "--device", m.device, "--precision", "bf16",
                   "--accumulate", "1")
        for name in ("--dry-run",) if m.trial else ("--dry-run", "--find-batch"):
            def said():
                output = m.work / "memory"
                text = m.program("dietmt", "train", "--output", output, *multi30k(m),
                                 "--tokenizer", m.data / "multi30k.model", *options, name,
                                 "--resume", "never", seconds=120)
                return {"value": "; ".join(filter(None, map(str.strip, text.splitlines())))}
            yield attempt({"preset": preset, "command": name}, said)


def profile(m):
    """a trace of ten updates: time by kernel, launches, copies and waits"""
    for tokens in batch_sizes(m):
        output = m.work / f"profile-{tokens}"
        options = ("--preset", presets(m)[0], "--device", m.device, "--precision", "bf16",
                   "--batch-tokens", str(tokens),
                   "--accumulate", "1", "--max-updates", "24", "--profile", "--log-interval", "1",
                   "--resume", "never")
        try:
            train(m, output, 120, *options)
            for row in trace.rows(output / "trace.json"):
                yield {"batch_tokens": tokens, **row}
        except (Failed, OSError) as error:
            yield {"batch_tokens": tokens, "failed": str(error)}


def sanitize(m):
    """the tests of the kernels under compute-sanitizer: memcheck and racecheck"""
    for tool in ("memcheck", "racecheck"):
        for name in filter(lambda test: test.startswith("kernels_"), m.gpu_tests()):
            def checked():
                text = m.run(["compute-sanitizer", "--tool", tool, "--error-exitcode", "9",
                              m.bin / name], 150, m.environment())
                summary = [line for line in text.splitlines() if "SUMMARY" in line]
                return {"value": summary[-1].strip("= ") if summary else "no summary"}
            yield attempt({"tool": tool, "test": name}, checked)


# Name: step, time limit in seconds.
STEPS = {
    "machine": (machine, 120),
    "tests": (tests, 150),
    "training": (training, 240),
    "kernels": (kernels, 240),
    "numerics": (numerics, 150),
    "decoding": (decoding, 360),
    "memory": (memory, 120),
    "profile": (profile, 150),
    "sanitize": (sanitize, 400),
    "sweep": (sweep, 400),
    "bert": (bert, 200),
}
DEFAULT = ("machine", "tests", "training", "kernels", "numerics")
