"""The step that times decoding."""

import importlib.util
import json
import pathlib
import re
import shutil
import statistics
import time

from common import attempt, batch_sizes, presets, train
from machine import Failed


LINES = 200_000  # so that loading kernels and recording graphs take a small share


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


def longer_text(m):
    """The test set, followed by the training text as often as it takes."""
    lines, more = ((m.data / f"{name}.en").read_text().splitlines()
                   for name in ("test_2016_flickr", "train"))
    path = m.work / "longer.en"
    path.write_text("\n".join(lines + [more[i % len(more)] for i in range(LINES - len(lines))]) + "\n")
    return path


def test_text(m):
    return m.data / "test_2016_flickr.en"


def translated(m, model, text, output, *options):
    """Seconds of the translation without those of the start: of a short text the median of three."""
    first = m.work / "first.en"
    first.write_text("\n".join(text.read_text().splitlines()[:1]) + "\n")

    def seconds(source):
        start = time.monotonic()
        m.program("dietmt", "translate", "--model", model, "--input", source, "--output", output,
                  "--beam", "5", *options, seconds=120)
        return time.monotonic() - start

    seconds(first)
    repeats = 1 if m.trial or text != test_text(m) else 3
    pairs = [(seconds(first), seconds(text)) for _ in range(repeats)]
    start, whole = map(statistics.median, zip(*pairs))
    return whole - start


def bleu(m, lines):
    """BLEU of the lines of the test set, which come first."""
    reference = m.data / "test_2016_flickr.de"
    hypothesis = m.work / "hypothesis.de"
    count = len(reference.read_text().splitlines())
    hypothesis.write_text("\n".join(lines[:count]) + "\n")
    text = m.program("dietmt", "evaluate", "--reference", reference, "--hypothesis", hypothesis,
                     "--metric", "bleu")
    return float(re.search(r"BLEU\D*([\d.]+)", text)[1])


def decoded(m, model, text, reference, *options):
    """The fields of a row, and the lines. `reference`: others' translations of the test set."""
    output = m.work / "translated.de"
    seconds = translated(m, model, text, output, *options)
    lines = output.read_text().splitlines()
    row = {"lines_per_second": round(len(lines) / seconds, 1), "bleu": bleu(m, lines),
           "lines": len(lines)}
    if reference:
        equal = sum(a == b for a, b in zip(lines, reference))
        row["equal_lines"] = f"{equal} of {len(reference)}"
    return row, lines


def decoding(m):
    """Multi30k with beam 5, on the GPU and by the CPU's engine; CTranslate2 in float16"""
    text = test_text(m) if m.trial else longer_text(m)
    for preset in presets(m):
        seconds = 90 if preset == "base" else 45
        row = {"preset": preset}
        try:
            model = trained(m, preset, seconds)
        except Failed as error:
            yield {**row, "failed": str(error)}
            continue
        expected = None
        try:
            found, expected = decoded(m, model, test_text(m), None, "--device", "cpu")
            yield {**row, "engine": "CPU", **found}
        except Failed as error:
            yield {**row, "engine": "CPU", "failed": str(error)}
        for weights in ("fp32", "bf16") if m.trial else ("fp32", "bf16", "fp16"):
            yield attempt({**row, "engine": f"{m.device}, {weights}"},
                          lambda: decoded(m, model, text, expected, "--device", m.device,
                                          "--weights", weights)[0])
        if importlib.util.find_spec("ctranslate2"):
            yield attempt({**row, "engine": "CTranslate2, float16"},
                          lambda: ctranslate2_speed(m, model, text))
        else:
            yield {**row, "engine": "CTranslate2, float16", "failed": "it is not installed here"}


def ctranslate2_speed(m, model, text):
    exported = m.work / "exported"
    shutil.rmtree(exported, ignore_errors=True)
    m.program("dietmt", "export", "--to", "ctranslate2", "--model", model, "--output", exported)
    script = pathlib.Path(__file__).with_name("ctranslate2_speed.py")
    output = m.work / "ctranslate2.de"
    found = json.loads(m.python(script, exported, text, output,
                                seconds=150).splitlines()[-1])
    return {**found, "bleu": bleu(m, output.read_text().splitlines())}
