#!/usr/bin/env python3
"""Settings and scores of a finished run as one line of JSON: record.py RUN KEY=VALUE...

RUN is an output directory of dietmt train with test.json, the answer of dietmt evaluate --json. The
line has the given keys, the options that matter, validation and test scores, hours, speed, the
date, the commit of this checkout and the processor; it is also written to RUN/result.json.
"""
import datetime
import json
import pathlib
import sys

from runs import place, training_facts


def record(run, facts):
    settings = json.loads((run / "settings.json").read_text())["settings"]
    scores = json.loads((run / "test.json").read_text())
    read = datetime.datetime.fromtimestamp((run / "test.json").stat().st_mtime, datetime.timezone.utc)
    return facts | training_facts(run) | place() | {
        "decoder_encoding": settings["decoder-position"] or settings["position"],
        "test": {score["metric"]: round(score["score"], 4) for score in scores},
        "signatures": [score["signature"] for score in scores],
        "test_read": read.isoformat(timespec="seconds"),
    }


def main():
    run = pathlib.Path(sys.argv[1])
    line = json.dumps(record(run, dict(fact.split("=", 1) for fact in sys.argv[2:])))
    (run / "result.json").write_text(line + "\n")
    print(line)


main()
