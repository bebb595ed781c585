#!/usr/bin/env python3
"""What a finished run was and reached, as one line of JSON: record.py RUN KEY=VALUE...

RUN is an output directory of dietmt train with test.json, the answer of dietmt evaluate --json. The
line has the given keys, the options that matter, validation and test scores, hours, speed, the
commit of this checkout and the processor; it is also written to RUN/result.json.
"""
import datetime
import json
import pathlib
import statistics
import sys

from provenance import commit, processor


def hours(entries):
    """Training time; the clock of progress.jsonl starts again when a run is resumed."""
    total = before = 0.0
    for entry in entries:
        total += entry["seconds"] - (before if entry["seconds"] >= before else 0.0)
        before = entry["seconds"]
    return total / 3600


def record(run, facts):
    settings = json.loads((run / "settings.json").read_text())["settings"]
    entries = [json.loads(line) for line in (run / "progress.jsonl").open()]
    train = [entry for entry in entries if entry["kind"] == "train"]
    valid = [entry for entry in entries if entry["kind"] == "valid"]
    scores = json.loads((run / "test.json").read_text())
    read = datetime.datetime.fromtimestamp((run / "test.json").stat().st_mtime, datetime.timezone.utc)
    return facts | {
        "encoding": settings["position"],
        "decoder_encoding": settings["decoder-position"] or settings["position"],
        "seed": int(settings["seed"]),
        "updates": train[-1]["update"],
        "batch_tokens": int(settings["batch-tokens"]) * int(settings["accumulate"]),
        "precision": settings["precision"],
        "validation": {key: round(value, 4) for key, value in valid[-1].items()
                       if key in ("bleu", "chrf", "valid_loss")},
        "test": {score["metric"]: round(score["score"], 4) for score in scores},
        "signatures": [score["signature"] for score in scores],
        "test_read": read.isoformat(timespec="seconds"),
        "hours": round(hours(entries), 3),
        "tokens_per_second": statistics.median(entry["tokens_per_second"] for entry in train),
        "memory_mb": max(entry["peak_memory_mb"] for entry in train),
        "commit": commit(),
        "processor": processor(),
    }


def main():
    run = pathlib.Path(sys.argv[1])
    line = json.dumps(record(run, dict(fact.split("=", 1) for fact in sys.argv[2:])))
    (run / "result.json").write_text(line + "\n")
    print(line)


main()
