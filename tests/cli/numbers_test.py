#!/usr/bin/env python3
"""Gives every numeric option of every command its extremes, from the tables that --help-json prints:
numbers_test.py BINARY WORK

A value that the option does not take, and one that the machine has no room for, is a usage error
(exit code 2) that names the option; all others work. Both in seconds and in 1 GB of memory. Options
with an extreme value are tried together, as long as the command takes them together; those that it
refuses together are tried again one by one."""
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "trials"))
from trials import execute, toy_corpus, toy_model  # noqa: E402

MEGABYTES = 1000
CPU_SECONDS = 30
# Options that leave nothing of a text, which is a failure (exit code 1) that names them.
FILTERS = ("min-tokens", "max-tokens", "max-ratio")
LATEST = 300  # wall-clock seconds; the machine may be busy

dietmt, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
failures = []


def made(command):
    seen = execute([dietmt, *command], seconds=LATEST)
    if seen.code != 0:
        sys.exit(f"{command} fails: {seen.err}")


def table(lines):
    return "sentence\tlabel\n" + "".join(
        f"{line}\t{'animal' if 'cat' in line else 'other'}\n" for line in lines)


def fresh(name):
    """A path at which nothing exists."""
    shutil.rmtree(work / name, ignore_errors=True)
    return work / name


def prepare():
    """Small models and texts; returns the arguments of each command that make it do little."""
    model = toy_model(dietmt, work, updates=4)
    source, target = work / "valid.en", work / "valid.de"
    made(["quantize", "--model", model, "--output", work / "packed", "--type", "fp32"])
    texts = ["--train-source", work / "train.en", "--train-target", work / "train.de",
             "--valid-source", source, "--valid-target", target]
    sizes = ["--width", 32, "--feed-forward", 32, "--heads", 2, "--threads", 1]
    pretrain = ["--train", work / "train.en", "--valid", source, "--documents", "every-line",
                "--preset", "tiny", "--vocab-size", 70, "--length", 16, "--batch-tokens", 200]
    made(["bert", "pretrain", *pretrain, *sizes, "--warmup", 1, "--max-updates", 2,
          "--output", work / "bert"])
    lines = (work / "train.en").read_text().splitlines()
    (work / "task.tsv").write_text(table(lines[:40]))
    finetune = ["--model", work / "bert", "--train", work / "task.tsv", "--valid",
                work / "task.tsv", "--max-length", 16, "--threads", 1]
    made(["bert", "finetune", *finetune, "--epochs", 1, "--output", work / "finetuned"])
    (work / "line").write_text(lines[0] + "\n")
    translate = ["--model", work / "packed", "--input", work / "line", "--threads", 1]
    return {
        "tokenizer": lambda: ["--input", work / "train.en", "--output", work / "joint",
                              "--vocab-size", 60],
        "train": lambda: [*texts, "--output", fresh("trained"), "--dry-run", "--vocab-size", 60,
                          "--encoder-layers", 1, "--decoder-layers", 1,
                          "--no-valid-translation", *sizes],
        "translate": lambda: translate,
        "translate --sample": lambda: [*translate, "--sample"],
        "distill": lambda: ["--model", work / "packed", "--source", work / "line",
                            "--output-source", work / "distilled.en", "--output-target",
                            work / "distilled.de"],
        "score": lambda: ["--model", model, "--source", source, "--target", target],
        "evaluate": lambda: ["--reference", target, "--hypothesis", target, source,
                             "--metric", "bleu,chrf,ter", "--confidence", "--paired", "bootstrap"],
        "serve": lambda: ["--model", f"en-de={model}", "--port", 0, "--preload",
                          "--data", work / "jobs"],
        "quantize": lambda: ["--model", model, "--output", fresh("int8"), "--source",
                             work / "line", "--reference", work / "line", "--workers", 1],
        "average": lambda: ["--inputs", model, "--output", fresh("averaged")],
        "shortlist": lambda: ["--model", model, "--output", work / "shortlist",
                              *texts[:4], "--iterations", 1, "--threads", 1],
        "inspect params": lambda: ["--preset", "tiny"],
        "inspect positions": lambda: ["--model", model, "--json"],
        "bert pretrain": lambda: [*pretrain, *sizes, "--output", fresh("pretrained"), "--dry-run"],
        "bert finetune": lambda: [*finetune, "--output", fresh("tuned"), "--dry-run"],
        "bert predict": lambda: ["--model", work / "finetuned", "--input", work / "task.tsv",
                                 "--output", work / "predictions.tsv"],
        "bert embed": lambda: ["--model", work / "bert", "--input", work / "line", "--output",
                               work / "line.npy"],
        "bert import": None,  # its seed; needs a foreign model
        "bert params": lambda: ["--preset", "tiny"],
    }


class Option:
    def __init__(self, described):
        self.name = described["name"]
        self.whole = described["type"] == "integer"
        self.least, self.most = described.get("least"), described.get("most")
        self.above, self.below = described.get("above"), described.get("below")

    def has_range(self):
        return ((self.least is not None or self.above is not None)
                and (self.most is not None or self.below is not None))

    def allows(self, value):
        return ((self.least is None or value >= self.least)
                and (self.most is None or value <= self.most)
                and (self.above is None or value > self.above)
                and (self.below is None or value < self.below))

    def lowest(self):
        return self.least if self.least is not None else self.above + (1 if self.whole else 1e-9)

    def highest(self):
        return self.most if self.most is not None else self.below - (1 if self.whole else 1e-9)

    def refused(self):
        """Words that it must refuse."""
        words = ["text", "nan", "inf", "-inf", "9223372036854775808000", "1e999", "0x10"]
        below = self.least - 1 if self.least is not None else self.above
        above = self.most + 1 if self.most is not None else self.below
        numbers = [below, above, 0, -1, 2**63 - 1, -(2**63)]
        numbers += [] if self.whole else [1e308, -1e308, 5e-324]
        words += ["1e308"] if self.whole else []
        return words + [repr(number) for number in numbers if not self.allows(number)]

    def accepted(self):
        """Values that it may take."""
        values = [self.lowest(), self.highest()]
        return [repr(value) for value in values + [0, -1] if value in values or self.allows(value)]


class Command:
    def __init__(self, name, arguments):
        words = name.split()
        self.flags = [word for word in words if word.startswith("--")]
        self.words = [word for word in words if not word.startswith("--")]
        self.name, self.arguments = name, arguments
        described = json.loads(execute([dietmt, *self.words, "--help-json"]).out)
        self.options = [Option(one) for one in described["options"]
                        if one["type"] in ("integer", "number")]
        failures.extend(f"{name}: --{option.name} has no range" for option in self.options
                        if not option.has_range())
        self.options = [option for option in self.options if option.has_range()]
        self.slowest = 0

    def run(self, values):
        """With these values; the arguments that they replace are left out."""
        given = [f"--{name}={value}" for name, value in values.items()]
        kept, skip = [], False
        for word in map(str, self.arguments()):
            if word.startswith("--"):
                skip = word[2:] in values
            if not skip:
                kept.append(word)
        seen = execute([dietmt, *self.words, *kept, *self.flags, *given], seconds=LATEST,
                       stop_at="listening at" if self.name == "serve" else None)
        self.slowest = max(self.slowest, seen.cpu_seconds)
        if seen.megabytes > MEGABYTES or seen.cpu_seconds > CPU_SECONDS or seen.code == "late":
            self.fail(given, seen)
        return seen

    def fail(self, given, seen):
        failures.append(f"{self.name} {' '.join(given)}: exit {seen.code}, {seen.cpu_seconds:.1f} s "
                        f"of CPU, {seen.megabytes:.0f} MB: {seen.err[-500:]}")

    def check_refused(self):
        """One run for the first refused word of every option, one for the second, and so on. Words
        that are no numbers come first, since they are reported alone."""
        lists = {option.name: option.refused() for option in self.options}
        for i in range(max(map(len, lists.values()), default=0)):
            values = {name: words[i] for name, words in lists.items() if i < len(words)}
            seen = self.run(values)
            while seen.code == 2 and values:
                named = [name for name in values if f"--{name} is " in seen.err]
                if not named:
                    break
                for name in named:
                    del values[name]
                seen = self.run(values) if values else seen
            if values:
                self.fail([f"--{name}={value}" for name, value in values.items()], seen)

    def check_accepted(self):
        lists = {option.name: option.accepted() for option in self.options}
        for i in range(max(map(len, lists.values()), default=0)):
            values = {name: words[i] for name, words in lists.items() if i < len(words)}
            seen = self.run(values)
            while seen.code in (1, 2) and values:
                named = [name for name in values if f"--{name}" in seen.err]
                for name in named:
                    self.check_alone(name, values.pop(name))
                if not named:
                    break
                seen = self.run(values)
            if seen.code != 0:
                self.fail([f"--{name}={value}" for name, value in values.items()], seen)

    def check_alone(self, name, value):
        seen = self.run({name: value})
        codes = (1, 2) if name in FILTERS else (2,)
        if seen.code != 0 and not (seen.code in codes and f"--{name}" in seen.err):
            self.fail([f"--{name}={value}"], seen)


def main():
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    only = sys.argv[3:]
    has_service = "\n  serve " in execute([dietmt, "--help"]).out
    for name, arguments in prepare().items():
        if arguments is None or (only and name not in only) or (name == "serve" and not has_service):
            continue
        command = Command(name, arguments)
        command.check_refused()
        command.check_accepted()
        print(f"{name}: {len(command.options)} options, {command.slowest:.1f} s at most", flush=True)
    print("\n".join(failures))
    sys.exit(bool(failures))


main()
