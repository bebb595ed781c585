#!/usr/bin/env python3
"""Tables of the runs of small.sh.

    tables.py time RUN...      MLM loss after equal training time
    tables.py record RUN [KEY=VALUE...]
                               writes RUN/result.json: one line with these facts, settings, scores,
                               time and place
    tables.py results RUN...   the table of these files

Mean and sample standard deviation over the seeds of pre-training. An encoder's score in a task is the
mean of its fine-tuned models at the best learning rate, which differ by their own seeds.
"""
import collections
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from runs import entries, place, spread, training_facts  # noqa: E402


def print_equal_time(runs):
    """Up to where the fastest of them was validated last."""
    valid = {run: [entry for entry in entries(run) if entry["kind"] == "valid"] for run in runs}
    for run, found in valid.items():
        if not found:
            sys.exit(f"{run}: no validation is recorded")
    limit = min(found[-1]["seconds"] for found in valid.values())
    if any(found[0]["seconds"] > limit for found in valid.values()):
        print(f"After {limit:.0f} seconds of training not all runs had been validated.\n")
        return
    encodings = collections.defaultdict(list)
    for run, found in valid.items():
        last = [entry for entry in found if entry["seconds"] <= limit][-1]
        encodings[training_facts(run)["encoding"]].append(last)
    print(f"Validation after {limit:.0f} seconds of training, or the last one before:\n")
    print("| encoding | updates | MLM loss | accuracy, % |\n|---|---|---|---|")
    for encoding, last in encodings.items():
        columns = zip(*((entry["valid_loss"], entry["mlm_accuracy"]) for entry in last))
        loss, accuracy = (spread(column) for column in columns)
        updates = statistics.mean(entry["update"] for entry in last)
        print(f"| `{encoding}` | {updates:.0f} | {loss} | {accuracy} |")
    print()


def task_scores(path):
    """Those of all seeds at the best learning rate, by metric, with that of the choice first."""
    results = json.loads(path.read_text())
    best = next(rate for rate in results["rates"]
                if rate["learning_rate"] == results["best_learning_rate"])
    names = sorted((name for name in best["scores"] if name != "valid_loss"),
                   key=lambda name: name != results["metric"])
    return {"learning_rate": best["learning_rate"],
            "scores": {name: [round(run["scores"][name], 4) for run in best["runs"]] for name in names}}


def record(run, facts):
    tasks = {path.parent.name: task_scores(path) for path in sorted(run.glob("tasks/*/results.json"))}
    found = training_facts(run) | {"tasks": tasks}
    path = run / "result.json"
    if path.exists() and json.loads(path.read_text()).items() >= found.items():
        return  # as it was, with its time and place
    path.write_text(json.dumps(place() | facts | found) + "\n")


def result_table(results):
    """The table of the objects that record() writes."""
    encodings = collections.defaultdict(list)
    for result in sorted(results, key=lambda result: result["seed"]):
        encodings[result["encoding"]].append(result)
    tasks = {task: list(found["scores"]) for task, found in results[0]["tasks"].items()
             if all(task in result["tasks"] for result in results)}
    heads = [f"{task}, {' / '.join(metrics)}" for task, metrics in tasks.items()]
    lines = [f"| encoding | seeds | MLM loss | accuracy, % | {' | '.join(heads)} |",
             "|---" * (4 + len(heads)) + "|"]
    for encoding, own in encodings.items():
        loss, accuracy = ([result["validation"][name] for result in own]
                          for name in ("valid_loss", "mlm_accuracy"))
        cells = [spread(loss), spread(accuracy)]
        for task, metrics in tasks.items():
            cells.append(" / ".join(
                spread([statistics.mean(result["tasks"][task]["scores"][metric]) for result in own],
                       digits=1) for metric in metrics))
        seeds = ", ".join(str(result["seed"]) for result in own)
        lines.append(f"| `{encoding}` | {seeds} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    command, *arguments = sys.argv[1:] or ["help"]
    runs = [pathlib.Path(run) for run in arguments]
    if command == "time" and runs:
        print_equal_time(runs)
    elif command == "record" and runs:
        record(runs[0], dict(fact.split("=", 1) for fact in arguments[1:]))
    elif command == "results" and runs:
        print(result_table([json.loads((run / "result.json").read_text()) for run in runs]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
