#!/usr/bin/env python3
"""Compares CTranslate2 on models that `dietmt export --to ctranslate2` wrote with dietmt itself:
translations and scores by greedy and beam search, and scores of given translations.

    ctranslate2_parity.py --dietmt build/bin/dietmt [--encodings sinusoidal t5 ...] [--updates 250]

For each position encoding and a few other choices, a small model is trained on a toy language pair
for a few seconds, so that its sentences end. Prints, for each, lines that differ and the largest
difference of a score; a line with another translation of the same score is a tie. Fails if a line
differs, or a score by more than the tolerance. Left out are translations of the largest length,
which CTranslate2 ends without end of sentence. CTranslate2 runs without disable_unk and
suppress_sequences, with which it would divide by the probability that is left. Needs ctranslate2
(4.8) and sentencepiece.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import ctranslate2
import sentencepiece

SOURCE = "red blue green small big old new cat dog house tree bird sees likes finds".split()
TARGET = "rot blau gruen klein gross alt neu katze hund haus baum vogel sieht mag findet".split()
MODELS = {
    "sinusoidal": [],
    "sinusoidal(layout=halves)": [],
    "sinusoidal(layout=halves-2m)": [],
    "learned": [],
    "learnable-sinusoidal": [],
    "none": [],
    "shaw": [],
    "shaw(clip=4,values=false)": [],
    "shaw(clip=3,share=all)": [],
    "relative-sinusoidal(clip=8)": [],
    "relative-key(clip=6)": [],
    "t5": [],
    "t5(buckets=8,distance=20,scaled=false)": [],
    "diet-rel(share=layers)": [],
    "diet-rel(clip=5,share=all)": [],
    "alibi": [],
    "kerple": [],
    "rope": [],
    "rope(pairs=halves,base=500)": [],
    "t5 pre-norm gelu": ["--norm", "pre", "--activation", "gelu"],
    "rope swiglu untied": ["--activation", "swiglu", "--tied-embeddings", "none"],
    "sinusoidal silu decoder": ["--activation", "silu", "--tied-embeddings", "decoder",
                                "--separate-tokenizers"],
}
MAX_TOKENS = 60


def run(*arguments, **options):
    return subprocess.run(list(map(str, arguments)), check=True, capture_output=True, text=True,
                          **options).stdout


def write_corpus(root, name, lines, seed):
    """Each word has one translation, and the order is reversed."""
    draw = random.Random(seed)
    numbers = [draw.choices(range(len(SOURCE)), k=draw.randint(1, 9)) for _ in range(lines)]
    for side, words in (("en", SOURCE), ("de", TARGET)):
        text = [[words[n] for n in line] for line in numbers]
        (root / f"{name}.{side}").write_text(
            "".join(" ".join(line if side == "en" else line[::-1]) + "\n" for line in text))


def train(options, root, position, arguments):
    run(options.dietmt, "train", "--train-source", root / "train.en", "--train-target",
        root / "train.de", "--valid-source", root / "valid.en", "--valid-target", root / "valid.de",
        "--no-valid-translation", "--vocab-size",
        60 if "--separate-tokenizers" in arguments else 90, "--encoder-layers", 2,
        "--decoder-layers", 2, "--width", 64, "--feed-forward", 96, "--heads", 4, "--warmup",
        30, "--threads", 1, "--max-updates", options.updates, "--batch-tokens", 1024, "--position",
        position, "--output", root / "model", *arguments)
    run(options.dietmt, "export", "--model", root / "model", "--to", "ctranslate2", "--output",
        root / "exported")


class Exported:
    """The exported model in CTranslate2."""

    def __init__(self, directory):
        self.translator = ctranslate2.Translator(str(directory), compute_type="float32",
                                                 inter_threads=1, intra_threads=1)
        self.source, self.target = (
            sentencepiece.SentencePieceProcessor(model_file=str(directory / f"{side}.spm"))
            for side in ("source", "target"))

    def translate(self, lines, beam):
        found = self.translator.translate_batch(
            [self.source.encode(line, out_type=str) for line in lines], beam_size=beam,
            length_penalty=1, min_decoding_length=0, max_decoding_length=MAX_TOKENS - 1,
            return_scores=True)
        return [(one.hypotheses[0], one.scores[0]) for one in found]

    def score(self, sources, targets):
        found = self.translator.score_batch(
            [self.source.encode(line, out_type=str) for line in sources],
            [self.target.encode(line, out_type=str) for line in targets])
        return [one.log_probs for one in found]


def larger(one, other):
    """The larger of two differences; NaN if one of them is."""
    return one if other <= one or one != one else other


def compare_translations(options, root, exported, lines, beam):
    """Lines that differ beyond ties, ties, and the largest difference of the scores."""
    found = run(options.dietmt, "translate", "--model", root / "model", "--beam", beam, "--json",
                "--max-length-factor", 0, "--max-length-offset", MAX_TOKENS, "--threads", 1,
                input="\n".join(lines) + "\n").split("\n")[:-1]
    theirs = exported.translate(lines, beam)
    wrong = ties = 0
    largest = 0.0
    for source, line, (pieces, score) in zip(lines, found, theirs, strict=True):
        ours = json.loads(line)["translations"][0]
        if MAX_TOKENS in (len(ours["token_scores"]), len(pieces) + 1):
            continue
        text = exported.target.decode(pieces)
        difference = abs(ours["score"] - score)
        largest = larger(largest, difference)
        if ours["text"] != text:
            ties += difference <= options.tolerance
            wrong += difference > options.tolerance
            print(f"  '{source}': '{ours['text']}' {ours['score']:.5f}, there '{text}' {score:.5f}")
    return wrong, ties, largest


def compare_scores(options, root, exported, sources, targets):
    ours = run(options.dietmt, "score", "--model", root / "model", "--source", root / "valid.en",
               "--target", root / "valid.de", "--json", "--threads", 1).split("\n")[:-1]
    largest = 0.0
    for line, theirs in zip(ours, exported.score(sources, targets), strict=True):
        scores = json.loads(line)["token_scores"]
        for a, b in zip(scores, theirs, strict=True):
            largest = larger(largest, abs(a - b))
    return largest


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dietmt", required=True)
    parser.add_argument("--encodings", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--updates", type=int, default=250)
    parser.add_argument("--lines", type=int, default=100)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    options = parser.parse_args()
    failures = 0
    for name in options.encodings:
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            write_corpus(root, "train", 2000, 1)
            write_corpus(root, "valid", options.lines, 2)
            train(options, root, name.split()[0], MODELS[name])
            exported = Exported(root / "exported")
            sources, targets = ((root / f"valid.{side}").read_text().splitlines()
                                for side in ("en", "de"))
            results = {beam: compare_translations(options, root, exported, sources, beam)
                       for beam in (1, 5)}
            scores = compare_scores(options, root, exported, sources, targets)
        failures += not all(difference <= options.tolerance for difference in
                            [scores, *(largest for _, _, largest in results.values())]) or any(
                                wrong for wrong, _, _ in results.values())
        print(f"{name:40} differ (ties): greedy {results[1][0]} ({results[1][1]}), beam 5 "
              f"{results[5][0]} ({results[5][1]}) of {len(sources)}  scores {results[1][2]:.1e}, "
              f"{results[5][2]:.1e}  of given translations {scores:.1e}", flush=True)
    print(f"{failures} of {len(options.encodings)} models differ; CTranslate2 "
          f"{ctranslate2.__version__}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
