#!/usr/bin/env python3
"""From raw text to a small and fast translator.

    recipes/student/student.py SETTINGS.toml OUTPUT

Cleans the text, translates text of the target language back, trains teachers, translates the text
with the best of them, trains a student on that, packs it with a shortlist, measures all systems and
bundles the student with a model card. OUTPUT/summary.html shows the results. settings.toml explains
all settings. Run the same command again to resume after a stop: each step has a folder in OUTPUT and
is done once. Needs Python 3.11. The environment variable DIETMT names the program.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from pages import count, model_card, summary  # noqa: E402
from systems import System, best_of, measure, result_table  # noqa: E402

BACK_TAG = "<bt>"
DEFAULTS = {
    "source": None, "target": None, "name": "", "license": "", "options": [], "machine": [], "average": 5,
    "text": {"software": False, "train_source": [], "train_target": [], "valid": [], "test": [],
             "monolingual": ""},
    "clean": {"enabled": True, "rules": "", "options": []},
    "teacher": {"config": "", "options": [], "positions": ["diet-rel"]},
    "back_translation": {"options": ["--sample"]},
    "distill": {"options": ["--weights", "int8"]},
    "student": {"config": "", "options": [], "baseline": False},
    "evaluate": {"rounds": 3, "comet_model": ""},
}


def fail(message):
    print(f"student.py: {message}", file=sys.stderr)
    sys.exit(2)


def with_defaults(given, defaults, where=""):
    """The settings, all of them. Ends the program for an unknown name or a value of another type."""
    for name, value in given.items():
        if name not in defaults:
            fail(f"{where}{name} is not a setting; there are {', '.join(defaults)}")
        kind = type(defaults[name] if defaults[name] is not None else "")
        if type(value) is not kind:
            fail(f"{where}{name} must be of type {kind.__name__}")
    return {name: with_defaults(given.get(name, {}), default, f"{name}.")
            if isinstance(default, dict) else given.get(name, default)
            for name, default in defaults.items()}


def read_settings(path):
    """The settings in a file; names of files in it start at its folder."""
    try:
        settings = with_defaults(tomllib.loads(path.read_text()), DEFAULTS)
    except (OSError, tomllib.TOMLDecodeError) as error:
        fail(f"{path}: {error}")
    if not settings["source"] or not settings["target"]:
        fail(f"{path}: source and target are missing: codes of languages, such as en and de")
    folder = path.resolve().parent

    def located(name):
        file = re.sub(r":[1-9][0-9]*$", "", name)  # without the column of tab-separated text
        if not (folder / name).exists() and not (folder / file).exists():
            fail(f"{path}: {folder / name} does not exist")
        return str(folder / name) if name else ""

    text = settings["text"]
    for key in ("train_source", "train_target", "valid", "test"):
        text[key] = [located(name) for name in text[key]]
    text["monolingual"] = located(text["monolingual"])
    for part, key in (("clean", "rules"), ("teacher", "config"), ("student", "config"),
                      ("evaluate", "comet_model")):
        settings[part][key] = located(settings[part][key])
    own = text["train_source"] and len(text["train_source"]) == len(text["train_target"]) and \
        len(text["valid"]) == len(text["test"]) == 2
    if text["software"] == bool(own):
        fail(f"{path}: text needs software = true, or files: train_source and train_target, as many "
             "of both, and valid and test, a source and a target each")
    if text["software"] and "en" not in (settings["source"], settings["target"]):
        fail(f"{path}: the texts of software have en as source or target")
    if not settings["teacher"]["positions"]:
        fail(f"{path}: teacher.positions is empty")
    return settings


def write_json(path, value):
    """The file appears when it is complete."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value))
    part.rename(path)


class Recipe:
    def __init__(self, settings, output):
        self.settings, self.output = settings, output
        self.source, self.target = settings["source"], settings["target"]
        self.steps = []  # name, seconds
        # The settings that later steps depend on, then those of the steps so far.
        self.chain = [{key: settings[key] for key in ("source", "target", "options", "average", "text")}]
        self.texts = {}

    def call(self, *words):
        code = subprocess.run([*map(str, words)]).returncode
        if code != 0:
            print(f"student.py: stopped, since {' '.join(map(str, words[:2]))} ended with {code}; run "
                  "the same command again to resume", file=sys.stderr)
            sys.exit(code if code > 0 else 1)

    def dietmt(self, *words):
        self.call(os.environ["DIETMT"], *words)

    def step(self, name, settings, work):
        """Calls work(folder) unless the step was done with these settings and those before it."""
        folder = self.output / name
        self.chain.append({name: settings})
        note, done = folder / "step.json", folder / "done.json"
        if note.exists() and json.loads(note.read_text()) != self.chain:
            fail(f"{folder} is of other settings: give another OUTPUT, or remove this folder and those "
                 "of the steps after it")
        folder.mkdir(parents=True, exist_ok=True)
        write_json(note, self.chain)
        if not done.exists():
            print(f"student.py: {name}", file=sys.stderr, flush=True)
            start = time.monotonic()
            work(folder)
            write_json(done, {"seconds": round(time.monotonic() - start, 1)})
        self.steps.append((name, json.loads(done.read_text())["seconds"]))
        return folder

    def fetch(self):
        text = self.settings["text"]
        if not text["software"]:
            self.corpora = list(zip(text["train_source"], text["train_target"]))
            self.texts = {part: [pathlib.Path(name) for name in text[part]] for part in ("valid", "test")}
            return
        language = self.target if self.source == "en" else self.source
        folder = self.output / "text"
        if not (folder / f"test.{language}").exists():
            self.call(HERE.parent / "software/fetch.sh", "all", language, folder)
        sides = {part: [folder / f"{part}.{side}" for side in (self.source, self.target)]
                 for part in ("train", "valid", "test")}
        self.corpora = [tuple(sides.pop("train"))]
        self.texts = sides

    def clean(self):
        settings = self.settings["clean"]
        if not settings["enabled"]:
            return
        files = [(f"{i}.{self.source}", f"{i}.{self.target}") for i in range(1, len(self.corpora) + 1)]

        def work(folder):
            rules = ["--rules", settings["rules"]] if settings["rules"] else []
            for i, (given, made) in enumerate(zip(self.corpora, files), 1):
                self.dietmt("clean", *given, "--output", *[folder / name for name in made], *rules,
                            "--source-language", self.source, "--target-language", self.target,
                            "--report", folder / f"{i}.html", *settings["options"])

        folder = self.step("clean", settings, work)
        self.corpora = [tuple(folder / name for name in pair) for pair in files]

    def train(self, folder, corpora, sides, *options):
        """Trains and averages the last checkpoints. sides: 0, 1, or 1, 0 for the other direction."""
        source, target = sides
        valid = self.texts["valid"]
        self.dietmt("train", "--output", folder, *options,
                    "--train-source", *[pair[source] for pair in corpora],
                    "--train-target", *[pair[target] for pair in corpora],
                    "--valid-source", valid[source], "--valid-target", valid[target],
                    *self.settings["options"], *self.settings["machine"])
        shutil.rmtree(folder / "averaged", ignore_errors=True)
        self.dietmt("average", "--inputs", folder, "--last", self.settings["average"],
                    "--output", folder / "averaged")

    def options_of(self, part):
        settings = self.settings[part]
        return (["--config", settings["config"]] if settings["config"] else []) + settings["options"]

    def back_translate(self):
        """Adds a corpus if there is text of the target language."""
        self.back = []
        monolingual = self.settings["text"]["monolingual"]
        if not monolingual:
            return
        teacher = self.settings["teacher"]
        reverse = self.step("reverse", teacher, lambda folder: self.train(
            folder, self.corpora, (1, 0), *self.options_of("teacher"),
            "--position", teacher["positions"][0]))
        settings = self.settings["back_translation"] | {"text": monolingual}
        folder = self.step("back", settings, lambda folder: self.dietmt(
            "distill", "--model", reverse / "averaged", "--source", monolingual, "--back-translate",
            "--output-source", folder / f"back.{self.source}",
            "--output-target", folder / f"back.{self.target}", *settings["options"]))
        self.back = [(folder / f"back.{self.source}", folder / f"back.{self.target}")]

    def train_teachers(self):
        self.teachers, pieces = [], []
        tags = ["--source-tags", *["-"] * len(self.corpora), BACK_TAG] if self.back else []
        settings = self.settings["teacher"]
        for position in settings["positions"]:
            name = f"teacher-{len(self.teachers) + 1}"
            folder = self.step(name, settings | {"position": position}, lambda folder: self.train(
                folder, self.corpora + self.back, (0, 1), *self.options_of("teacher"),
                "--position", position, *pieces, *tags))
            pieces = ["--tokenizer", folder / "last/tokenizer.model"]
            self.teachers.append((position, folder))
        self.pieces = pieces

    def teacher_systems(self):
        """The systems among which the teacher is chosen."""
        averages = [System(f"teacher, {position}, averaged", [folder / "averaged"])
                    for position, folder in self.teachers]
        if len(averages) > 1:
            averages.append(System("ensemble of the teachers",
                                   [model for system in averages for model in system.models]))
        return averages

    def distill(self):
        files = [(f"{i}.{self.source}", f"{i}.{self.target}") for i in range(1, len(self.corpora) + 1)]

        def work(folder):
            chosen = folder / "teacher.txt"
            if not chosen.exists():
                best = best_of(self.teacher_systems(), self.texts["valid"], folder)
                chosen.write_text(best.name)
            best = next(system for system in self.teacher_systems() if system.name == chosen.read_text())
            for given, made in zip(self.corpora, files):
                self.dietmt("distill", "--model", ",".join(map(str, best.models)), "--source", given[0],
                            "--output-source", folder / made[0], "--output-target", folder / made[1],
                            *self.settings["distill"]["options"])

        folder = self.step("distilled", self.settings["distill"], work)
        self.teacher = (folder / "teacher.txt").read_text()
        self.distilled = [tuple(folder / name for name in pair) for pair in files]

    def train_students(self):
        options = [*self.options_of("student"), *self.pieces]
        settings = self.settings["student"]
        self.baseline = None
        if settings["baseline"]:
            self.baseline = self.step("baseline", settings, lambda folder: self.train(
                folder, self.corpora, (0, 1), *options))
        self.student = self.step("student", settings, lambda folder: self.train(
            folder, self.distilled, (0, 1), *options))

    def pack(self):
        self.packed = self.student / "int8"

        def work(_):
            shutil.rmtree(self.packed, ignore_errors=True)
            self.dietmt("quantize", "--model", self.student / "averaged", "--output", self.packed)
            self.dietmt("shortlist", "--model", self.packed,
                        "--train-source", *[pair[0] for pair in self.distilled],
                        "--train-target", *[pair[1] for pair in self.distilled],
                        "--output", self.packed / "shortlist.bin")

        self.step("packed", {"type": "int8"}, work)

    def systems(self):
        shortlist = self.packed / "shortlist.bin"
        found = [System(f"teacher, {position}", [folder / "last"]) for position, folder in self.teachers]
        found += self.teacher_systems()
        if self.baseline:
            found.append(System("student on the same text", [self.baseline / "averaged"]))
        return found + [System("student", [self.student / "averaged"], distilled=True),
                        System("the same in int8", [self.packed], distilled=True),
                        System("the same with a shortlist", [self.packed], shortlist, distilled=True)]

    def evaluate(self):
        settings = self.settings["evaluate"]

        def work(folder):
            facts = {"pair": f"{self.source}-{self.target}", "teacher": self.teacher,
                     "training_pairs": sum(count(source) for source, _ in self.distilled)}
            results = measure(self.systems(), self.texts, folder, settings["rounds"],
                              settings["comet_model"], facts)
            (folder / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in results))

        self.evaluated = self.step("evaluated", settings, work)
        self.results = [json.loads(line) for line in (self.evaluated / "results.jsonl").open()]

    def bundle(self):
        name = self.settings["name"] or f"{self.source}-{self.target}"

        def work(folder):
            model = folder / name
            shutil.rmtree(model, ignore_errors=True)
            shutil.copytree(self.packed, model)
            (model / "MODEL_CARD.md").write_text(model_card(name, self))
            part = folder / "part"
            with tarfile.open(part, "w:gz") as archive:
                archive.add(model, name)
            part.rename(folder / f"{name}.tar.gz")

        folder = self.step("bundle", {"name": name, "license": self.settings["license"]}, work)
        self.archive = folder / f"{name}.tar.gz"

    def run(self):
        self.fetch()
        self.clean()
        self.back_translate()
        self.train_teachers()
        self.distill()
        self.train_students()
        self.pack()
        self.evaluate()
        self.bundle()
        (self.output / "summary.html").write_text(summary(self))
        print(result_table(self.results))
        print(f"\nThe translator: {self.archive}")
        print(f"All results: {self.output / 'summary.html'}")


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
    os.environ.setdefault("DIETMT", str(HERE.parents[1] / "build/bin/dietmt"))
    output = pathlib.Path(sys.argv[2])
    settings = read_settings(pathlib.Path(sys.argv[1]))
    output.mkdir(parents=True, exist_ok=True)
    Recipe(settings, output).run()


if __name__ == "__main__":
    main()
