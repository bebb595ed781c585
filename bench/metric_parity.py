#!/usr/bin/env python3
"""Compares dietmt's metrics of classes, numbers and answers with their reference programs.

    bench/metric_parity.py --program build/bin/metric_cases [--cases 1000] [--seed 1] [--scripts DIR]

Random cases (seeded) go through dietmt's metric_cases and through the reference: scikit-learn for
accuracy, F1 and Matthews correlation, SciPy for Pearson and Spearman. DIR holds the published
scripts evaluate-v1.1.py and evaluate-v2.0.py of SQuAD and mlqa_evaluation_v1.py of MLQA; answers
are compared with them where it is given.

Prints how many cases agreed within 1e-9, in how many every figure was the same bit for bit, and the
largest difference. The exit code is 1 if a case did not agree.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import math
import random
import subprocess
import sys
import unicodedata
import warnings
from pathlib import Path

import numpy
import scipy
import sklearn
from scipy import stats
from sklearn import metrics

TOLERANCE = 1e-9
LANGUAGES = "ar de en es hi vi zh".split()

# Words that the scripts treat specially, and words that look like them.
WORDS = (
    "a an the A An THE then ein eine der DIE das dem un una unos el la Los las của là cái chiếc "
    "những cu\u0309a la\u0300 الكتاب ال بال والبيت किताब हिन्दी नहीं Straße ΟΔΟΣ ΣΑΣ İstanbul ǅ K Ⅷ ½ "
    "2nd x² _a_ a_ é e\u0301 a\u0301 北京 北京大学 中华A股 龦 㐀 𠀀𠀁 𝒂 𐐀 😀 Müller-Lüdenscheidt U.S. don't "
    "10,000 $5 €5 50% l'an"
).split()
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + list("«»“”„‘’…—–、。，！？「」·।॥؟،؛¿¡§¶†‰")
SPACES = list(" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000")
SPACES += list("\u200b\ufeff\u00ad\u200d")  # none of these four is white space
ASSIGNED = [chr(i) for i in range(1, sys.maxunicode + 1)
            if unicodedata.category(chr(i)) not in ("Cn", "Cs")]


def random_text(rng):
    kinds = [lambda: rng.choice(WORDS), lambda: rng.choice(WORDS) + " ", lambda: " ",
             lambda: rng.choice(PUNCTUATION), lambda: rng.choice(SPACES),
             lambda: rng.choice(ASSIGNED), lambda: rng.choice(WORDS).upper()]
    weights = [4, 8, 3, 3, 2, 3, 1]
    pieces = rng.choices(kinds, weights, k=rng.choice([0, 1, 1, 2, 3, 5, 8, 13]))
    return "".join(piece() for piece in pieces)


def altered(rng, text):
    """A text that shares words with `text`, or equals it after normalisation."""
    change = rng.randrange(6)
    if change == 0:
        return text
    if change == 1:
        return rng.choice(["the ", "Der ", "La ", "ال", "“", " \u3000"]) + text.upper()
    if change == 2:
        return " ".join(rng.sample(text.split(), rng.randint(0, len(text.split()))))
    if change == 3:
        return text + rng.choice(PUNCTUATION) + rng.choice(SPACES)
    if change == 4:
        return text + " " + random_text(rng)
    return random_text(rng)


def random_questions(rng, unanswerable=0.0):
    questions, predictions = [], {}
    for i in range(rng.randint(1, 12)):
        name = f"q{i}"
        predicted = random_text(rng)
        answers = [] if rng.random() < unanswerable else [
            altered(rng, predicted) for _ in range(rng.randint(1, 4))]
        if not answers and rng.random() < 0.6:
            predicted = rng.choice(["", "", "the", " "])
        questions.append({"id": name, "answers": answers})
        predictions[name] = predicted
    rng.shuffle(questions)
    return questions, predictions


def random_classes(rng):
    size = rng.choice([1, 2, 3, 5, 10, 50, 300])
    classes = rng.choice([[0, 1], [0, 1], [1, 2], [0, 1, 2], [-3, 1, 0, 7, 4]])
    gold = rng.choices(classes, [rng.random() ** 3 + 1e-3 for _ in classes], k=size)
    noise = rng.choice([0, 0.1, 0.5, 1])
    predicted = [rng.choice(classes) if rng.random() < noise else label for label in gold]
    if rng.random() < 0.1:
        predicted = [classes[0]] * size
    return {"metric": "classification", "predicted": predicted, "gold": gold}


def random_numbers(rng):
    size = rng.choice([2, 3, 5, 10, 50, 300])
    draw = rng.choice([lambda: rng.gauss(0, 1), lambda: rng.randint(0, 3) * 1.0,
                       lambda: rng.randint(0, 25) / 5, lambda: 1e6 + rng.gauss(0, 1),
                       lambda: rng.gauss(0, 1) * 1e-200, lambda: rng.gauss(0, 1) * 1e200])
    x = [draw() for _ in range(size)]
    noise = rng.choice([0, 0.01, 1, 100])
    scale = max(map(abs, x)) * noise
    y = [rng.choice([-1, 1]) * value if noise else value for value in x]
    y = [value + scale * rng.gauss(0, 1) for value in y]
    if rng.random() < 0.1:
        y = [y[0]] * size
    return {"metric": "correlation", "x": x, "y": y}


def random_squad1(rng):
    questions, predictions = random_questions(rng)
    for name in rng.sample(sorted(predictions), rng.choice([0, 0, 0, 1])):
        del predictions[name]
    return {"metric": "squad1", "questions": questions, "predictions": predictions}


def random_mlqa(rng):
    return {**random_squad1(rng), "metric": "mlqa", "language": rng.choice(LANGUAGES)}


def random_squad2(rng):
    questions, predictions = random_questions(rng, unanswerable=0.4)
    # Few digits make equal null scores.
    digits, spread = rng.choice([1, 15]), rng.choice([1, 10])
    nulls = {q["id"]: round(rng.uniform(-spread, spread), digits) for q in questions}
    return {"metric": "squad2", "questions": questions, "predictions": predictions,
            "null_scores": nulls, "threshold": rng.choice([1.0, 0.0, -2.5])}


def reference_classification(case):
    gold, predicted = case["gold"], case["predicted"]
    return [metrics.accuracy_score(gold, predicted),
            metrics.f1_score(gold, predicted, labels=[1], average=None, zero_division=0)[0],
            metrics.matthews_corrcoef(gold, predicted)]


def reference_correlation(case):
    return [stats.pearsonr(case["x"], case["y"])[0], stats.spearmanr(case["x"], case["y"])[0]]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def as_dataset(case):
    return [{"paragraphs": [{"qas": [
        {"id": question["id"], "answers": [{"text": text} for text in question["answers"]]}
        for question in case["questions"]]}]}]


def reference_answers(script):
    def score(case):
        language = [case["language"]] if "language" in case else []
        scores = script.evaluate(as_dataset(case), case["predictions"], *language)
        return [scores["exact_match"], scores["f1"]]

    return score


def reference_squad2(script):
    def score(case):
        dataset, predictions, nulls = as_dataset(case), case["predictions"], case["null_scores"]
        has_answer = script.make_qid_to_has_ans(dataset)
        raw = script.get_raw_scores(dataset, predictions)
        exact, f1 = (script.apply_no_ans_threshold(part, nulls, has_answer, case["threshold"])
                     for part in raw)
        groups = [list(has_answer), [k for k in has_answer if has_answer[k]],
                  [k for k in has_answer if not has_answer[k]]]
        figures = []
        for group in groups:
            scores = script.make_eval_dict(exact, f1, group) if group else {"exact": 0, "f1": 0}
            figures += [scores["exact"], scores["f1"]]
        best = {}
        script.find_all_best_thresh(best, predictions, *raw, nulls, has_answer)
        return figures + [best["best_exact"], best["best_exact_thresh"],
                          best["best_f1"], best["best_f1_thresh"]]

    return score


def scores_of(program, cases):
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run([program], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases)
    return [[math.nan if figure is None else figure for figure in figures] for figures in answers]


def difference(ours, theirs):
    if math.isnan(ours) or math.isnan(theirs):
        return 0.0 if math.isnan(ours) and math.isnan(theirs) else math.inf
    return abs(ours - theirs)


def compare(name, cases, program, reference):
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")  # undefined figures, constant inputs
        expected = [[float(figure) for figure in reference(case)] for case in cases]
    largest = [max(map(difference, ours, theirs))
               for ours, theirs in zip(scores_of(program, cases), expected, strict=True)]
    agreed = sum(value <= TOLERANCE for value in largest)
    print(f"{name}: {agreed} of {len(cases)} cases agree, {largest.count(0.0)} bit for bit, "
          f"largest difference {max(largest):.2g}")
    for case, value in zip(cases, largest):
        if value > TOLERANCE:
            print(f"  for example {json.dumps(case)[:2000]}")
            break
    return agreed == len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=1000, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scripts", type=Path)
    options = parser.parse_args()

    kinds = {"classification": (random_classes, reference_classification),
             "correlation": (random_numbers, reference_correlation)}
    if options.scripts:
        kinds["squad1"] = random_squad1, reference_answers(load(options.scripts / "evaluate-v1.1.py"))
        kinds["mlqa"] = random_mlqa, reference_answers(
            load(options.scripts / "mlqa_evaluation_v1.py"))
        kinds["squad2"] = random_squad2, reference_squad2(load(options.scripts / "evaluate-v2.0.py"))
    else:
        print("answers are not compared: --scripts is not given")
    print(f"seed {options.seed}, scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, "
          f"NumPy {numpy.__version__}, Unicode {unicodedata.unidata_version} in Python")
    good = True
    for name, (draw, reference) in kinds.items():
        rng = random.Random(f"{options.seed} {name}")
        cases = [draw(rng) for _ in range(options.cases)]
        good &= compare(name, cases, options.program, reference)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
