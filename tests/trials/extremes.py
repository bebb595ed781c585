"""Extreme numbers for the options of commands: toy models and texts for each command, the values from
the tables that --help-json prints, and REPORTED, what users tried.

A value that the option does not accept, or that exceeds the machine's memory, is an error that names
the option; all others work. Both in seconds and in MEGABYTES of memory."""
import json
import shutil
import sys

from trials import execute, toy_model

MEGABYTES = 1000
CPU_SECONDS = 30
LATEST = 300  # wall-clock seconds; the machine may be busy

REPORTED = {
    "translate": [("max-length-offset", "9223372036854775807"), ("max-length-offset", "100000000"),
                  ("max-length-offset", "1000000"), ("max-length-factor", "1e18"),
                  ("workers", "3000"), ("threads", "100000"), ("beam", "2000"),
                  ("length-penalty", "inf")],
    "translate --sample": [("temperature", "1e-39"), ("temperature", "0.001")],
    "score": [("threads", "100000")],
    "evaluate": [("max-order", "1000000000"), ("chrf-char-order", "1000000000")],
    "train": [("max-positions", "10000000000"), ("width", "1000000000"), ("threads", "100000"),
              ("encoder-layers", "1000000000"), ("batch-tokens", "10000000000")],
    "bert pretrain": [("max-positions", "10000000000"), ("width", "1000000000")],
}
# Commands that make models of any size, and their limit on address space: just under a gigabyte
# that dietmt-torch maps before it allocates, and a gigabyte.
SIZES_OF_MODELS = ("train", "bert pretrain", "bert finetune", "bert params", "inspect params")
ADDRESSES = 2 << 30


class Toys:
    """Small models and texts, and the arguments of each command that make it do little."""

    def __init__(self, dietmt, work):
        self.dietmt, self.work = dietmt, work
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.model = toy_model(dietmt, work, updates=4)
        self.texts = ["--train-source", work / "train.en", "--train-target", work / "train.de",
                      "--valid-source", work / "valid.en", "--valid-target", work / "valid.de"]
        self.sizes = ["--width", 32, "--feed-forward", 32, "--heads", 2, "--threads", 1]
        self.pretrain = ["--train", work / "train.en", "--valid", work / "valid.en", "--documents",
                         "every-line", "--preset", "tiny", "--vocab-size", 70, "--length", 16,
                         "--batch-tokens", 200, *self.sizes]
        self.finetune = ["--model", work / "bert", "--train", work / "task.tsv", "--valid",
                         work / "task.tsv", "--max-length", 16, "--threads", 1]
        self.translate = ["--model", work / "packed", "--input", work / "line", "--threads", 1]
        self._write()

    def _write(self):
        lines = (self.work / "train.en").read_text().splitlines()
        (self.work / "line").write_text(lines[0] + "\n")
        (self.work / "lines").write_text("".join(line + "\n" for line in lines[:200]))
        (self.work / "list").write_text("0 ||| rot ||| -1\n0 ||| blau ||| -2\n")
        labelled = [f"{line}\t{'animal' if 'cat' in line else 'other'}\n" for line in lines[:40]]
        (self.work / "task.tsv").write_text("sentence\tlabel\n" + "".join(labelled))
        self._make("quantize", "--model", self.model, "--output", self.work / "packed", "--type",
                   "fp32")
        self._make("bert", "pretrain", *self.pretrain, "--warmup", 1, "--max-updates", 2,
                   "--output", self.work / "bert")
        self._make("bert", "finetune", *self.finetune, "--epochs", 1, "--output",
                   self.work / "finetuned")

    def _make(self, *command):
        seen = execute([self.dietmt, *command], seconds=LATEST)
        if seen.code != 0:
            sys.exit(f"{command} fails: {seen.err}")

    def _fresh(self, name):
        """A path where nothing exists."""
        shutil.rmtree(self.work / name, ignore_errors=True)
        return self.work / name

    def commands(self):
        work, model, fresh = self.work, self.model, self._fresh
        source, target = work / "valid.en", work / "valid.de"
        arguments = {
            "tokenizer": lambda: ["--input", work / "train.en", "--output", work / "joint",
                                  "--vocab-size", 60],
            "train": lambda: [*self.texts, "--output", fresh("trained"), "--dry-run",
                              "--vocab-size", 60, "--encoder-layers", 1, "--decoder-layers", 1,
                              "--position", "learned", "--batch-tokens", 100,
                              "--no-valid-translation", *self.sizes],
            "translate": lambda: self.translate,
            "translate --sample": lambda: [*self.translate, "--sample"],
            "distill": lambda: ["--model", work / "packed", "--source", work / "line",
                                "--output-source", work / "distilled.en", "--output-target",
                                work / "distilled.de"],
            "score": lambda: ["--model", model, "--source", source, "--target", target],
            "rerank": lambda: ["--nbest-list", work / "list", "--source", work / "line", "--model",
                               work / "packed", "--threads", 1],
            "evaluate": lambda: ["--reference", target, "--hypothesis", target, source, "--metric",
                                 "bleu,chrf,ter", "--confidence", "--paired", "bootstrap"],
            "serve": lambda: ["--model", f"en-de={model}", "--port", 0, "--preload",
                              "--data", work / "jobs"],
            "models list": lambda: ["--pair", "en-de"],
            "quantize": lambda: ["--model", model, "--output", fresh("int8"), "--source",
                                 work / "line", "--reference", work / "line", "--workers", 1],
            "average": lambda: ["--inputs", model, "--output", fresh("averaged")],
            "shortlist": lambda: ["--model", model, "--output", work / "shortlist",
                                  *self.texts[:4], "--iterations", 1, "--threads", 1],
            "inspect params": lambda: ["--preset", "tiny", "--position", "learned"],
            "inspect positions": lambda: ["--model", model, "--json"],
            "bert pretrain": lambda: [*self.pretrain, "--output", fresh("pretrained"),
                                      "--dry-run"],
            "bert finetune": lambda: [*self.finetune, "--output", fresh("tuned"), "--dry-run"],
            "bert predict": lambda: ["--model", work / "finetuned", "--input", work / "task.tsv",
                                     "--output", work / "predictions.tsv"],
            "bert embed": lambda: ["--model", work / "bert", "--input", work / "line", "--output",
                                   work / "line.npy"],
            "bert params": lambda: ["--preset", "tiny"],
        }
        return {name: Command(self.dietmt, name, make) for name, make in arguments.items()}


class Option:
    def __init__(self, described, reported):
        self.name = described["name"]
        self.whole = described["type"] == "integer"
        self.least, self.most = described.get("least"), described.get("most")
        self.above, self.below = described.get("above"), described.get("below")
        self.reported = reported

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
        words += [repr(number) for number in numbers if not self.allows(number)]
        return words + [word for word in self.reported if not self.allows(float(word))]

    def accepted(self):
        """Values that it may take."""
        values = [self.lowest(), self.highest()]
        values += [value for value in (0, -1) if self.allows(value)]
        words = [repr(value) for value in values]
        return words + [word for word in self.reported if self.allows(float(word))]


class Command:
    """`arguments` returns those that make it do little."""

    def __init__(self, dietmt, name, arguments):
        words = name.split()
        self.name, self.dietmt, self.arguments = name, dietmt, arguments
        self.flags = [word for word in words if word.startswith("--")]
        self.words = [word for word in words if not word.startswith("--")]
        self.addresses = ADDRESSES if name in SIZES_OF_MODELS else None
        self.slowest = 0
        self._options = None

    def options(self):
        """Those that take a number."""
        if self._options is None:
            shown = execute([self.dietmt, *self.words, "--help-json"]).out
            reported = REPORTED.get(self.name, [])
            self._options = [
                Option(one, [value for name, value in reported if name == one["name"]])
                for one in json.loads(shown)["options"] if one["type"] in ("integer", "number")]
        return self._options

    def run(self, values):
        """With these values; the arguments that they replace are left out."""
        kept, skip = [], False
        for word in map(str, self.arguments()):
            if word.startswith("--"):
                skip = word[2:] in values
            if not skip:
                kept.append(word)
        given = [f"--{name}={value}" for name, value in values.items()]
        seen = execute([self.dietmt, *self.words, *kept, *self.flags, *given], seconds=LATEST,
                       stop_at="listening at" if self.name == "serve" else None,
                       addresses=self.addresses)
        self.slowest = max(self.slowest, seen.cpu_seconds)
        return seen


def takes_too_much(seen):
    return (seen.megabytes > MEGABYTES or seen.cpu_seconds > CPU_SECONDS or seen.code == "late")


def is_refused(seen, option):
    """One sentence that names the option, without a library's message."""
    return seen.code == 2 and f"--{option}" in seen.err and len(seen.err) < 1000
