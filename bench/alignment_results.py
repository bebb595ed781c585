#!/usr/bin/env python3
"""Results of bench/compare_alignments.sh, also of seeds from different days.

    bench/alignment_results.py add OUTPUT...      # of finished comparisons
    bench/alignment_results.py table [--check]    # writes that of bench/RESULTS.md

`add` appends a line for each kind of links to bench/log/alignments.jsonl. --check changes nothing and
fails if the table is stale. --root FOLDER: the project, if it is not that of this file.
"""
import collections
import pathlib
import sys

from alignment_error_rate import read as read_links
from alignment_error_rate import scores
from result_log import table_program

ROOT = pathlib.Path(__file__).resolve().parents[1]
GOLD = ROOT / "bench/alignment/multi30k_val_en_de.links"
sys.path.insert(0, str(ROOT / "recipes"))
from runs import place, seeds_of, spread, training_facts  # noqa: E402

LINKS = {  # file in OUTPUT: row of the table
    "pieces-forward": "`dietmt align --tokenizer`, one direction",
    "pieces-intersection": "intersection of both",
    "pieces-grow-diag-final-and": "grow-diag-final-and",
    "words-forward": "`dietmt align`, whole words, one direction",
    "words-intersection": "intersection of both",
    "words-grow-diag-final-and": "grow-diag-final-and",
    "plain": "attention of a plain model, mean of the last layer but one",
    "guided-auto": "`--guided-alignment auto`",
    "guided-intersection": "`--guided-alignment FILE`, intersection of pieces",
}
MEASURES = ("aer", "precision", "recall")


def results_of(output):
    gold = read_links(GOLD)
    seed = training_facts(output / "plain.run")["seed"]
    for name in LINKS:
        found = dict(zip(MEASURES, scores(gold, read_links(output / name))))
        run = output / f"{name}.run"
        training = training_facts(run) if run.exists() else {}
        yield {"links": name, "seed": seed} | {key: round(value, 4) for key, value in found.items()} | {
            "training": training} | place()


def table(lines, _):
    rows = collections.defaultdict(list)
    for line in lines:
        rows[line["links"]].append(line)
    written = ["| links | seeds | AER | precision | recall | validation BLEU |", "|---" * 6 + "|"]
    for name, runs in rows.items():
        cells = [spread([run[measure] for run in runs], digits=3) for measure in MEASURES]
        trained = [run["training"]["validation"]["bleu"] for run in runs if run["training"]]
        if trained:
            seeds, bleu = seeds_of(runs), spread(trained)
        else:  # the aligner draws nothing
            seeds = bleu = ""
            cells = [f"{runs[0][measure]:.3f}" for measure in MEASURES]
        written.append(f"| {LINKS[name]} | {seeds} | {' | '.join(cells)} | {bleu} |")
    return "\n".join(written)


table_program(__doc__, ROOT, "alignments.jsonl", head="<!-- bench/alignment_results.py -->",
              results_of=results_of, table=table, settings=(), identity=("links", "seed"))
