#!/usr/bin/env python3
"""Tables of the runs of small.sh.

    tables.py pretraining FOLDER...         MLM loss at equal updates and at equal time
    tables.py tasks FOLDER...               median scores of the fine-tuned models
    tables.py seconds-left FOLDER MINUTES   of a run's time for training, at least 1
"""

import json
import pathlib
import sys


def progress(folder):
    path = folder / "progress.jsonl"
    return [json.loads(line) for line in path.open()] if path.exists() else []


def validations(folder):
    return [entry for entry in progress(folder) if entry["kind"] == "valid"]


def seconds_left(folder, minutes):
    spent = max((entry["seconds"] for entry in progress(folder)), default=0)
    return max(1, round(60 * minutes - spent))


def print_table(columns, rows):
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def last_until(entries, key, limit):
    return [entry for entry in entries if entry[key] <= limit][-1]


def print_pretraining(folders):
    """Runs are compared up to where the shortest of them was validated last."""
    runs = {folder: validations(folder) for folder in folders}
    for folder, entries in runs.items():
        if not entries:
            sys.exit(f"{folder}: no validation is recorded")
    for key, unit in (("update", "updates"), ("seconds", "seconds of training")):
        limit = min(entries[-1][key] for entries in runs.values())
        if any(entries[0][key] > limit for entries in runs.values()):
            print(f"The runs share no {unit} with a validation.\n")
            continue
        print(f"Validation after {limit:.0f} {unit}, or the last one before:\n")
        chosen = {folder: last_until(entries, key, limit) for folder, entries in runs.items()}
        print_table(
            ["encoding", "update", "seconds", "MLM loss", "MLM accuracy"],
            [
                [
                    folder.name,
                    str(entry["update"]),
                    f"{entry['seconds']:.0f}",
                    f"{entry['valid_loss']:.3f}",
                    f"{entry['mlm_accuracy']:.2f}",
                ]
                for folder, entry in chosen.items()
            ],
        )


def best_medians(results):
    best = results["best_learning_rate"]
    return next(rate for rate in results["rates"] if rate["learning_rate"] == best)["medians"]


def print_tasks(folders):
    """The metric that chose the learning rate, for each task that all folders have."""
    results = {
        folder: {
            path.parent.name: json.loads(path.read_text())
            for path in sorted(folder.glob("tasks/*/results.json"))
        }
        for folder in folders
    }
    tasks = [t for t in results[folders[0]] if all(t in found for found in results.values())]
    metrics = {task: results[folders[0]][task]["metric"] for task in tasks}
    print("Median over the seeds at the best learning rate:\n")
    print_table(
        ["encoding"] + [f"{task} ({metrics[task]})" for task in tasks],
        [
            [folder.name] + [f"{best_medians(found[task])[metrics[task]]:.2f}" for task in tasks]
            for folder, found in results.items()
        ],
    )


def main():
    command, *rest = sys.argv[1:] or ["help"]
    if command == "pretraining" and rest:
        print_pretraining([pathlib.Path(name) for name in rest])
    elif command == "tasks" and rest:
        print_tasks([pathlib.Path(name) for name in rest])
    elif command == "seconds-left" and len(rest) == 2:
        print(seconds_left(pathlib.Path(rest[0]), float(rest[1])))
    else:
        sys.exit(__doc__)


main()
