"""Shared by several steps: sizes, rows that may fail, runs of `dietmt train`."""

import json
import signal

from machine import Failed

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


def multi30k(m):
    options = []
    for part, file in (("train", "train"), ("valid", "val")):
        for side, language in (("source", "en"), ("target", "de")):
            options += [f"--{part}-{side}", m.data / f"{file}.{language}"]
    return options


def train(m, output, seconds, *options):
    """Trains without translating, for `seconds` or as long as the options say."""
    m.program("dietmt", "train", "--output", output, *multi30k(m), "--config", m.data / "tiny.cfg",
              "--tokenizer", m.data / "multi30k.model", "--no-valid-translation",
              "--valid-metric", "valid_loss", *options,
              seconds=seconds, stop=signal.SIGINT, ends=STOPPED)


def progress(output, kind="train"):
    lines = (output / "progress.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if row["kind"] == kind]
