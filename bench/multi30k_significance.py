#!/usr/bin/env python3
"""Significance between encodings whose runs were made on different days: from statistics of each
sentence, without the translations.

    bench/multi30k_significance.py add LOG REFERENCE RUN...   # runs of recipes/multi30k with `tok`
    bench/multi30k_significance.py table LOG PAIR [ENCODING]

`add` appends the statistics of finished runs to LOG (bench/log/multi30k_sentences.jsonl): for each
sentence of the test set the matching n-grams of orders 1 to 4 and the lengths of translation and
reference, in tokens of lower-cased text (Papineni et al. 2002). `table` prints the BLEU of each
encoding and seed, and beside ENCODING (default sinusoidal) the difference over the seeds that both
have and its p-value by approximate randomization (Riezler and Maxwell 2005).
"""
import base64
import collections
import gzip
import itertools
import json
import math
import pathlib
import random
import statistics
import sys
import zlib

ORDERS = 4
TRIALS = 10000
NUMBERS = ORDERS + 2  # of a sentence in the log


def lines_of(path):
    path = pathlib.Path(path)
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return text.removesuffix("\n").split("\n")


def ngrams(tokens, order):
    return collections.Counter(zip(*(tokens[start:] for start in range(order))))


def sentence_numbers(translation, reference):
    """The matches of each order, then both lengths."""
    ours, theirs = translation.lower().split(), reference.lower().split()
    matches = [(ngrams(ours, order) & ngrams(theirs, order)).total() for order in range(1, ORDERS + 1)]
    return [*matches, len(ours), len(theirs)]


def packed(sentences):
    numbers = [min(number, 255) for sentence in sentences for number in sentence]
    return base64.b64encode(zlib.compress(bytes(numbers), 9)).decode()


def unpacked(text):
    numbers = list(zlib.decompress(base64.b64decode(text)))
    return [numbers[at:at + NUMBERS] for at in range(0, len(numbers), NUMBERS)]


def sums_of(sentence):
    """What a corpus adds up: matches and n-grams of each order, both lengths."""
    *matches, ours, theirs = sentence
    return [*matches, *(max(ours - order, 0) for order in range(ORDERS)), ours, theirs]


def bleu(sums):
    matches, totals, (ours, theirs) = sums[:ORDERS], sums[ORDERS:2 * ORDERS], sums[2 * ORDERS:]
    if min(matches) == 0:
        return 0.0
    precision = sum(math.log(match / total) for match, total in zip(matches, totals)) / ORDERS
    return 100.0 * math.exp(precision + min(0.0, 1.0 - theirs / ours))


def corpus_sums(sentences):
    return [sum(column) for column in zip(*map(sums_of, sentences))]


# The differences of a sentence's numbers in one integer, so that a trial adds integers only.
FIELD, OFFSET = 32, 256


def p_value(ours, others):
    """Of the difference of BLEU, with the sentences of the two systems exchanged at random."""
    sums, other_sums = corpus_sums(ours), corpus_sums(others)
    observed = abs(bleu(sums) - bleu(other_sums))
    differences = [
        sum((a - b + OFFSET) << (FIELD * field)
            for field, (a, b) in enumerate(zip(sums_of(x), sums_of(y)))) for x, y in zip(ours, others)]
    draws = random.Random(1)
    at_least = 0
    for _ in range(TRIALS):
        chosen = [bit == "1" for bit in f"{draws.getrandbits(len(ours)):0{len(ours)}b}"]
        total, count = sum(itertools.compress(differences, chosen)), sum(chosen)
        moved = [(total >> (FIELD * field)) % (1 << FIELD) - OFFSET * count for field in range(len(sums))]
        here = bleu([a - m for a, m in zip(sums, moved)])
        there = bleu([b + m for b, m in zip(other_sums, moved)])
        at_least += abs(here - there) >= observed
    return (at_least + 1) / (TRIALS + 1)


def add(log, reference, runs):
    references = lines_of(reference)
    with open(log, "a") as file:
        for run in map(pathlib.Path, runs):
            result = json.loads((run / "result.json").read_text())
            if result["text"] != "tok":
                sys.exit(f"{run}: not a run on tokenized text")
            translations = lines_of(run / f"test2016.{result['pair'].split('-')[1]}")
            if len(translations) != len(references):
                sys.exit(f"{run}: {len(translations)} translations for {len(references)} references")
            sentences = list(map(sentence_numbers, translations, references))
            score = bleu(corpus_sums(unpacked(packed(sentences))))
            if abs(score - result["test"]["BLEU"]) > 0.005:
                sys.exit(f"{run}: BLEU is {score:.2f}, and {result['test']['BLEU']:.2f} in result.json: "
                         f"{reference} is not its reference")
            facts = {key: result[key] for key in
                     ("pair", "encoding", "decoder_encoding", "seed", "updates", "precision", "commit")}
            file.write(json.dumps(facts | {"sentences": packed(sentences)}) + "\n")


def table(log, pair, first):
    runs = collections.defaultdict(dict)  # by encoding and seed
    for line in open(log):
        run = json.loads(line)
        if run["pair"] == pair:
            runs[run["encoding"]][run["seed"]] = unpacked(run["sentences"])
    print(f"| encoding | BLEU of each seed | mean | beside `{first}` | p |")
    print("|---|---|---|---|---|")
    for encoding, seeds in runs.items():
        scores = [bleu(corpus_sums(seeds[seed])) for seed in sorted(seeds)]
        mean = f"{statistics.mean(scores):.2f}"
        if len(scores) > 1:
            mean += f" ± {statistics.stdev(scores):.2f}"
        shared = sorted(seeds.keys() & runs[first].keys())
        difference = p = ""
        if shared and encoding != first:
            ours, others = ([sentence for seed in shared for sentence in runs[name][seed]]
                            for name in (encoding, first))
            difference = f"{bleu(corpus_sums(ours)) - bleu(corpus_sums(others)):+.2f}, seeds " + \
                " ".join(map(str, shared))
            p = f"{p_value(ours, others):.4f}"
        print(f"| `{encoding}` | {', '.join(f'{score:.2f}' for score in scores)} | {mean} |"
              f" {difference} | {p} |")


def main():
    match sys.argv[1:]:
        case ["add", log, reference, *runs] if runs:
            add(log, reference, runs)
        case ["table", log, pair]:
            table(log, pair, "sinusoidal")
        case ["table", log, pair, first]:
            table(log, pair, first)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
