"""Compares the sentence splitter with sentencex and pysbd on published sentence boundaries.

    splitter_f1.py PROGRAM UD [--golden SPECS] [--show LANGUAGE]

PROGRAM: build/bin/split_sentences. UD: a folder with test sets of Universal Dependencies
(LANGUAGE_*-ud-test.conllu). SPECS: the folder spec/pragmatic_segmenter/languages of the Ruby
library pragmatic_segmenter, whose examples are the Golden Rules. Packages that are not installed
are left out.

A paragraph is joined with single spaces (none in Chinese and Japanese); sets without paragraphs or
documents are cut into ten sentences each. F1 is that of the boundaries inside paragraphs.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import time

WITHOUT_SPACES = {"zh", "ja"}
SPECS = {"amharic": "am", "arabic": "ar", "armenian": "hy", "bulgarian": "bg", "burmese": "my",
         "chinese": "zh", "danish": "da", "deutsch": "de", "dutch": "nl", "english": "en",
         "french": "fr", "greek": "el", "hindi": "hi", "italian": "it", "japanese": "ja",
         "kazakh": "kk", "persian": "fa", "polish": "pl", "russian": "ru", "spanish": "es",
         "urdu": "ur"}


def read_ud(file):
    """Paragraphs, each a list of sentences."""
    paragraphs, has_breaks = [[]], False
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(("# newdoc", "# newpar")):
            has_breaks = True
            paragraphs.append([])
        elif line.startswith("# text = "):
            paragraphs[-1].append(re.sub(r"\s+", " ", line[9:].strip()))
    sentences = [sentence for paragraph in paragraphs for sentence in paragraph]
    if not has_breaks or len(paragraphs) > 0.9 * len(sentences):  # shuffled sentences
        return [sentences[i:i + 10] for i in range(0, len(sentences), 10)]
    return [paragraph for paragraph in paragraphs if paragraph]


def read_golden(file):
    """Pairs of a text on one line and its sentences."""
    pairs = []
    source = file.read_text(encoding="utf-8")
    pattern = r'text: (".*?(?<!\\)"|\'.*?\'), language.*?\n\s*expect\(ps\.segment\)\.to eq\((\[.*?\])\)\n'
    for text, expected in re.findall(pattern, source, re.S):
        try:
            text, expected = eval(text), eval(expected)  # Ruby's strings are Python's here
        except (SyntaxError, ValueError):
            continue
        if "\n" not in text and "\r" not in text:
            pairs.append((text, [one.strip() for one in expected]))
    return pairs


def ends(sentences):
    """Boundaries inside a text, as numbers of characters that are not white space."""
    at, found = 0, set()
    for sentence in sentences:
        at += len(re.sub(r"\s", "", sentence))
        found.add(at)
    found.discard(at)
    return found


def dietmt(program):
    def split(texts, language):
        run = subprocess.run([program, language], input="\n".join(texts) + "\n", text=True,
                             capture_output=True, check=True)
        return [block.split("\n") for block in run.stdout.split("\n\n")[:-1]], float(run.stderr)
    return split


def timed(function):
    def split(texts, language):
        begin = time.perf_counter()
        found = function(texts, language)
        return found, time.perf_counter() - begin
    return split


def splitters(program):
    found = {"dietmt": dietmt(program)}
    try:
        import sentencex
        found["sentencex"] = timed(
            lambda texts, language: [list(sentencex.segment(language, one)) for one in texts])
    except ImportError:
        pass
    try:
        import pysbd
        from pysbd.languages import LANGUAGE_CODES

        def split_pysbd(texts, language):
            segmenter = pysbd.Segmenter(language=language, clean=False)
            return [segmenter.segment(one) for one in texts]

        def pysbd_or_none(texts, language):
            return timed(split_pysbd)(texts, language) if language in LANGUAGE_CODES else None
        found["pysbd"] = pysbd_or_none
    except ImportError:
        pass
    return found


def f1(gold, found):
    right = sum(len(one & other) for one, other in zip(gold, found))
    all_gold, all_found = sum(map(len, gold)), sum(map(len, found))
    return 200 * right / max(1, all_gold + all_found)


def show(texts, gold, found):
    for text, right, given in zip(texts, gold, found):
        packed = re.sub(r"\s", "", text)
        for at in sorted(right ^ given):
            kind = "missed" if at in right else "wrong "
            print(kind, packed[max(0, at - 30):at], "|", packed[at:at + 30])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("ud", type=pathlib.Path)
    parser.add_argument("--golden", type=pathlib.Path)
    parser.add_argument("--show")
    options = parser.parse_args()
    all_splitters = splitters(options.program)
    seconds, sizes = collections.Counter(), collections.Counter()
    print("set", *all_splitters, sep="\t")
    for file in sorted(options.ud.glob("*-ud-test.conllu")):
        language = file.name.split("_")[0]
        if options.show and options.show != language:
            continue
        paragraphs = read_ud(file)
        space = "" if language in WITHOUT_SPACES else " "
        texts = [space.join(paragraph) for paragraph in paragraphs]
        gold = [ends(paragraph) for paragraph in paragraphs]
        row = []
        for name, split in all_splitters.items():
            answer = split(texts, language)
            if answer is None:
                row.append("-")
                continue
            found, took = answer
            found = [ends(one) for one in found]
            row.append(f"{f1(gold, found):.1f}")
            seconds[name] += took
            sizes[name] += sum(len(text.encode()) for text in texts)
            if options.show and name == "dietmt":
                show(texts, gold, found)
        print(file.name.removesuffix("-ud-test.conllu"), *row, sep="\t")
    for file in sorted(options.golden.glob("*_spec.rb")) if options.golden else []:
        language = SPECS.get(file.name.removesuffix("_spec.rb"))
        if language is None or (options.show and options.show != language):
            continue
        pairs = read_golden(file)
        row = []
        for name, split in all_splitters.items():
            answer = split([text for text, _ in pairs], language)
            if answer is None:
                row.append("-")
                continue
            found = [[one.strip() for one in sentences] for sentences in answer[0]]
            right = sum(given == gold for given, (_, gold) in zip(found, pairs))
            row.append(f"{right}/{len(pairs)}")
            if options.show and name == "dietmt":
                for given, (text, gold) in zip(found, pairs):
                    if given != gold:
                        print("rule", given, "not", gold)
        print(f"golden {language}", *row, sep="\t")
    print("ms/MB", *(f"{1e9 * seconds[name] / max(1, sizes[name]):.0f}" for name in all_splitters),
          sep="\t")


if __name__ == "__main__":
    main()
