#!/usr/bin/env python3
"""Compares dietmt's WordPiece with Hugging Face's BertTokenizerFast: ids and places in the text.

    python3 bench/tokenizer_parity.py --program build/bin/tokenize_lines --shared ../shared

Needs the packages transformers (below 5, which has the slow BertTokenizer too) and tokenizers. The
text is a sample of mixed scripts from the shared data, every character of Unicode inside a word, and
pairs of combining marks.
Vocabularies are made from the text: a large one and a small one that leaves many words unknown.
Prints a line per setting; exit code 1 where a line of text has other ids or places.
"""

import argparse
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import BertTokenizer, BertTokenizerFast

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
DEFAULTS = dict(do_lower_case=True, strip_accents=None, tokenize_chinese_chars=True)
SETTINGS = {
    "uncased": {},
    "cased": dict(do_lower_case=False),
    "uncased with accents": dict(strip_accents=False),
    "cased without accents": dict(do_lower_case=False, strip_accents=True),
    "uncased, ideographs together": dict(tokenize_chinese_chars=False),
}
PLAIN_TEXT = [
    "multi30k/train.{en,de,fr,cs}.gz",
    "ntrex/newstest2019-*.txt.gz",
    "wmt/newstest2019.*.gz",
    "xtreme/xnli/*.dev.tsv.gz",
]
SQUAD_FORM = ["xtreme/xquad/*.json.gz", "xtreme/tydiqa-goldp/*_dev.json.gz"]


def files_of(data, pattern):
    if "{" not in pattern:
        return sorted(data.glob(pattern))
    head, rest = pattern.split("{")
    choices, tail = rest.split("}")
    return [data / (head + choice + tail) for choice in choices.split(",")]


def strings_of_squad(file):
    for article in json.loads(gzip.decompress(file.read_bytes()))["data"]:
        for paragraph in article["paragraphs"]:
            yield from paragraph["context"].split("\n")
            yield from (question["question"] for question in paragraph["qas"])


def corpus_lines(data, count):
    """The same number of lines from each file, as far as it has them, `count` in all."""
    sources = []
    for pattern in PLAIN_TEXT:
        for file in files_of(data, pattern):
            sources.append(gzip.decompress(file.read_bytes()).decode().split("\n"))
    for pattern in SQUAD_FORM:
        for file in files_of(data, pattern):
            sources.append(list(strings_of_squad(file)))
    chooser = random.Random(1)
    for lines in sources:
        chooser.shuffle(lines)
    chosen = []
    while len(chosen) < count:
        chosen += [lines.pop() for lines in sources if lines]
    return chosen[:count]


def corpus_vocabulary(lines, options, size, alphabet):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(
        lowercase=options["do_lower_case"],
        strip_accents=options["strip_accents"],
        handle_chinese_chars=options["tokenize_chinese_chars"],
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, limit_alphabet=alphabet, special_tokens=SPECIAL, show_progress=False
    )
    tokenizer.train_from_iterator(lines, trainer)
    return sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)


def character_lines():
    """Each character but line feed inside a word and on its own."""
    # Planes without characters are alike; the tables of the package may be older than Python's.
    codes = [*range(0xD800), *range(0xE000, 0x33480), *range(0xE0000, 0xE0200), 0xF0000, 0x10FFFD]
    return [f"a{chr(c)}b {chr(c)}" for c in codes if chr(c) != "\n"]


def mark_lines():
    """Pairs of marks that stay when accents go: canonical ordering may make them trade places."""
    strip = normalizers.BertNormalizer(strip_accents=True).normalize_str
    marks = [c for c in map(chr, range(0x300, 0x20000)) if unicodedata.combining(c) and strip(c)]
    return [f"a{first}{second}b" for first in marks for second in marks]


def character_vocabulary(lines, options):
    normalizer = normalizers.BertNormalizer(
        lowercase=options["do_lower_case"],
        strip_accents=options["strip_accents"],
        handle_chinese_chars=options["tokenize_chinese_chars"],
    )
    characters = set()
    for line in lines:
        characters.update(normalizer.normalize_str(line))
    characters = sorted(characters - {" ", "\r"})
    return SPECIAL + characters + ["##" + c for c in characters]


def write_model(folder, vocabulary, options):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("".join(piece + "\n" for piece in vocabulary), newline="\n")
    (folder / "tokenizer_config.json").write_text(json.dumps(options))


def pieces_of_dietmt(program, folder, lines):
    text = "".join(line + "\n" for line in lines)
    run = subprocess.run(
        [program, folder], input=text.encode(), stdout=subprocess.PIPE, check=True
    )
    for line in run.stdout.decode().split("\n")[:-1]:
        pieces = [tuple(map(int, piece.split(":"))) for piece in line.split()]
        yield [p[0] for p in pieces], [p[1:] for p in pieces]


def pieces_of_fast(tokenizer, lines):
    encoded = tokenizer(lines, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    for line, ids, places in zip(lines, encoded["input_ids"], encoded["offset_mapping"]):
        byte_at = [0]
        for character in line:
            byte_at.append(byte_at[-1] + len(character.encode()))
        yield ids, [(byte_at[begin], byte_at[end]) for begin, end in places]


def compare(program, folder, lines, compare_slow):
    fast = BertTokenizerFast.from_pretrained(folder)
    counts = dict(lines=0, pieces=0, unknown=0, ids=0, places=0, slow=0)
    slow = BertTokenizer.from_pretrained(folder) if compare_slow else None
    ours = list(pieces_of_dietmt(program, folder, lines))
    theirs = list(pieces_of_fast(fast, lines))
    assert len(ours) == len(theirs) == len(lines)
    for line, (ids, places), (fast_ids, fast_places) in zip(lines, ours, theirs):
        counts["lines"] += 1
        counts["pieces"] += len(ids)
        counts["unknown"] += ids.count(fast.unk_token_id)
        for name, mine, other in (("ids", ids, fast_ids), ("places", places, fast_places)):
            if mine != other:
                counts[name] += 1
                if counts[name] <= 3:
                    print(f"  {name} differ: {ascii(line)[:200]}: {mine[:12]} {other[:12]}")
        if slow and slow.convert_tokens_to_ids(slow.tokenize(line)) != fast_ids:
            counts["slow"] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True, help="tokenize_lines")
    parser.add_argument("--shared", type=pathlib.Path, required=True)
    parser.add_argument("--lines", type=int, default=10000)
    parser.add_argument("--slow", action="store_true", help="also count where slow differs from fast")
    arguments = parser.parse_args()

    lines = corpus_lines(arguments.shared / "data", arguments.lines)
    # Special pieces stand anywhere, also inside words and next to each other.
    lines = [line.replace(" ", "[MASK]" * (i % 3 + 1), 1) if i % 50 == 0 else line
             for i, line in enumerate(lines)]
    characters, marks = character_lines(), mark_lines()
    different = 0
    with tempfile.TemporaryDirectory() as work:
        for name, changes in SETTINGS.items():
            options = DEFAULTS | changes
            cases = {
                "large": (lines, corpus_vocabulary(lines, options, 30000, 6000)),
                "small": (lines, corpus_vocabulary(lines, options, 1200, 300)),
                "characters": (characters, character_vocabulary(characters, options)),
                "marks": (marks, character_vocabulary(marks, options)),
            }
            for case, (text, vocabulary) in cases.items():
                folder = pathlib.Path(work) / name / case
                write_model(folder, vocabulary, options)
                counts = compare(arguments.program, folder, text, arguments.slow)
                # Fast leaves the places of reordered marks where they were.
                different += counts["ids"] + (counts["places"] if case != "marks" else 0)
                print(
                    f"{name}, {case} ({len(vocabulary)} pieces): {counts['lines']} lines, "
                    f"{counts['pieces']} pieces, {counts['unknown']} unknown; other ids in "
                    f"{counts['ids']} lines, other places in {counts['places']}"
                    + (f"; slow differs from fast in {counts['slow']}" if arguments.slow else ""),
                    flush=True,
                )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
