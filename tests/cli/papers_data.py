#!/usr/bin/env python3
"""Toy data for recipes/papers: papers_data.py DATA. Text, files of GLUE, SQuAD and XTREME in their
official forms, and parallel text, all of fifteen words."""
import json
import pathlib
import random
import sys

WORDS = "red blue green small big old new cat dog house tree bird sees likes finds".split()
data = pathlib.Path(sys.argv[1])
draw = random.Random(1)


def sentence(least=3, most=8):
    return " ".join(draw.choices(WORDS, k=draw.randint(least, most)))


def write(path, lines):
    path = data / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def table(task, header, row, parts=("train", "dev")):
    for part in parts:
        write(f"{task}/{part}.tsv", [header] + [row(i) for i in range(12 if part == "train" else 6)])


def answers(path, version, unanswerable=False):
    paragraphs = []
    for p in range(4):
        words = draw.choices(WORDS, k=12)
        context, questions = " ".join(words), []
        for q in range(2):
            at = draw.randrange(10)
            answer = {"text": " ".join(words[at:at + 2]), "answer_start": len(" ".join(words[:at] + [""]))}
            question = {"id": f"{path}-{p}-{q}", "question": sentence(3, 4), "answers": [answer]}
            if unanswerable:
                question["is_impossible"] = q == 1
                if q == 1:
                    question["answers"] = []
            questions.append(question)
        paragraphs.append({"context": context, "qas": questions})
    write(path, [json.dumps({"version": version, "data": [{"title": "t", "paragraphs": paragraphs}]})])




def text(path, lines):
    write(path, [line for i in range(lines) for line in ([sentence()] + ([""] if i % 3 == 2 else []))])


text("text/train/train.txt", 400)
text("text/valid/valid.txt", 40)
text("text-multilingual/train/de.txt", 300)
text("text-multilingual/train/gu.txt", 100)
text("text-multilingual/valid/valid.txt", 40)

CLASSES = ["contradiction", "entailment", "neutral"]
for part, rows in (("train", 12), ("dev", 6)):
    write(f"CoLA/{part}.tsv", [f"x\t{i % 2}\t\t{sentence()}" for i in range(rows)])
table("SST-2", "sentence\tlabel", lambda i: f"{sentence()}\t{i % 2}")
table("MRPC", "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String",
      lambda i: f"{i % 2}\t{i}\t{i}\t{sentence()}\t{sentence()}")
table("STS-B", "index\tsentence1\tsentence2\tscore", lambda i: f"{i}\t{sentence()}\t{sentence()}\t{i % 6}")
table("QQP", "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate",
      lambda i: f"{i}\t{i}\t{i}\t{sentence()}\t{sentence()}\t{i % 2}")
table("MNLI", "index\tsentence1\tsentence2\tgold_label",
      lambda i: f"{i}\t{sentence()}\t{sentence()}\t{CLASSES[i % 3]}",
      ("train", "dev_matched", "dev_mismatched"))
for name, first, second in (("QNLI", "question", "sentence"), ("RTE", "sentence1", "sentence2")):
    table(name, f"index\t{first}\t{second}\tlabel",
          lambda i: f"{i}\t{sentence()}\t{sentence()}\t{('entailment', 'not_entailment')[i % 2]}")
table("WNLI", "index\tsentence1\tsentence2\tlabel", lambda i: f"{i}\t{sentence()}\t{sentence()}\t{i % 2}")

write("XNLI/multinli.train.en.tsv", ["premise\thypo\tlabel"] + [
    f"{sentence()}\t{sentence()}\t{('contradictory', 'entailment', 'neutral')[i % 3]}" for i in range(12)])
LANGUAGES = "ar bg de el en es fr hi ru sw th tr ur vi zh".split()
for part in ("dev", "test"):
    write(f"XNLI/xnli.{part}.tsv", ["language\tgold_label\tsentence1\tsentence2\tpairID"] + [
        f"{language}\t{CLASSES[i % 3]}\t{sentence()}\t{sentence()}\t{i}"
        for language in LANGUAGES for i in range(3)])
for part in ("train", "dev"):
    answers(f"SQuAD1.1/{part}-v1.1.json", "1.1")
    answers(f"SQuAD2.0/{part}-v2.0.json", "v2.0", unanswerable=True)
for task in ("XQuAD", "MLQA"):
    answers(f"{task}/train-v1.1.json", "1.1")
for language in ("en", "de"):
    answers(f"XQuAD/xquad.{language}.json", "1.1")
    answers(f"MLQA/dev-context-{language}-question-{language}.json", "1.1")
answers("TyDiQA-GoldP/tydiqa-goldp-v1.1-train.json", "1.1")
for language in ("english", "finnish"):
    answers(f"TyDiQA-GoldP/tydiqa-goldp-dev-{language}.json", "1.1")

for pair in ("de-en", "cs-en"):
    for part, lines in (("train", 60), ("valid", 8), ("test", 8)):
        text = [sentence() for _ in range(lines)]
        write(f"{pair}/{part}.en", text)
        write(f"{pair}/{part}.{pair[:2]}", [line.upper().lower()[::-1] for line in text])
