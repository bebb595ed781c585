#!/usr/bin/env python3
"""1,000 odd lines have the same translations from the command, over HTTP and from Python, whose
decoding options are the same.

  fronts_test.py DIETMT MODEL PYTHON    MODEL: packed weights; PYTHON: the folder of the built package

Prints the first differences. A front that is not built is left out, and the output says so.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import urllib.request

DIETMT, MODEL, PYTHON = sys.argv[1:4]
WORDS = "red blue green small big old new cat dog house tree bird sees likes finds".split()
SPACES = "\t\v\f \u0085\u00a0\u1680\u2002\u2009\u2028\u2029\u202f\u205f\u3000"  # and CR, LF
LIMITS = {"beam": 2, "max_length_factor": 0, "max_length_offset": 12}
GLOSSARY = {"red dog": "katze", "bird": "haus|hund", "tree": "blau"}
failures = []

PIECES = [
    # nothing, or nothing that has a width
    "", " ", "\u200b", "\ufeff", "\u200b \u200b", "\u2060", "\u00ad", "\u180e", "\u200e\u200f",
    "\u3000", "\u2028", "\x85",
    # control characters
    "\x00", "red\x00dog", "red\rdog", "\r", "red\r", "\x1b[31mred", "\x7f", "\x01\x02", "red\tdog",
    # scripts and characters that a small vocabulary lacks
    "\u05e9\u05dc\u05d5\u05dd red", "\u202ered dog\u202c", "\u0627\u0644\u0628\u064a\u062a",
    "e\u0301\u0323\u0301", "re\u0301d", "\u0301", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9\U0001f1ea red", "\u4f60\u597d", "\u65e5\u672c\u8a9e dog", "\ufffd", "\uffff",
    "\u2581red", "\u2581", "ＲＥＤ　ｄｏｇ", "ﬁnds", "RED DOG", "Red", "<unk>", "</s>", "<s>",
    # markup, placeholders, references
    "<b>red</b> dog", "<b></b>", "<b> </b>", "<b>\u200b</b>", "red <br/> dog", "<i>red <b>dog</b>",
    "</b>red", "<!-- red dog -->", "red <!-- blue --> dog", "<!--red", "a -- > b", "{0}", "{0} red",
    "red {0}!", "%s red", "100 % red", "%(name)s", "&amp; red", "red &lt;dog&gt;", "&nbsp;", "&#39;",
    "{{ red }}", "{% if red %}dog{% endif %}", "{n, plural, one {dog} other {tree}}", "$name$",
    "<", ">", "a < b", "<<<>>>", "<2de> red", ">>de<< red", "<a href='x'>red</a>", "{", "}", "{red",
    # what a translation keeps
    "https://x.org/red?dog", "see https://x.org/red. dog", "@red_dog", "red @dog_1 #cat_2",
    "`red` dog", "``", "**red** dog", "[red](dog.md) cat", "[b]red[/b] dog", ":dogs red", "$1 red",
    "/red/dog/cat", "README.md red", "__red__ [X0X]", "***red***", "[](", "a@b.org `",
    # terms, and what a check of copies looks for
    "the red dog", "red  dog", "bird bird bird", "Tree", "tree-bird", "17 red", "3.14 http://x.org/y",
    "a@b.org", "|||", "red ||| dog", "\\n", "\"red\"", "'", "\u201ered\u201c",
]


def odd_lines():
    draw = random.Random(7)
    lines = list(PIECES)
    lines += [" " * 3 + one + " \t" for one in PIECES]
    lines += ["red " * 2000, "x" * 30000, "\u4f60" * 30000, "\u0301" * 20000, "<b>" * 2000,
              "{0}" * 2000 + "red", " " * 20000 + "red", "red" + "\u200b" * 20000, "&amp;" * 3000,
              "\u4f60\u597d\u3002" * 5000 + "red", "red\U0001f600" * 4000]
    while len(lines) < 1000:
        parts = draw.choices(PIECES + WORDS * 4, k=draw.randint(1, 8))
        lines.append(draw.choice(["", " ", " "]).join(parts))
    return [one.replace("\n", " ") for one in lines[:1000]]


def run(*arguments, **more):
    return subprocess.run([DIETMT, *arguments], check=True, capture_output=True, **more).stdout


def command(lines, options, folder):
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in LIMITS.items()]
    flags += ["--markup"] if options.get("markup") else []
    flags += ["--source-tag", options["source_tag"]] if "source_tag" in options else []
    if "glossary" in options:
        terms = folder / "terms.tsv"
        terms.write_text("".join(f"{a}\t{b}\n" for a, b in options["glossary"].items()))
        flags += ["--glossary", str(terms)]
    flags += ["--check", options["check"]] if "check" in options else []
    text = "".join(one + "\n" for one in lines).encode()
    found = run("translate", "--model", MODEL, "--json", *flags, input=text).decode()
    found = [json.loads(one)["translations"][0] for one in found.split("\n")[:-1]]
    return [(one["text"], one["score"], one.get("missing_terms", []), one.get("missing_copies", []))
            for one in found]


def python_module():
    try:
        sys.path.insert(0, PYTHON)
        import dietmt
        return dietmt
    except ImportError as error:
        print(f"skipped: the Python module ({error})")
        return None


def python(lines, options):
    dietmt = python_module()
    if dietmt is None:
        return None
    found = dietmt.Translator(MODEL).translate(lines, **LIMITS, **options)
    return [(one.text, one.score, one.missing_terms, one.missing_copies) for one in found]


class Server:
    def __init__(self, folder):
        self.log = folder / "log"
        self.process = subprocess.Popen(
            [DIETMT, "serve", "--model", f"en-de={MODEL}", "--port", "0", "--guard", "off"],
            stderr=open(self.log, "w"))
        self.url = ""
        while not self.url:
            assert self.process.poll() is None, self.log.read_text()
            address = re.search(r"listening at (\S+?:\d+)", self.log.read_text())
            self.url = "http://" + address[1] if address else ""

    def translate(self, lines, options):
        found = []
        batch, characters = [], 0
        for i, line in enumerate(lines):
            batch.append(line)
            characters += len(line)
            if i + 1 < len(lines) and len(batch) < 200 and characters + len(lines[i + 1]) < 150_000:
                continue
            body = {"text": batch, "model": "en-de", "split_sentences": False,
                    "case": "keep",  # the default of the other fronts
                    **LIMITS, **options}
            request = urllib.request.Request(self.url + "/v1/translate", json.dumps(body).encode(),
                                             {"Content-Type": "application/json"})
            with urllib.request.urlopen(request) as answer:
                found += json.load(answer)["results"]
            batch, characters = [], 0
        return [self.result(one) for one in found]

    @staticmethod
    def result(one):
        best = one["sentences"][0]["translations"][0] if one["sentences"] else {}
        return (one["text"], best.get("score", 0.0), best.get("missing_terms", []),
                best.get("missing_copies", []))


def stripped(text):
    return text.strip(SPACES + "\r\n")


def compare(front, lines, expected, found):
    assert len(found) == len(lines), f"{front}: {len(found)} translations of {len(lines)} lines"
    for line, want, got in zip(lines, expected, found):
        if want != got and len(failures) < 20:
            failures.append(f"{front}: {line[:80]!r}: {str(got)[:200]} instead of {str(want)[:200]}")


def spacing_of(line):
    """White space before and after the text."""
    begin = len(line) - len(line.lstrip(SPACES + "\r\n"))
    return line[:begin], line[len(line.rstrip(SPACES + "\r\n")):]


def with_spacing(line, want, found):
    """The expected HTTP answer: the spacing around a text stays, and the translation may begin
    or end with more, if the command's does."""
    text, *more = want
    if not stripped(line):
        return (line, *more)
    before, after = spacing_of(line)
    usual, own = (before + one + after for one in (stripped(text), text))
    return (own if found[0] == own else usual, *more)


def word_of(value):
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, (str, type(None))) else f"{value:g}"


def compare_options(has_server):
    """Names, defaults, ranges and help of the command's options in the other fronts."""
    told = json.loads(run("translate", "--help-json"))["options"]
    names = {"nbest", "max-source-length", "workers", "threads", "batch-tokens"}
    command = {one["name"].replace("-", "_"): one for one in told
               if one["group"] in ("Search", "Sampling") or one["name"] in names}
    if len(command) != 23:
        failures.append(f"command: {len(command)} options: {sorted(command)}")

    def expect(front, name, **values):
        for what, (got, want) in values.items():
            if got != want:
                failures.append(f"{front}: {what} of {name} is {got!r} instead of {want!r}")

    dietmt = python_module()
    if dietmt is not None:
        kinds = (dietmt._dietmt.TranslatorOptions, dietmt._dietmt.TranslateOptions)
        found = {name: more for kind in kinds for name, *more in dietmt._documented(kind)}
        expect("Python", "all", names=(sorted(found), sorted(command)))
        for name, (usual, text) in found.items():
            if name in command:
                expect("Python", name, help=(text, command[name]["help"]),
                       default=([word_of(usual)], command[name]["default"]))
    if has_server:
        schemas = json.loads(run("serve", "--openapi"))["components"]["schemas"]
        fields = schemas["V1TranslateRequest"]["properties"]
        for name, option in command.items():
            if option["group"] == "Machine":
                continue
            field = fields.get(name, {})
            expect("HTTP", name, help=(field.get("description"), option["help"]),
                   default=([word_of(field.get("default"))], option["default"]),
                   least=(field.get("minimum"), option.get("least")),
                   above=(field.get("exclusiveMinimum"), option.get("above")))
            if "most" in option and field.get("maximum", 2 ** 64) > option["most"]:
                failures.append(f"HTTP: {name} is at most {field.get('maximum')}")


def tag_of_vocabulary():
    for word in WORDS:
        tried = subprocess.run([DIETMT, "translate", "--model", MODEL, "--source-tag", word],
                               input=b"", capture_output=True)
        if tried.returncode == 0:
            return {"source_tag": word}
    return {}


def main():
    lines = odd_lines()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        has_server = pathlib.Path(DIETMT).with_name("dietmt-serve").exists()
        server = Server(folder) if has_server else None
        if server is None:
            print("skipped: HTTP (dietmt-serve is not built)")
        compare_options(has_server)
        try:
            for options in ({}, {"markup": True}, {"glossary": GLOSSARY, "check": "copies"},
                            tag_of_vocabulary()):
                expected = command(lines, options, folder)
                assert len(expected) == len(lines)
                for line, (text, *_) in zip(lines, expected):
                    if not stripped(line).strip("\u200b\ufeff") and text:
                        failures.append(f"command: {line!r}: invents {text!r}")
                found = python(lines, options)
                if found is not None:
                    compare(f"Python {options}", lines, expected, found)
                if server is not None:
                    answers = server.translate(lines, options)
                    compare(f"HTTP {options}", lines,
                            [with_spacing(*one) for one in zip(lines, expected, answers)], answers)
        finally:
            if server is not None:
                server.process.terminate()
                server.process.wait()
    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


main()
