#!/usr/bin/env python3
"""Extreme numbers on the command line: an answer or a usage error that names the option, in
seconds and 1 GB."""
from trials import build_and_work, execute, report, toy_model

MEGABYTES = 1000
POINT = 1


def answered(seen, lines):
    """Exit 0 with this many lines, none of them empty."""
    found = seen.out.splitlines()
    return seen.code == 0 and len(found) == lines and all(found)


def refused(seen, option):
    return seen.code == 2 and option in seen.err and len(seen.err) < 1000


def main():
    build, work = build_and_work()
    dietmt = build / "bin/dietmt"
    model = toy_model(dietmt, work)
    source = "".join(line + "\n" for line in (work / "train.en").read_text().splitlines()[:200])

    def trial(what, command, option, lines=None, input="", seconds=20):
        seen = execute([dietmt, *command], input, seconds)
        good = refused(seen, option) or (seen.code == 0 and lines is None) or answered(seen, lines)
        small = seen.megabytes < MEGABYTES
        report(POINT, what, good and small, seen)

    def translate(*options, input=source):
        what = " ".join(["translate", *map(str, options)])
        trial(what, ["translate", "--model", model, *options], str(options[-2]),
              input.count("\n"), input)

    for offset in (9223372036854775807, 100000000, 1000000):
        translate("--max-length-offset", offset)
    translate("--max-length-factor", "1e18")
    translate("--workers", 3000)
    translate("--threads", 100000)
    translate("--sample", "--temperature", "1e-39")
    translate("--sample", "--temperature", "0.001")
    translate("--beam", 2000, input="the red cat\n")
    translate("--length-penalty", "inf")
    trial("score --threads 100000", ["score", "--model", model, "--source", work / "valid.en",
                                     "--target", work / "valid.de", "--threads", 100000],
          "--threads")
    texts = ["--hypothesis", work / "valid.de", "--reference", work / "valid.de"]
    trial("evaluate --max-order 1000000000", ["evaluate", *texts, "--max-order", 1000000000],
          "--max-order")
    trial("evaluate --chrf-char-order 1000000000",
          ["evaluate", *texts, "--metric", "chrf", "--chrf-char-order", 1000000000],
          "--chrf-char-order")
    train = ["train", "--output", work / "extreme", "--train-source", work / "train.en",
             "--train-target", work / "train.de", "--valid-source", work / "valid.en",
             "--valid-target", work / "valid.de", "--vocab-size", 90,
             "--decoder-layers", 1, "--feed-forward", 64, "--heads", 2, "--dry-run",
             "--no-valid-translation"]
    trial("train --max-positions 10000000000", [*train, "--width", 64, "--position", "learned",
                                                "--max-positions", 10000000000], "--max-positions")
    trial("train --width 1000000000", [*train, "--width", 1000000000], "--width")
    trial("train --threads 100000", [*train, "--width", 64, "--threads", 100000], "--threads")
    trial("train --encoder-layers 1000000000",
          [*train, "--width", 64, "--encoder-layers", 1000000000], "--encoder-layers")


main()
