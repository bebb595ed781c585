#!/usr/bin/env python3
"""The tables and results.jsonl of low_resource.sh: low_resource.py DATA OUTPUT SEARCHED NAME=RUN...

DATA is the validation text without its language. The models of the runs named SEARCHED also translate
it with each of SEARCHES.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from runs import place, scores, seeds_of, spread, training_facts  # noqa: E402

SEARCHES = ["--beam 5", "--beam 10", "--beam 10 --mbr chrf", "--beam 10 --mbr bleu",
            "--sample --mbr chrf --mbr-candidates 100 --seed 1"]


def kept(path, make):
    """The results in a file, which is written when they are made."""
    if not path.exists():
        path.write_text("".join(json.dumps(line | place()) + "\n" for line in make()))
    return [json.loads(line) for line in path.open()]


def file(data, language):
    path = pathlib.Path(f"{data}.{language}")
    return path if path.exists() else f"{path}.gz"


def translated(data, run, search):
    """BLEU and chrF2 of the last weights' translations."""
    translation = run / "search.de"
    subprocess.run([os.environ["DIETMT"], "translate", "--quiet", "--model", run / "last", "--input",
                    file(data, "en"), "--output", translation, *search.split()], check=True)
    found = scores(file(data, "de"), translation)
    return {"validation": {"bleu": found["BLEU"], "chrf": found["chrF2"]}}


def results_of(data, name, run, searched):
    facts = {"data": "multi30k", "pair": "en-de"}
    lines = kept(run / "result.json", lambda: [
        facts | {"table": "training", "row": name} | training_facts(run)])
    if searched:
        seed = lines[0]["seed"]
        lines += kept(run / "searches.jsonl", lambda: [
            facts | {"table": "search", "row": search, "seed": seed, "model": name,
                     "updates": lines[0]["updates"], "batch_tokens": lines[0]["batch_tokens"],
                     "precision": lines[0]["precision"]} | translated(data, run, search)
            for search in SEARCHES])
    return lines


def result_table(lines, kind):
    """`kind`: training or search. Rows are in the order of the lines."""
    rows = collections.defaultdict(list)
    for line in lines:
        if line["table"] == kind:
            rows[line["row"]].append(line)
    columns = {"bleu": "BLEU", "chrf": "chrF2"}
    if kind == "training":
        columns["valid_loss"] = "validation loss"
    first = {"training": "run", "search": "options of `translate`"}[kind]
    table = [f"| {first} | seeds | {' | '.join(columns.values())} |", "|---" * (len(columns) + 2) + "|"]
    for row, runs in rows.items():
        cells = [spread([run["validation"][column] for run in runs]) for column in columns]
        table.append(f"| `{row}` | {seeds_of(runs)} | {' | '.join(cells)} |")
    return "\n".join(table)


def main():
    data, output, searched, *runs = sys.argv[1:]
    lines = []
    for name, folder in (argument.split("=", 1) for argument in runs):
        lines += results_of(data, name, pathlib.Path(folder), name in searched.split())
    (pathlib.Path(output) / "results.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines))
    print(result_table(lines, "training"))
    if searched:
        print("\n" + result_table(lines, "search"))


if __name__ == "__main__":
    main()
