#!/usr/bin/env python3
"""Results of recipes/multi30k on tokenized text, with the significance between encodings, also of
runs from different days.

    bench/multi30k_results.py add REFERENCE RUN...   # finished runs, and their reference
    bench/multi30k_results.py lengths RUN...         # what lengths.sh wrote to these
    bench/multi30k_results.py tables [--check]       # writes those of bench/RESULTS.md

`add` appends result.json of each new run to bench/log/multi30k.jsonl, and statistics of its sentences to
bench/log/multi30k_sentences.jsonl: the matching n-grams of orders 1 to 4, and the lengths of
translation and reference, in tokens of lower-cased text (Papineni et al. 2002). From these come the
mean difference from all runs with the sinusoidal encoding, and its p-value by approximate
randomization (Riezler and Maxwell 2005), which exchanges a sentence in all pairs of runs together.
It holds for these models: other seeds may differ more. `lengths` appends lengths.json of each run to
bench/log/multi30k_lengths.jsonl. --check changes nothing and fails if a table is stale.
--root FOLDER: the project, if it is not that of this file; FOLDER needs bench/log and, for the
tables, bench/RESULTS.md with the lines between which they stand.
"""
import argparse
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

from result_log import append, is_new, read, require_settings, write_tables

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recipes"))
from runs import encoding_of, quality, seeds_of, spread  # noqa: E402

FIRST = "sinusoidal"  # the baseline
ORDERS = 4
TRIALS = 10000
SETTINGS = ("updates", "batch_tokens", "precision")  # of all runs of the log
IDENTITY = ("pair", "encoding", "decoder_encoding", "seed")  # of a run
NUMBERS = ORDERS + 2  # of a sentence in the log

Logs = collections.namedtuple("Logs", "results sentences lengths")


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
    """Statistics of a corpus: matches and n-grams of each order, both lengths."""
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


class System:
    """Statistics of the sentences of one run."""
    FIELD = 32  # bits of a number: those of a sentence are one integer, so that a trial adds quickly

    def __init__(self, sentences):
        self.all = corpus_sums(sentences)
        self.sentences = [sum(number << (self.FIELD * field)
                              for field, number in enumerate(sums_of(sentence)))
                          for sentence in sentences]

    def of(self, chosen):
        """The sums of the chosen sentences."""
        total = sum(itertools.compress(self.sentences, chosen))
        return [(total >> (self.FIELD * field)) % (1 << self.FIELD) for field in range(len(self.all))]


def exchanged(system, given, taken):
    """BLEU of a system that gives sentences with these sums for others."""
    return bleu([a - b + c for a, b, c in zip(system.all, given, taken)])


def difference(ours, others, chosen=()):
    """The mean of BLEU of all pairs of one of ours and one of the others, which exchange the chosen
    sentences."""
    parts, other_parts = ([system.of(chosen) for system in side] for side in (ours, others))
    return statistics.fmean(exchanged(a, x, y) - exchanged(b, y, x)
                           for a, x in zip(ours, parts) for b, y in zip(others, other_parts))


def p_value(ours, others):
    """p-value of their difference."""
    observed = abs(difference(ours, others))
    count = len(ours[0].sentences)
    draws = random.Random(1)
    at_least = 0
    for _ in range(TRIALS):
        chosen = [bit == "1" for bit in f"{draws.getrandbits(count):0{count}b}"]
        at_least += abs(difference(ours, others, chosen)) >= observed
    return (at_least + 1) / (TRIALS + 1)


def sentences_of(run, result, reference):
    """Those of a run, whose BLEU must be that of its result."""
    translations = lines_of(run / f"test2016.{result['pair'].split('-')[1]}")
    references = lines_of(reference)
    if len(translations) != len(references):
        sys.exit(f"{run}: {len(translations)} translations for {len(references)} references")
    sentences = packed(map(sentence_numbers, translations, references))
    score = bleu(corpus_sums(unpacked(sentences)))
    if abs(score - result["test"]["BLEU"]) > 0.005:
        sys.exit(f"{run}: BLEU is {score:.2f}, and {result['test']['BLEU']:.2f} in result.json: "
                 f"{reference} is not its reference")
    return sentences


def add(logs, reference, runs):
    for run in map(pathlib.Path, runs):
        result = json.loads((run / "result.json").read_text())
        if result["text"] != "tok":
            sys.exit(f"{run}: not a run on tokenized text")
        require_settings(logs.results, result, run, SETTINGS)
        if not is_new(logs.results, result, run, IDENTITY):
            continue
        numbers = identity_of(result) | {"sentences": sentences_of(run, result, reference)}
        append(logs.sentences, numbers)
        append(logs.results, result)


def identity_of(result):
    return {key: result[key] for key in IDENTITY}


def add_lengths(logs, runs):
    for run in map(pathlib.Path, runs):
        line = identity_of(json.loads((run / "result.json").read_text())) | {
            "scores": json.loads((run / "lengths.json").read_text())}
        if is_new(logs.lengths, line, run, IDENTITY):
            append(logs.lengths, line)


def comparison(ours, others):
    """The difference of BLEU of all runs of ours and all others, and its p-value."""
    if not others or ours is others:
        return "", ""
    ours, others = (list(map(System, runs.values())) for runs in (ours, others))
    return f"{difference(ours, others):+.2f}", f"{p_value(ours, others):.3f}"


def by_encoding(runs):
    """(encoding, its runs by seed), those of FIRST first, then those with more seeds."""
    encodings = collections.defaultdict(list)
    for run in sorted(runs, key=lambda run: run["seed"]):
        encodings[encoding_of(run)].append(run)
    return sorted(encodings.items(), key=lambda item: (item[0] != FIRST, -len(item[1])))


def lengths_table(runs, columns):
    lines = [f"| encoding | seeds | {' | '.join(columns)} |", "|---" * (len(columns) + 2) + "|"]
    for encoding, own in by_encoding(runs):
        cells = []
        for column in columns:
            scores, ratios = zip(*(run["scores"][column] for run in own))
            cells.append(f"{spread(scores)} ({statistics.mean(ratios):.2f})")
        lines.append(f"| `{encoding}` | {seeds_of(own)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def lengths_tables(runs):
    """One of joined lines, one of single lines by their length."""
    columns = list(runs[0]["scores"])
    return "\n\n".join(
        lengths_table(runs, [column for column in columns if ("word" in column) == words])
        for words in (False, True))


def table(results, sentences):
    """The table of one pair. `sentences`: by encoding and seed."""
    lines = ["| encoding | seeds | validation BLEU | BLEU | chrF2 | difference | p |",
             "|---|---|---|---|---|---|---|"]
    for encoding, runs in by_encoding(results):
        difference, p = comparison(sentences[encoding], sentences[FIRST])
        lines.append(
            f"| `{encoding}` | {seeds_of(runs)} | {' | '.join(quality(runs))} | {difference} | {p} |")
    return "\n".join(lines)


def write_all_tables(logs, page, check):
    sentences = collections.defaultdict(lambda: collections.defaultdict(dict))
    for run in read(logs.sentences):
        sentences[run["pair"]][encoding_of(run)][run["seed"]] = unpacked(run["sentences"])

    def of_pair(log, pair):
        return [line for line in read(log) if line["pair"] == pair]

    def made(match):
        pair = match["pair"]
        if match["lengths"]:
            return lengths_tables(of_pair(logs.lengths, pair))
        return table(of_pair(logs.results, pair), sentences[pair])

    head = r"<!-- bench/multi30k_results.py: (?P<pair>\w+-\w+)(?P<lengths> lengths)? -->"
    write_tables(page, head, made, "bench/multi30k_results.py tables", check)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[1])
    commands = parser.add_subparsers(dest="command", required=True)
    adding = commands.add_parser("add")
    adding.add_argument("reference")
    adding.add_argument("runs", nargs="+")
    commands.add_parser("lengths").add_argument("runs", nargs="+")
    commands.add_parser("tables").add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.root / "bench/log"
    logs = Logs(folder / "multi30k.jsonl", folder / "multi30k_sentences.jsonl",
                folder / "multi30k_lengths.jsonl")
    if arguments.command == "add":
        add(logs, arguments.reference, arguments.runs)
    elif arguments.command == "lengths":
        add_lengths(logs, arguments.runs)
    else:
        write_all_tables(logs, arguments.root / "bench/RESULTS.md", arguments.check)


if __name__ == "__main__":
    main()
