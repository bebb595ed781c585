#!/usr/bin/env python3
"""What users of translation servers and toolkits have reported in public, tried on dietmt: text that
must come back as it is, languages, files and clients. Only results that do not depend on the model's
words count. The points are those of the list in the reports' own order; DIETMT_TRIAL_MODEL=SRC-TGT=DIR
takes another model than a toy."""
import json
import os
import re
import urllib.parse

from server import Server
from trials import build_and_work, execute, report, toy_model

LONG = "red dog sees blue house. " * 400


class Trials:
    def __init__(self, dietmt, model, server):
        self.dietmt, self.model, self.server = dietmt, model, server
        self.source, self.target = re.match(r"(\w+)-(\w+)=", model).groups()

    def lines(self, text, *options):
        """The command's translations of lines."""
        seen = execute([self.dietmt, "translate", "--model", self.model.split("=", 1)[1], *options],
                       text)
        return seen.out.split("\n")[:-1], seen

    def translate(self, q, **fields):
        return self.server.json("/translate", {"q": q, "source": self.source,
                                               "target": self.target, **fields})

    def document(self, name, content, **fields):
        """Status and the translated document, or the answer that refused it."""
        data = content if isinstance(content, bytes) else content.encode()
        status, answer = self.server.form("/translate_file", {
            "file": (name, data), "source": self.source, "target": self.target, **fields})
        if status != 200:
            return status, str(answer)
        path = urllib.parse.urlparse(answer["translatedFileUrl"]).path
        return status, self.server.ask("GET", path)[2].decode("utf-8", "replace")

    def languages(self):
        status, _, body = self.server.ask("GET", "/languages")
        codes = [one["code"] for one in json.loads(body)]
        report(1, "/languages has languages that are only targets",
               {self.source, self.target} <= set(codes), codes)
        texts = ["The weather was beautiful and we went along the river.",
                 "Der Hund läuft heute schnell nach Hause, und das ist gut so."]
        for what, q in (("a list in two languages", texts), ("text in another language", texts[1])):
            status, body = self.translate(q, source="auto")
            report(2, f"auto takes {what}", status == 200, body)
        status, body = self.translate("Hello", target=self.source)
        report(7, "a target that is the source returns the text",
               status == 200 and body["translatedText"] == "Hello", body)

    def plain_text(self):
        for text in ("🌷🌷 🌷", "12:30", "---", "1 2 3 4 5", "→ ∞ ≠"):
            got, _ = self.lines(text + "\n")
            report(3, f"the command copies {text!r}", got == [text], got)
            status, body = self.translate(text)
            report(3, f"the server copies {text!r}",
                   status == 200 and body["translatedText"] == text, body)
        for kept in ("https://a.example/search?q=dogs&p=1", "someone@example.org", "README.md",
                     "C:\\Windows\\System32", "@name", "#topic", "{0}", "%1$s", ":count", "[X0X]",
                     "__name__", "`make install`", "$name$"):
            text = f"The dog sees {kept} today."
            got, _ = self.lines(text + "\n")
            report(20, f"the command keeps {kept}", kept in got[0], got)
            status, body = self.translate(text)
            report(20, f"the server keeps {kept}", kept in body["translatedText"], body)
        got, _ = self.lines("The **big** [dog](https://a.example) [b]sees[/b] it.\n")
        report(20, "Markdown and BBCode", all(one in got[0] for one in (
            "**", "](https://a.example)", "[b]", "[/b]")), got)
        got, seen = self.lines(LONG + "\n", "--split-sentences", self.source)
        report(6, "a long line keeps its length", len(got) == 1 and len(got[0]) > len(LONG) / 3, seen)

    def sentences(self):
        for text in ("See https://a.example/search?q=dogs&p=1 for more.", "He asked \"Why?\" and left.",
                     "Yahoo! Mail is here.", "He lives in the U.S. Army base.", "Apple Inc. sells it.",
                     "At 5 p.m. Monday we go.", "John Jr. Smith runs.", "Mr. and Mrs. Smith vs. me."):
            status, body = self.server.json("/v1/translate", {
                "text": text, "source": self.source, "target": self.target})
            count = len(body["results"][0]["sentences"]) if status == 200 else body
            report(4, f"one sentence: {text}", count == 1, count)

    def files(self):
        cue = "1\n00:00:01,000 --> 00:00:02,000\n"
        second = "2\n00:00:03,000 --> 00:00:04,000\nThe cat.\n"
        for what, text in (("a blank line in a cue", cue + "The dog\n\nruns.\n\n" + second),
                           ("no blank line between cues", cue + "The dog.\n" + second),
                           ("Windows-1252", (cue + "The café is née.\n\n" + second).encode("cp1252"))):
            status, got = self.document("a.srt", text)
            report(8, f"srt: {what}", status == 200 and got.count("-->") == 2, got)
        unit = ('<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" '
                f'source-language="{self.source}" target-language="{self.target}" datatype="plaintext">'
                '<body><trans-unit id="1"><source>The dog sees it.</source><target '
                'state="needs-translation">The dog sees it.</target></trans-unit></body></file></xliff>')
        status, got = self.document("a.xlf", unit)
        report(11, "xliff: a copied source is translated",
               status == 200 and got.count("The dog sees it.") == 1, got)
        report(11, "xliff: the state is new", 'state="needs-translation"' not in got, got)
        pot = ('msgid ""\nmsgstr ""\n"Language: \\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
               '"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"\n\n#, c-format\n'
               'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n')
        status, got = self.document("a.pot", pot)
        report(15, "pot: plural forms of the target", status == 200 and "INTEGER" not in got, got)
        report(15, "pot: machine translations are fuzzy", "fuzzy" in got, got)
        page = (f'<html lang="{self.source}"><head><meta name="description" content="The house">'
                '</head><body><p class="notranslate">The dog.</p><img alt="The big dog">'
                '<input placeholder="The cat"><p>It is <code><b>red</b> dog</code> now.</p>')
        status, got = self.document("a.html", page)
        report(17, "html: lang is the target's", f'lang="{self.target}"' in got, got)
        report(23, "html: notranslate", '<p class="notranslate">The dog.</p>' in got, got)
        report(23, "html: alt is translated", 'alt="The big dog"' not in got, got)
        report(23, "html: code stays", "<code><b>red</b> dog</code>" in got, got)
        for name, text in (("a.md", "# The dog\n\nIt **runs** `x`.\n"), ("a.json", '{"a": "The dog"}\n'),
                           ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nThe dog.\n"),
                           ("a.yaml", "a: The dog\n"), ("a.properties", "a=The dog\n"),
                           ("strings.xml", '<resources><string name="a">The dog</string></resources>'),
                           ("a.csv", "a,b\n1,The dog\n")):
            columns = {"columns": "b"} if name == "a.csv" else {}
            status, got = self.document(name, text, **columns)
            report(18, f"{name} is translated", status == 200, got)
        status, got = self.document("a.txt", "The café.\n".encode("latin-1"))
        report(18, "Latin-1 text", status == 200, got)

    def clients(self):
        for codes in ({"source": self.source.upper(), "target": self.target.upper()},):
            status, body = self.translate("The dog.", **codes)
            report(10, f"codes in capitals: {codes}", status == 200, body)
        status, body = self.server.json("/detect", {"q": ["The weather is fine.", "Das Wetter ist gut."]})
        report(10, "/detect takes a list", status == 200, body)
        status, body = self.translate("The dog.", alternatives=40)
        report(10, "alternatives are clamped", status == 200, body)
        for method, path in (("GET", "/languages/"), ("GET", "/spec"), ("GET", "/docs"),
                             ("GET", "/frontend/settings")):
            status, _, body = self.server.ask(method, path)
            report(12, f"{method} {path}", status == 200, f"{status} {body[:80]}")
        status, _, body = self.server.ask("GET", "/spec")
        title = json.loads(body).get("info", {}).get("title") if status == 200 else status
        report(12, "the title of /spec", title == "LibreTranslate", title)

    def prefixes(self):
        work = self.server.log.parent
        (work / "prefix").write_text("Der Hu\n" if self.target == "de" else "O ca\n")
        got, seen = self.lines("The dog sees it.\n", "--prefix", work / "prefix")
        begins = (work / "prefix").read_text().strip()
        report(26, "a prefix that ends inside a word", got and got[0].startswith(begins), got or seen)


def main():
    build, work = build_and_work()
    dietmt = build / "bin" / "dietmt"
    model = os.environ.get("DIETMT_TRIAL_MODEL") or f"en-de={toy_model(dietmt, work)}"
    with Server(dietmt, model, work) as server:
        trials = Trials(dietmt, model, server)
        for part in (trials.languages, trials.plain_text, trials.sentences, trials.files,
                     trials.clients, trials.prefixes):
            part()


main()
