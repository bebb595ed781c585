#!/usr/bin/env python3
"""Small English and German text for docs/tutorial.md: sentences with the numbers from 2 to 999.

    tutorial_text.py FOLDER     writes train, valid and test .en and .de
"""
import pathlib
import random
import sys

ONES_EN = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen""".split()
TENS_EN = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
ONES_DE = """null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn
fünfzehn sechzehn siebzehn achtzehn neunzehn""".split()
TENS_DE = "- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
FRAMES = [("The train has {} seats.", "Der Zug hat {} Plätze."),
          ("We sold {} tickets yesterday.", "Gestern haben wir {} Karten verkauft."),
          ("There are {} books in the library.", "In der Bibliothek sind {} Bücher."),
          ("The bridge is {} metres long.", "Die Brücke ist {} Meter lang."),
          ("She wrote {} letters to her brother.", "Sie schrieb ihrem Bruder {} Briefe.")]


def english(n):
    if n >= 100:
        return ONES_EN[n // 100] + " hundred" + (" and " + english(n % 100) if n % 100 else "")
    if n < 20:
        return ONES_EN[n]
    return TENS_EN[n // 10] + ("-" + ONES_EN[n % 10] if n % 10 else "")


def german(n):
    if n >= 100:
        return ONES_DE[n // 100] + "hundert" + (german(n % 100) if n % 100 else "")
    if n < 20:
        return "eins" if n == 1 else ONES_DE[n]
    return (ONES_DE[n % 10] + "und" if n % 10 else "") + TENS_DE[n // 10]


def main(folder):
    pairs = [(source.format(english(n)), target.format(german(n)))
             for source, target in FRAMES for n in range(2, 1000)]
    random.seed(1)
    random.shuffle(pairs)
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in (("valid", pairs[:200]), ("test", pairs[200:400]), ("train", pairs[400:])):
        for side, language in enumerate(("en", "de")):
            text = "".join(pair[side] + "\n" for pair in part)
            (folder / f"{name}.{language}").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
