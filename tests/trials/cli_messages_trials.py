#!/usr/bin/env python3
"""Messages about mistakes, and help."""
import json
import re
import shutil

from trials import build_and_work, execute, report, toy_model

POINT = 5
STAMP = re.compile(r"\d\d:\d\d:\d\d")


def main():
    build, work = build_and_work()
    dietmt = build / "bin/dietmt"
    model = toy_model(dietmt, work, updates=4) / "best"

    def trial(what, command, test, **more):
        seen = execute([dietmt, *command], **more)
        report(POINT, what, test(seen), seen)

    def damaged(key, value):
        """A copy of the model without its manifest and with another value in config.json."""
        copy = work / "damaged"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(model, copy)
        config = json.loads((copy / "config.json").read_text())
        config["model"][key] = value
        (copy / "config.json").write_text(json.dumps(config))
        (copy / "manifest.json").unlink(missing_ok=True)
        return copy

    def names_key(key):
        return lambda seen: (seen.code == 1 and seen.err.count("config.json") == 1
                             and key in seen.err and "--" not in seen.err
                             and "json.exception" not in seen.err)

    for key, value in (("width", 7), ("width", "wide"), ("width", -1), ("width", 10**30),
                       ("heads", 0), ("dropout", 2), ("norm", "middle"), ("norm", 3),
                       ("encoder_position", "nonsense"), ("max_positions", 0)):
        trial(f"config.json with {key} {value!r}",
              ["translate", "--model", damaged(key, value)], names_key(key), input="red\n")
    copy = damaged("width", 64)
    (copy / "config.json").write_text("{")
    trial("config.json that is no JSON", ["translate", "--model", copy],
          lambda seen: seen.code == 1 and seen.err.count("config.json") == 1
          and "json.exception" not in seen.err, input="red\n")

    train = ["train", "--train-source", work / "train.en", "--train-target", work / "train.de",
             "--valid-source", work / "valid.en", "--valid-target", work / "valid.de",
             "--vocab-size", 90, "--encoder-layers", 1, "--decoder-layers", 1, "--width", 64,
             "--feed-forward", 64, "--heads", 2, "--no-valid-translation", "--output",
             work / "other"]
    for spec in ("shaw(clip=99999999999)", "shaw(clip=0)", "t5(buckets=-1)", "t5(buckets=x)",
                 "nonsense"):
        trial(f"train --position {spec}", [*train, "--position", spec],
              lambda seen: seen.code == 2 and len(seen.err.splitlines()) == 1)
    trial("--clip-norm 0 that diverges", [*train, "--clip-norm", 0, "--learning-rate", 900,
                                          "--warmup", 0, "--max-updates", 60],
          lambda seen: seen.code == 1 and "--clip-norm 1" in seen.err
          and "smaller --clip-norm" not in seen.err)
    trial("usage error without a time", ["translate", "--beam", "x"],
          lambda seen: seen.code == 2 and not STAMP.search(seen.err))
    trial("unknown option", ["translate", "--model", model, "--bean", 4],
          lambda seen: seen.code == 2 and "did you mean --beam" in seen.err)
    trial("unknown command", ["trnslate"],
          lambda seen: seen.code == 2 and "did you mean translate" in seen.err)
    trial("unknown command of bert", ["bert", "finetun"],
          lambda seen: seen.code == 2 and "did you mean finetune" in seen.err)
    for command in (["train"], ["translate"], ["evaluate"], ["bert", "pretrain"]):
        trial(" ".join([*command, "--help"]), [*command, "--help"],
              lambda seen: seen.code == 0 and "Example" in seen.out)
    trial("train --help is short", ["train", "--help"],
          lambda seen: seen.code == 0 and len(re.findall(r"^  (?:-h, )?--", seen.out, re.M)) <= 21)
    trial("train --help-all has the rest", ["train", "--help-all"],
          lambda seen: seen.code == 0 and "--adam-beta2" in seen.out)


main()
