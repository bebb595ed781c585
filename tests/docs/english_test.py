#!/usr/bin/env python3
"""Finds words that make a sentence sound translated, in documents, comments, messages and help.

    english_test.py ROOT [PROGRAM]

Each finding names file, line, words and what to write instead. With PROGRAM (dietmt) it also reads
the help of every command.
"""
import io
import os
import pathlib
import re
import sys
import tokenize

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/help_pages"))
from command_tables import all_commands, command_tree  # noqa: E402
from documents_test import SKIPPED as SKIPPED_FOLDERS  # noqa: E402

START = "\x01"  # stands before each comment and docstring
WORDS = {  # what to look for, with _ for white space: what to write instead
    r"\bbeside\b": "compared with, next to, or an otherwise idle machine",
    r"\balone\b": "only, by itself",
    r"\bbut_(for|with|of)\b(?!_\w+ing\b)": "except",
    r"\btrainings\b": "training runs",
    r"\ba_training\b(?!_(run|text|set|pair|step|loop|batch|data|director|session|process|corpus|"
    r"example|sentence|token|pass|task|command|program|state|curve|file|output|progress|and))": "a training run",
    r"\bthe_most_of\b": "the limit",
    r"\bof_which\b": "that, whose, or two sentences",
    r"\bby_way_of\b": "via, through",
    r"\bsuch_that\b": "so that",
    r"(?<!far\s)(?<!step\s)(?<!steps\s)\bbehind\b(?!_(a|the|its|your)_(\w+_)?(proxy|nginx))": "after, for",
    r"\ban_own\b": "its own",
    r"\bof_(its|their)_own\b(?=[^\w\s]|_(on|in|for|of|with|and|that|to|is|are|by|at|from|which|so|as|needs)\b)":
        "its own X, a separate X",
    r"\bwhoever\b": "say who",
    r"\bhas_to\b": "must, needs to",
    r"\brehears": "dry run",
    r"\bstands?_there\b": "is there",
    r"\bthe_same_of\b": "name the thing",
    rf"{START}\s*(?-i:Of)_": "name the thing: 'Tokens of the best hypothesis'",
    rf"{START}\s*The_same([.,]|_(for|with|without|in|as|from)_)": "name the thing",
}
PATTERNS = [(re.compile(words.replace("_", r"\s+"), re.I), instead) for words, instead in WORDS.items()]

SKIPPED = ("bench/log", "bench/alignment", "THIRD_PARTY_NOTICES.md",
           "tests/docs/english_test.py", "tests/docs/english_selftest.py")

C_LIKE = re.compile(r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>R"\(.*?\)"|"(?:\\.|[^"\\\n])*")|'(?:\\.|[^'\\\n])'""", re.S)
SHELL_LIKE = re.compile(r"""(?P<comment>(?:(?<=\s)|^)\#[^\n]*)|(?P<string>"(?:\\.|[^"\\])*"|'[^']*')""", re.M)
NO_PROSE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)|^    [^\n]*|`[^`\n]*`|\]\([^)\s]*\)|<[^>\n]*>", re.M | re.S)


def blank(text):
    """As many characters that match no word, with the same line breaks."""
    return re.sub(r"[^\n]", "\x00", text)


def masked(text, pattern):
    """`text` with blanks for everything except what the groups of `pattern` match."""
    result, end, last_comment = [], 0, None
    for match in pattern.finditer(text):
        between = text[end:match.start()]
        result.append(blank(between) if between.strip() else between)
        found = match[0]
        if match.lastgroup == "comment":
            content = re.sub(r"^(?://[/<!]*|/\*+|#+!?)", lambda marker: " " * len(marker[0]), found)
            joined = last_comment is not None and not between.strip() and between.count("\n") == 1
            result.append(content if joined else START + content[1:])
            last_comment = match
        else:
            is_text = match.lastgroup and re.search(r"\s", found)
            result.append(f" {found[1:-1]} " if is_text else blank(found))
            last_comment = None
        end = match.end()
    result.append(blank(text[end:]))
    return "".join(result)


def masked_python(text):
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    result, end, first = [], 0, True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            begin = starts[token.start[0] - 1] + token.start[1]
            between = text[end:begin]
            joined = not between.strip() and token.type == tokenize.COMMENT and not first
            result.append(between if not between.strip() else blank(between))
            content = re.sub(r"""^(?:\#!?|[rbfu]*(?:\"""|'''|["']))""", lambda m: " " * len(m[0]), token.string, flags=re.I)
            opens = token.type == tokenize.COMMENT or token.string.startswith('\"""')
            if token.type == tokenize.STRING and not re.search(r"\s", content.strip()):
                content = blank(content)  # a name, no text
            result.append(content if joined or not opens else START + content[1:])
            end, first = begin + len(token.string), False
    result.append(blank(text[end:]))
    return "".join(result)


def prose_of(path, text):
    """What a person reads in a file, everything else blanked out; None: nothing."""
    if path.suffix == ".md":
        return NO_PROSE.sub(lambda match: blank(match[0]), text)
    if path.suffix in {".cpp", ".h", ".cuh", ".cu", ".js"}:
        return masked(text, C_LIKE)
    if path.suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
        return masked_python(text)
    if path.suffix in {".sh", ".cmake", ".cfg", ".yaml", ".conf"} or path.name == "CMakeLists.txt" or text.startswith("#!"):
        return masked(text, SHELL_LIKE)
    return None


def findings(name, prose):
    for pattern, instead in PATTERNS:
        for match in pattern.finditer(prose):
            line = prose.count("\n", 0, match.start()) + 1
            words = " ".join(match[0].replace(START, "").split())
            yield f"{name}:{line}: '{words}'; write: {instead}"


def is_below(name, folders):
    return any(name == folder or name.startswith(f"{folder}/") for folder in folders)


def files_below(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not SKIPPED_FOLDERS.match(name))
        for name in sorted(names):
            yield pathlib.Path(folder) / name


def source_findings(root):
    for path in files_below(root):
        name = str(path.relative_to(root))
        if is_below(name, SKIPPED):
            continue
        try:
            prose = prose_of(path, path.read_text())
        except UnicodeDecodeError:
            continue
        if prose is not None:
            yield from findings(name, prose)


def help_findings(program):
    for command in all_commands(command_tree(program)):
        yield from findings(f"{command.words} --help", command.description)
        for option in command.options:
            yield from findings(f"{command.words} --{option['name']}", str(option.get("help", "")))


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    found = list(source_findings(root))
    if len(arguments) > 1:
        found += help_findings(arguments[1])
    print("\n".join(found))
    print(f"english: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
