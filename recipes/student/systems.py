"""Translation systems: how well, how fast and with how much memory they translate."""
import json
import os
import statistics
import subprocess
from operator import attrgetter

from runs import measured, place, scores, training_facts


class System:
    """One or several models, an ensemble, and perhaps a shortlist. `distilled`: by the teacher."""

    def __init__(self, name, models, shortlist=None, distilled=False):
        self.name, self.models, self.shortlist, self.distilled = name, models, shortlist, distilled
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


def all_scores(texts, translation, comet):
    """BLEU, chrF2 and, with a model, COMET. texts: source and reference."""
    found = scores(texts[1], translation)
    if comet:
        answer = subprocess.run(
            [os.environ["DIETMT"], "evaluate", "--metric", "comet", "--comet-model", comet, "--source",
             texts[0], "--reference", texts[1], "--hypothesis", translation, "--json"],
            check=True, capture_output=True, text=True).stdout
        found["COMET"] = round(json.loads(answer)[0]["score"], 4)
    return found


def validate(system, valid, folder, comet=None):
    """Scores on the validation text. A dictionary."""
    translation = folder / "valid.translation"
    system.translate(valid[0], translation)
    return all_scores(valid, translation, comet)


def best_of(systems, valid, folder):
    """The system with the highest BLEU on the validation text."""
    return max(systems, key=lambda system: validate(system, valid, folder)["BLEU"])


def measure(systems, texts, folder, rounds, comet, facts):
    """A dictionary of each system, with `facts`. Every system translates the test text `rounds`
    times, in turns with the others, each time in a new process. Lines per second are those of the
    median time without that for the first line, which is the start; processor seconds include it.
    """
    test, first_line = texts["test"], folder / "first.source"
    lines = test[0].read_bytes().splitlines(keepends=True)
    first_line.write_bytes(lines[0])
    translations = {system.name: folder / f"test-{i}" for i, system in enumerate(systems)}
    validation = {system.name: validate(system, texts["valid"], folder, comet) for system in systems}
    for _ in range(rounds):
        for system in systems:
            system.starts.append(system.translate(first_line, folder / "first").seconds)
            system.uses.append(system.translate(test[0], translations[system.name]))
    return [{
        "system": system.name,
        "rounds": rounds,
        "trainings": [training_facts(model.parent) for model in system.models],
        "validation": validation[system.name],
        "test": all_scores(test, translations[system.name], comet),
        "megabytes": round(system.megabytes(), 3),
        "seconds": [round(use.seconds, 3) for use in system.uses],
        "start_seconds": [round(start, 3) for start in system.starts],
        "lines_per_second": round((len(lines) - 1) / max(1e-3, system.median("seconds") -
                                                         statistics.median(system.starts)), 1),
        "processor_seconds": round(system.median("processor_seconds"), 3),
        "memory_mb": round(system.median("memory_mb"), 1),
    } | place() | (facts if system.distilled else facts | {"teacher": None}) for system in systems]


def result_table(results):
    """The Markdown table of the objects that measure() returns."""
    with_comet = any("COMET" in result["test"] for result in results)
    metrics = ["BLEU", "chrF2"] + ["COMET"] * with_comet
    quality_columns = [(part, metric) for part in ("validation", "test") for metric in metrics]
    names = [f"{part} {metric}" if metric == "BLEU" else metric for part, metric in quality_columns]
    lines = [f"| system | training, hours | {' | '.join(names)} | MB | start, s |"
             " lines/s | CPU s | memory, MB |", "|---" * (7 + len(names)) + "|"]
    for result in results:
        hours = sum(training["hours"] for training in result["trainings"])
        quality = [f"{result[part][metric]:.{4 if metric == 'COMET' else 2}f}"
                   for part, metric in quality_columns]
        lines.append(f"| {result['system']} | {hours:.2f} | {' | '.join(quality)} |"
                     f" {result['megabytes']:,.1f} |"
                     f" {statistics.median(result['start_seconds']):.2f} |"
                     f" {result['lines_per_second']:,.0f} | {result['processor_seconds']:,.1f} |"
                     f" {result['memory_mb']:,.0f} |")
    return "\n".join(lines)
