"""What is measured: each step yields rows, dictionaries that become JSON lines and tables."""

import collections
import hashlib
import importlib.util
import json
import pathlib
import re
import signal
import statistics
import time

import trace
from machine import Failed, torch_folder

STOPPED = (0, 75)  # dietmt train saves after a signal and ends with 75


def batch_sizes(m):
    return (256, 128) if m.trial else (25000, 4096)


def presets(m):
    return ("tiny",) if m.trial else ("base", "tiny")


def attempt(row, work):
    """The row with what `work` finds out, or with why it failed."""
    try:
        return {**row, **work()}
    except Failed as error:
        return {**row, "failed": str(error)}


# ---- machine and tests ---------------------------------------------------------------------------

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
        for line in m.python(pathlib.Path(__file__).with_name("ceilings.py"), seconds=90).splitlines():
            yield json.loads(line)


def run_tests(m, name, *arguments):
    """Of one test program: counts of its cases, and what they have recorded of themselves."""
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
                    recorded.append({"test": name, "case": case["name"], **values})
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


# ---- numbers -------------------------------------------------------------------------------------

def multi30k(m):
    return [f"--{part}-{side}" if word is None else m.data / f"{file}.{word}"
            for part, file in (("train", "train"), ("valid", "val"))
            for side, language in (("source", "en"), ("target", "de"))
            for word in (None, language)]


def train(m, output, seconds, *options):
    """A training without translations; `seconds` of it, or as long as its options say."""
    m.program("dietmt", "train", "--output", output, *multi30k(m), "--config", m.data / "tiny.cfg",
              "--tokenizer", m.data / "multi30k.model", "--no-valid-translation",
              "--valid-metric", "valid_loss", *options,
              seconds=seconds, stop=signal.SIGINT, ends=STOPPED)


def progress(output, kind="train"):
    lines = (output / "progress.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if row["kind"] == kind]


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
    """short trainings on GPU and CPU side by side; the same bits twice, and after a stop"""
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


# ---- kernels -------------------------------------------------------------------------------------

def table_rows(text):
    """The rows of a Markdown table."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")]
             for line in text.splitlines() if line.startswith("|")]
    for cells in lines[2:]:
        yield dict(zip(lines[0], cells))


def kernels(m):
    """time of the row kernels, of the loss, and of attention by encoding and length"""
    for kind in ("bf16", "fp32"):
        try:
            text = m.program("row_kernels", "--device", m.device, "--type", kind, seconds=60)
            yield from map(json.loads, text.splitlines())
        except Failed as error:
            yield {"kernel": "all", "type": kind, "failed": str(error)}
    rounds, calls = ("1", "1") if m.trial else ("11", "4")
    try:
        text = m.program(
            "attention", "--device", m.device, "--type", "bf16",
            "--tokens", str(batch_sizes(m)[0]), "--rounds", rounds, "--calls", calls,
            "--threads", "8",
            "--lengths", *(("20-60",) if m.trial else ("20-60", "20-128", "512", "2048")),
            "--encodings", "none", "diet-rel", "shaw(clip=16)", seconds=120)
        yield from ({"kernel": "attention", **row} for row in table_rows(text))
    except Failed as error:
        yield {"kernel": "attention", "failed": str(error)}


# ---- training speed ------------------------------------------------------------------------------

def timed_text(m):
    """Source, target and tokenizer of the batches that `base` is timed on."""
    if (m.data / "base.model").exists():
        return m.data / "base.src", m.data / "base.tgt", m.data / "base.model"
    return m.data / "train.en", m.data / "train.de", m.data / "multi30k.model"


def timed_updates(m):
    return ("2", "1") if m.trial else ("20", "10")


def dietmt_speed(m, preset, tokens, precision, batches, *options):
    source, target, tokenizer = timed_text(m)
    updates, warmup = timed_updates(m)
    text = m.program(
        "training_speed", "--source", source, "--target", target, "--tokenizer", tokenizer,
        "--preset", preset, "--batch-tokens", str(tokens), "--device", m.device,
        "--precision", precision, "--updates", updates, "--warmup", warmup, "--dropout", "0.1",
        "--threads", "8", "--write-batches", batches, *options, seconds=120)
    found = json.loads(text)
    return found["vocabulary"], {
        "tokens_per_second": round(found["target_tokens_per_second"]),
        "milliseconds": round(found["seconds_per_update"] * 1e3, 2),
        "host_milliseconds": round(found["host_seconds_per_update"] * 1e3, 2),
        "megabytes": round(found.get("peak_megabytes", 0))}


def pytorch_speed(m, preset, precision, batches, vocabulary, *options):
    updates, warmup = timed_updates(m)
    found = json.loads(m.python(
        m.work / "pytorch_baseline.py", "--batches", batches, "--vocab", str(vocabulary),
        "--preset", preset, "--device", m.device, "--precision", precision,
        "--updates", updates, "--warmup", warmup, "--dropout", "0.1", "--threads", "8",
        *options, seconds=150).splitlines()[-1])
    return {"tokens_per_second": round(found["target_tokens_per_second"]),
            "milliseconds": round(found["median_seconds_per_update"] * 1e3, 2),
            "megabytes": round(found["peak_megabytes"])}


def speeds(m, preset, tokens, precision, trainers, *options):
    """dietmt, then PyTorch on the same batches."""
    row = {"preset": preset, "batch_tokens": tokens, "precision": precision}
    batches = m.work / f"batches-{tokens}.jsonl"
    try:
        vocabulary, measured = dietmt_speed(m, preset, tokens, precision, batches, *options)
    except Failed as error:
        yield {**row, "trainer": "dietmt", "failed": str(error)}
        return
    yield {**row, "trainer": " ".join(("dietmt", *options)), **measured}
    for name, arguments in trainers.items():
        yield attempt({**row, "trainer": name}, lambda: pytorch_speed(
            m, preset, precision, batches, vocabulary, *arguments))


PADDED = {"PyTorch": ()}
PACKED = {"PyTorch, packed": ("--packed",)}
COMPILED = {"PyTorch, packed, compiled": ("--packed", "--compile")}


def training(m):
    """`tiny` and `base` beside PyTorch trainers on the same batches"""
    for preset in presets(m):
        for tokens in batch_sizes(m):
            compiled = COMPILED if preset == "base" else {}
            yield from speeds(m, preset, tokens, "bf16", {**PADDED, **PACKED, **compiled})
    for preset in presets(m):
        for tokens in batch_sizes(m):
            yield from speeds(m, preset, tokens, "fp32", PADDED)


def sweep(m):
    """`base` in bf16 by batch size, DIET-REL, and `big`"""
    for tokens in (4096, 8192, 16384, 32768, 65536):
        yield from speeds(m, "base", tokens, "bf16", PACKED)
    for position in ("diet-rel", "shaw(clip=16)", "rope"):
        yield from speeds(m, "base", batch_sizes(m)[0], "bf16", {}, "--position", position)
    yield from speeds(m, "big", batch_sizes(m)[0], "bf16", PACKED)


# ---- decoding ------------------------------------------------------------------------------------

def trained(m, preset, seconds):
    """A model of Multi30k after so many seconds on the device."""
    output = m.work / f"trained-{preset}"
    if not (output / "last").exists():
        train(m, output, seconds, "--preset", preset, "--device", m.device, "--precision", "bf16",
              "--batch-tokens", str(batch_sizes(m)[1] * (1 if preset == "tiny" else 2)),
              "--accumulate", "1", "--dropout", "0.1" if preset == "base" else "0.3",
              "--learning-rate", "1e-3" if preset == "base" else "5e-3", "--warmup", "500",
              "--save-interval", "100000", "--log-interval", "50", "--valid-interval", "100000",
              *(("--max-updates", "4", "--encoder-layers", "1", "--decoder-layers", "1")
                if m.trial else ()))
    return output / "last"


def translated(m, model, output, *options):
    """Seconds of the translation without those of the start."""
    text = m.data / "test_2016_flickr.en"
    first = m.work / "first.en"
    first.write_text("\n".join(text.read_text().splitlines()[:1]) + "\n")
    times = []
    for source in (first, first, text):
        start = time.monotonic()
        m.program("dietmt", "translate", "--model", model, "--input", source, "--output", output,
                  "--beam", "5", *options, seconds=120)
        times.append(time.monotonic() - start)
    return times[2] - times[1]


def bleu(m, hypothesis):
    text = m.program("dietmt", "evaluate", "--reference", m.data / "test_2016_flickr.de",
                     "--hypothesis", hypothesis, "--metric", "bleu")
    return float(re.search(r"BLEU\D*([\d.]+)", text)[1])


def decoded(m, model, reference, *options):
    output = m.work / "translated.de"
    seconds = translated(m, model, output, *options)
    lines = output.read_text().splitlines()
    equal = sum(a == b for a, b in zip(lines, reference or lines))
    return {"lines_per_second": round(len(lines) / seconds, 1), "bleu": bleu(m, output),
            "equal_lines": equal, "lines": len(lines)}


def decoding(m):
    """Multi30k with beam 5, on the GPU and by the CPU's engine; CTranslate2 in float16"""
    for preset in presets(m):
        seconds = 90 if preset == "base" else 45
        row = {"preset": preset}
        try:
            model = trained(m, preset, seconds)
        except Failed as error:
            yield {**row, "failed": str(error)}
            continue
        yield attempt({**row, "engine": "CPU"}, lambda: decoded(m, model, None, "--device", "cpu"))
        reference = m.work / "translated.de"
        expected = reference.read_text().splitlines() if reference.exists() else None
        for tokens in (1024, 4096, 16384):
            yield attempt({**row, "engine": f"{m.device}, --batch-tokens {tokens}"},
                          lambda: decoded(m, model, expected, "--device", m.device,
                                          "--batch-tokens", str(tokens)))
        if importlib.util.find_spec("ctranslate2"):
            yield attempt({**row, "engine": "CTranslate2, float16"},
                          lambda: ctranslate2_speed(m, model))
        else:
            yield {**row, "engine": "CTranslate2, float16", "failed": "it is not installed here"}


def ctranslate2_speed(m, model):
    exported = m.work / "exported"
    m.program("dietmt", "export", "--format", "ctranslate2", "--model", model, "--output", exported)
    script = pathlib.Path(__file__).with_name("ctranslate2_speed.py")
    output = m.work / "ctranslate2.de"
    found = json.loads(m.python(script, exported, m.data / "test_2016_flickr.en", output,
                                seconds=150).splitlines()[-1])
    return {**found, "bleu": bleu(m, output)}


# ---- memory, profile, sanitizers -----------------------------------------------------------------

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
            yield from ({"batch_tokens": tokens, **row} for row in trace.rows(output / "trace.json"))
        except (Failed, OSError) as error:
            yield {"batch_tokens": tokens, "failed": str(error)}


def sanitize(m):
    """the tests labelled gpu under compute-sanitizer: memcheck and racecheck"""
    for tool in ("memcheck", "racecheck"):
        for name in m.gpu_tests():
            def checked():
                text = m.run(["compute-sanitizer", "--tool", tool, "--error-exitcode", "9",
                              m.bin / name], 150, m.environment())
                summary = [line for line in text.splitlines() if "SUMMARY" in line]
                return {"value": summary[-1].strip("= ") if summary else "no summary"}
            yield attempt({"tool": tool, "test": name}, checked)


# ---- the list ------------------------------------------------------------------------------------

# Name: what it does, its most seconds.
STEPS = {
    "machine": (machine, 120),
    "tests": (tests, 150),
    "numerics": (numerics, 100),
    "training": (training, 240),
    "kernels": (kernels, 120),
    "decoding": (decoding, 240),
    "memory": (memory, 120),
    "profile": (profile, 150),
    "sanitize": (sanitize, 400),
    "sweep": (sweep, 400),
}
DEFAULT = ("machine", "tests", "numerics", "training", "kernels")
