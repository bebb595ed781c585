#!/usr/bin/env python3
"""What deploy.sh measures.

    deploy.py teacher SOURCE TARGET OUTPUT
                               prints the models of the teacher
    deploy.py table SOURCE TARGET OUTPUT ROUNDS [KEY=VALUE...]
                               prints the table and writes results.jsonl, each line with these facts

The teacher is the averaged model with the best BLEU on the validation text, or the ensemble of both.
For the table, every system translates the test pages ROUNDS times, in turns with the others, each
time in a new process. Lines per second are those of the median time without that for the first line,
which is the start; processor seconds include it.
"""
import json
import os
import pathlib
import statistics
import sys
from operator import attrgetter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from runs import measured, place, scores, training_facts  # noqa: E402

SMALL, TINY = "small-{}/model/{}", "tiny-{}/{}"
AVERAGES = [SMALL.format("sinusoidal", "averaged"), SMALL.format("diet-rel", "averaged")]
SYSTEMS = {  # name: (models, shortlist or None)
    "`small`, sinusoidal": ([SMALL.format("sinusoidal", "last")], None),
    "`small`, sinusoidal, averaged": (AVERAGES[:1], None),
    "`small`, DIET-REL": ([SMALL.format("diet-rel", "last")], None),
    "`small`, DIET-REL, averaged": (AVERAGES[1:], None),
    "ensemble of the averages": (AVERAGES, None),
    "`tiny` on the same text, averaged": ([TINY.format("plain", "averaged")], None),
    "`tiny` distilled": ([TINY.format("distilled", "averaged")], None),
    "the same in int8": ([TINY.format("distilled", "int8")], None),
    "the same with a shortlist": (
        [TINY.format("distilled", "int8")], TINY.format("distilled", "int8/shortlist.bin")),
}


TEACHERS = ["`small`, sinusoidal, averaged", "`small`, DIET-REL, averaged",
            "ensemble of the averages"]


class System:
    def __init__(self, name, output):
        models, shortlist = SYSTEMS[name]
        self.name = name
        self.models = [output / model for model in models]
        self.is_distilled = models[0].startswith("tiny-distilled/")
        self.shortlist = output / shortlist if shortlist else None
        self.starts, self.uses = [], []

    def translate(self, source, translation):
        command = [os.environ["DIETMT"], "translate", "--quiet", "--input", source, "--output",
                   translation, "--model", ",".join(map(str, self.models))]
        if self.shortlist:
            command += ["--shortlist", self.shortlist]
        return measured(command)

    def median(self, figure):
        return statistics.median(map(attrgetter(figure), self.uses))

    def megabytes(self):
        """Size of the files that translation needs."""
        files = [file for model in self.models for file in model.iterdir()
                 if not file.name.startswith(("training.", "shortlist."))]
        return sum(file.stat().st_size for file in files + [self.shortlist] * bool(self.shortlist)) / 1e6


def best_teacher(validation):
    """The best of TEACHERS by validation BLEU."""
    return max(TEACHERS, key=lambda name: validation[name]["BLEU"])


def validate(system, output, source, target):
    translation = output / f"valid-{list(SYSTEMS).index(system.name)}.{target}"
    system.translate(output / f"text/valid.{source}", translation)
    return scores(output / f"text/valid.{target}", translation)


def measure(systems, output, source, target, rounds):
    """A dictionary of each system. Times are those of the test pages."""
    def file(system):
        return output / f"test-{systems.index(system)}.{target}"

    text, first_line = output / "text", output / f"first.{source}"
    lines = (text / f"test.{source}").read_bytes().splitlines(keepends=True)
    first_line.write_bytes(lines[0])
    with (text / f"train.{source}").open("rb") as train:
        pairs = sum(1 for _ in train)
    validation = {system.name: validate(system, output, source, target) for system in systems}
    for _ in range(rounds):
        for system in systems:
            system.starts.append(system.translate(first_line, output / f"first.{target}").seconds)
            system.uses.append(system.translate(text / f"test.{source}", file(system)))
    return [{
        "system": system.name,
        "pair": f"{source}-{target}",
        "training_pairs": pairs,
        "rounds": rounds,
        "trainings": [training_facts(model.parent) for model in system.models],
        "teacher": best_teacher(validation) if system.is_distilled else None,
        "validation": validation[system.name],
        "test": scores(text / f"test.{target}", file(system)),
        "megabytes": round(system.megabytes(), 3),
        "seconds": [round(use.seconds, 3) for use in system.uses],
        "start_seconds": [round(start, 3) for start in system.starts],
        "lines_per_second": round((len(lines) - 1) / max(1e-3, system.median("seconds") -
                                                         statistics.median(system.starts)), 1),
        "processor_seconds": round(system.median("processor_seconds"), 3),
        "memory_mb": round(system.median("memory_mb"), 1),
    } | place() for system in systems]


def result_table(results):
    """The table of the objects that measure() returns."""
    lines = ["| system | training, hours | validation BLEU | chrF2 | test BLEU | chrF2 | MB | start, s |"
             " lines/s | CPU s | memory, MB |", "|---" * 11 + "|"]
    for result in results:
        hours = sum(training["hours"] for training in result["trainings"])
        quality = [f"{result[part][metric]:.2f}" for part in ("validation", "test")
                   for metric in ("BLEU", "chrF2")]
        lines.append(f"| {result['system']} | {hours:.2f} | {' | '.join(quality)} |"
                     f" {result['megabytes']:,.1f} |"
                     f" {statistics.median(result['start_seconds']):.2f} |"
                     f" {result['lines_per_second']:,.0f} | {result['processor_seconds']:,.1f} |"
                     f" {result['memory_mb']:,.0f} |")
    return "\n".join(lines)


def main():
    command, source, target, output = *sys.argv[1:4], pathlib.Path(sys.argv[4])
    if command == "teacher":
        teachers = {name: System(name, output) for name in TEACHERS}
        best = best_teacher({name: validate(system, output, source, target)
                             for name, system in teachers.items()})
        print(",".join(map(str, teachers[best].models)))
        return
    systems = [System(name, output) for name in SYSTEMS]
    facts = dict(fact.split("=", 1) for fact in sys.argv[6:])
    results = [result | facts for result in measure(systems, output, source, target, int(sys.argv[5]))]
    (output / "results.jsonl").write_text("".join(json.dumps(result) + "\n" for result in results))
    print(result_table(results))


if __name__ == "__main__":
    main()
