#!/usr/bin/env python3
"""Makes parallel text from translated software: gettext catalogues and LibreOffice's help pages.

  parallel_text.py --language de --root ROOT --output DIR

ROOT holds unpacked packages (usr/share/locale, usr/lib/libreoffice, usr/share/libreoffice). The
English side of a catalogue is its message, that of a help page the paragraph with the same id on
the same page. Writes train, valid and test .en and .LANGUAGE, one segment a line.

Validation and test are whole help pages, chosen by a hash of the page's name, so no page is in two
parts. Of these pages, only segments whose English side is not in the training text are kept.
"""
import argparse
import gettext
import html.parser
import pathlib
import re
import sys
import zlib

MAX_CHARACTERS = 600  # of a segment, on either side
PARTS = 24            # one page of this many goes to validation, another to the test


class HelpPage(html.parser.HTMLParser):
    """Collects `paragraphs`: text by id. Leaves out code and hidden elements."""

    VOID = {"br", "img", "input", "link", "meta", "base", "hr", "source", "wbr", "col"}

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.paragraphs = {}
        self._open = []      # (tag, id of the paragraph that it begins, hidden)
        self._ids = []       # of the open paragraphs, innermost last
        self._hidden = 0
        self.feed(markup)

    def handle_starttag(self, tag, attributes):
        if tag in self.VOID:
            if tag == "br" and self._ids:
                self.paragraphs[self._ids[-1]] += " "
            return
        fields = dict(attributes)
        hidden = (fields.get("hidden") == "true" or tag in ("script", "style", "pre", "code")
                  or "code" in (fields.get("class") or ""))
        name = fields.get("id") or ""
        is_paragraph = tag in ("p", "h1", "h2", "h3", "h4", "h5", "h6") and \
            name.startswith(("par_", "hd_")) and name not in self.paragraphs
        self._open.append((tag, name if is_paragraph else None, hidden))
        self._hidden += hidden
        if is_paragraph:
            self.paragraphs[name] = ""
            self._ids.append(name)

    def handle_endtag(self, tag):
        while self._open:
            opened, name, hidden = self._open.pop()
            self._hidden -= hidden
            if name is not None:
                self._ids.pop()
            if opened == tag:
                return

    def handle_data(self, text):
        if self._ids and not self._hidden:
            self.paragraphs[self._ids[-1]] += text


def clean(text):
    """One line, without the marks of keyboard shortcuts ("~File", "_File", "&File")."""
    text = " ".join(text.replace("\u00ad", "").split())
    for mark in "~_&":
        if text.count(mark) == 1:
            text = re.sub(rf"{mark}(?=\w)", "", text)
    return text


def is_pair(source, target):
    if not source or not target or source == target:
        return False
    if max(len(source), len(target)) > MAX_CHARACTERS:
        return False
    if not re.search(r"[^\W\d_]{2}", source) or not re.search(r"[^\W\d_]{2}", target):
        return False
    return len(source) <= 2.5 * len(target) + 10 and len(target) <= 2.5 * len(source) + 10


def catalogue_pairs(files):
    for file in files:
        with open(file, "rb") as stream:
            try:
                messages = gettext.GNUTranslations(stream)._catalog
            except (OSError, UnicodeDecodeError) as error:
                print(f"{file}: left out: {error}", file=sys.stderr)
                continue
        for message, translation in messages.items():
            if isinstance(message, tuple):  # one of several plural forms
                message, form = message
                if form != 0:
                    continue
            pair = clean(message.split("\4")[-1]), clean(translation)
            if is_pair(*pair):
                yield pair


def help_pairs(pages, language):
    """(page, source, target) of every paragraph that both languages have."""
    for english in sorted((pages / "en-US").rglob("*.html")):
        name = english.relative_to(pages / "en-US")
        translated = pages / language / name
        if not translated.exists():
            continue
        sources = HelpPage(english.read_text("utf-8")).paragraphs
        targets = HelpPage(translated.read_text("utf-8")).paragraphs
        for paragraph, source in sources.items():
            pair = clean(source), clean(targets.get(paragraph, ""))
            if is_pair(*pair):
                yield name.as_posix(), *pair


def part_of(page):
    return {0: "valid", 1: "test"}.get(zlib.crc32(page.encode()) % PARTS, "train")


def split(root, language):
    files = sorted(file for folder in (f"{language}/LC_MESSAGES", f"{language}_*/LC_MESSAGES")
                   for file in root.glob(f"**/{folder}/*.mo"))
    parts = {"train": dict.fromkeys(catalogue_pairs(files)), "valid": {}, "test": {}}
    for page, *pair in help_pairs(root / "usr/share/libreoffice/help", language):
        parts[part_of(page)][tuple(pair)] = None
    known = {source for source, _ in parts["train"]}
    for part in ("valid", "test"):
        parts[part] = {pair: None for pair in parts[part] if pair[0] not in known}
    known = {source for source, _ in parts["valid"]}
    parts["test"] = {pair: None for pair in parts["test"] if pair[0] not in known}
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--language", required=True, help="of the target side, e.g. de")
    parser.add_argument("--root", required=True, type=pathlib.Path, help="unpacked packages")
    parser.add_argument("--output", required=True, type=pathlib.Path)
    options = parser.parse_args()
    parts = split(options.root, options.language)
    for part, pairs in parts.items():
        if not pairs:
            sys.exit(f"{options.root} has no text for '{part}' in the language {options.language}.")
    options.output.mkdir(parents=True, exist_ok=True)
    written = []
    for part, pairs in parts.items():
        for side, language in enumerate(("en", options.language)):
            path = options.output / f"{part}.{language}"
            unfinished = path.with_name(path.name + ".part")
            unfinished.write_text("".join(pair[side] + "\n" for pair in pairs), "utf-8")
            written.append((unfinished, path))
        words = sum(len(source.split()) for source, _ in pairs)
        print(f"{part}: {len(pairs)} pairs, {words} English words", file=sys.stderr)
    for unfinished, path in written:  # the recipes take the last one as a sign that all are there
        unfinished.replace(path)


if __name__ == "__main__":
    main()
