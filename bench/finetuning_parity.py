#!/usr/bin/env python3
"""Fine-tunes one public BERT for CoLA, RTE and MRPC with dietmt and with Hugging Face's transformers, with
the same rates, batch size, epochs and number of seeds, and compares the scores on validation text.

    finetuning_parity.py --program build/bin/dietmt --model DIR --data GLUE --output DIR

DIR of --model is a BERT as transformers stores it. GLUE holds CoLA/, RTE/ and MRPC/ with their official
files, plain or .gz. The score of CoLA is Matthews' correlation on its in-domain development set, that
of the others accuracy. For MRPC, whose published files do not say which pairs are GLUE's validation
set, the last 408 pairs of the training file are held out, and its test set stays unused. Scores are
those after the last epoch. Seeds of the two programs do not draw the same numbers, so means are
compared: fails if they differ by more than the deviation of the seeds (the root of the mean of both
variances). Finished runs in --output are not repeated. Needs torch and transformers 4.x.
"""

import argparse
import csv
import gzip
import json
import pathlib
import random
import statistics
import subprocess
import sys

import torch
import transformers

BATCH, MAX_LENGTH, WARM_UP, DECAY = 32, 128, 0.06, 0.01


def rows(folder, name, header=1):
    """The fields of each line after the header; quotes mean nothing."""
    path = folder / name
    opener = gzip.open if not path.exists() else open
    with opener(path if path.exists() else f"{path}.gz", "rt", encoding="utf-8-sig") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[header:]


def cola(data):
    return [[(sentence, "", label) for _, label, _, sentence in rows(data / "CoLA", name, header=0)]
            for name in ("in_domain_train.tsv", "in_domain_dev.tsv")]


def rte(data):
    part = {name: [(first, second, label) for _, first, second, label in rows(data / "RTE", name)]
            for name in ("train.tsv", "dev.tsv")}
    return part["train.tsv"], part["dev.tsv"]


def mrpc(data):
    pairs = [(first, second, label)
             for label, _, _, first, second in rows(data / "MRPC", "msr_paraphrase_train.txt")]
    return pairs[:-408], pairs[-408:]


TASKS = {"CoLA": cola, "RTE": rte, "MRPC": mrpc}
METRICS = {"CoLA": "matthews", "RTE": "accuracy", "MRPC": "accuracy"}


def write_table(path, examples):
    lines = ["first\tsecond\tlabel", *("\t".join(example) for example in examples)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def score(task, guesses, gold):
    """In percent; the classes are 0 and 1 for Matthews' correlation."""
    if METRICS[task] == "accuracy":
        return 100 * sum(a == b for a, b in zip(guesses, gold)) / len(gold)
    return 100 * statistics.correlation(guesses, gold) if len(set(guesses)) > 1 else 0.0


def scores_of_dietmt(options, task, folder):
    """Those of all seeds."""
    output = folder / "dietmt"
    second = ["--second", "second"] if task != "CoLA" else []
    subprocess.run(
        [options.program, "bert", "finetune", "--model", options.model, "--output", output,
         "--train", folder / "train.tsv", "--valid", folder / "valid.tsv", "--first", "first",
         *second, "--metrics", METRICS[task], "--label", "label", "--seeds", str(options.seeds),
         "--learning-rates", str(options.rate), "--epochs", str(options.epochs), "--checkpoint",
         "last", "--batch-size", str(BATCH), "--max-length", str(MAX_LENGTH), "--warmup-ratio",
         str(WARM_UP), "--weight-decay", str(DECAY), "--quiet"], check=True)
    results = json.loads((output / "results.json").read_text(encoding="utf-8"))
    return [run["scores"][METRICS[task]] for run in results["rates"][0]["runs"]]


def parameter_groups(model):
    """Matrices decay, biases and norms do not."""
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    return [{"params": matrices, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}]


def score_of_transformers(options, task, train, valid, seed):
    transformers.set_seed(seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(options.model)
    labels = sorted({label for *_, label in train})
    optimizer = torch.optim.AdamW(parameter_groups(model), lr=options.rate, eps=1e-6)
    updates = options.epochs * -(-len(train) // BATCH)
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, int(WARM_UP * updates), updates)

    def batch(examples):
        second = [e[1] for e in examples] if task != "CoLA" else None
        return tokenizer([e[0] for e in examples], second, truncation=True, max_length=MAX_LENGTH,
                         padding=True, return_tensors="pt")

    order = random.Random(seed)
    model.train()
    for _ in range(options.epochs):
        examples = list(train)
        order.shuffle(examples)
        for start in range(0, len(examples), BATCH):
            part = examples[start:start + BATCH]
            gold = torch.tensor([labels.index(e[2]) for e in part])
            loss = model(**batch(part), labels=gold).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    model.eval()
    guesses = []
    with torch.no_grad():
        for start in range(0, len(valid), BATCH):
            guesses += model(**batch(valid[start:start + BATCH])).logits.argmax(-1).tolist()
    return score(task, guesses, [labels.index(e[2]) for e in valid])


def scores_of_transformers(options, task, train, valid, folder):
    scores = []
    for seed in range(1, options.seeds + 1):
        path = folder / f"transformers-{seed}.json"
        if not path.exists():
            path.write_text(json.dumps(score_of_transformers(options, task, train, valid, seed)))
        scores.append(json.loads(path.read_text()))
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    failed = False
    for task in options.tasks:
        folder = options.output / task
        folder.mkdir(parents=True, exist_ok=True)
        train, valid = TASKS[task](options.data)
        write_table(folder / "train.tsv", train)
        write_table(folder / "valid.tsv", valid)
        ours = scores_of_dietmt(options, task, folder)
        theirs = scores_of_transformers(options, task, train, valid, folder)
        deviation = ((statistics.variance(ours) + statistics.variance(theirs)) / 2) ** 0.5
        difference = statistics.mean(ours) - statistics.mean(theirs)
        for name, scores in (("dietmt", ours), ("transformers", theirs)):
            print(f"{task} {name}: mean {statistics.mean(scores):.2f}, deviation "
                  f"{statistics.stdev(scores):.2f}: " + " ".join(f"{s:.1f}" for s in scores))
        print(f"{task}: difference {difference:+.2f}, deviation of the seeds {deviation:.2f}", flush=True)
        failed |= abs(difference) > deviation
    sys.exit(failed)


if __name__ == "__main__":
    main()
