#!/usr/bin/env python3
"""Checks the Markdown documents of the repository.

    documents_test.py ROOT [PROGRAM]

Every relative link or image leads to a file of the repository, and every anchor to a heading. Links
lead from README.md to every page in docs/. Prose has at most 100 columns. With PROGRAM (dietmt),
every command of dietmt in a document exists and has the options that are written there, and
docs/positions.md has all encodings in both of its lists. The scripts of written commands can be
executed.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/help_pages"))
from command_tables import all_commands, command_tree  # noqa: E402

SKIPPED = re.compile(r"^(build.*|\.deps|\.git|runs|quickstart|dist|node_modules)$")
FENCE = re.compile(r"^\s*(```|~~~)")
INLINE_CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?)\)")
IMAGE = re.compile(r'<img [^>]*src="([^"]+)"')
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$")
OPTION = re.compile(r"--[a-z][a-z0-9_-]*")
# Options of other programs that documents in docs/ name by themselves.
FOREIGN = {"--component", "--user_defined_symbols"}
# A script at the start of a command, after the variables that it gets.
SCRIPT = re.compile(r"\s*(?:[A-Z0-9_]+=(?:\"[^\"]*\"|\S*) +)*((?:bench|recipes|scripts)/[\w./-]+) ")
# What ends a command in a shell, or in prose after it.
COMMAND_END = re.compile(r"[|;&><)]|\s#|\\n")


def documents(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not SKIPPED.match(name))
        yield from (pathlib.Path(folder, name) for name in sorted(files) if name.endswith(".md"))


def lines_of(text):
    """(number, line, inside a fenced block)."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            fenced = not fenced
            continue
        yield number, line, fenced


def anchors(text):
    """The anchors that GitHub gives to the headings of a document."""
    found, counts = set(), {}
    for _, line, fenced in lines_of(text):
        heading = HEADING.match(line)
        if fenced or not heading:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        found.add(slug if count == 0 else f"{slug}-{count}")
    return found


def links_of(path):
    """(number, target, file or folder, anchor) of each link and image that is not an address."""
    for number, line, fenced in lines_of(path.read_text()):
        if fenced or line.startswith("    "):
            continue
        written = INLINE_CODE.sub("", line.replace("[`", "[").replace("`]", "]"))
        for target in LINK.findall(written) + IMAGE.findall(written):
            if not re.match(r"[a-z]+:", target):
                file, _, anchor = target.partition("#")
                yield number, target, (path.parent / file).resolve() if file else path, anchor


def link_problems(root, path):
    for number, target, goal, anchor in links_of(path):
        place = f"{path.relative_to(root)}:{number}"
        if not goal.exists() or root not in [goal, *goal.parents]:
            yield f"{place}: {target} leads nowhere"
        elif anchor and anchor not in anchors(goal.read_text()):
            yield f"{place}: {target}: no such heading"


def reach_problems(root):
    """Pages in docs/ that a reader cannot reach from README.md."""
    reached, waiting = set(), [root / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.exists():
            continue
        reached.add(page)
        goals = [goal / "README.md" if goal.is_dir() else goal for _, _, goal, _ in links_of(page)]
        waiting += [goal for goal in goals if goal.suffix == ".md"]
    for page in documents(root / "docs"):
        if page not in reached:
            yield f"{page.relative_to(root)}: no link leads here from README.md"


def width_problems(root, path):
    """Overlong lines of prose: not tables, headings, HTML, code or single long words."""
    for number, line, fenced in lines_of(path.read_text()):
        words = INLINE_CODE.sub(lambda code: code[0].replace(" ", "_"), line).split()
        if len(line) > 100 and len(words) > 1 and not fenced and not re.match(r"[|#<]|    ", line):
            yield f"{path.relative_to(root)}:{number}: {len(line)} columns"


def code_of(text):
    """(number, code): inline code, and lines of code blocks with the lines that continue them."""
    held, start = "", 0
    for number, line, fenced in lines_of(text):
        if fenced or line.startswith("    ") or held:
            start = start or number
            held += line.rstrip("\\") + " "
            if not line.endswith("\\"):
                yield start, held
                held, start = "", 0
        else:
            for code in INLINE_CODE.findall(line):
                yield number, code


def written_commands(code):
    """The words after each `dietmt`, up to the end of the command."""
    for written in re.split(r"(?:^|(?<=[\s/(]))dietmt(?= )", code)[1:]:
        end = COMMAND_END.search(written)
        yield written[:end.start() if end else None].split()


def command_problem(words, options):
    """The problem with a command and its options, or None."""
    groups = {name.split()[0] for name in options if " " in name}
    name = words[0] if words else ""
    if name in groups:
        name = " ".join(words[:2])
    if not re.fullmatch(r"[a-z]+( [a-z]+)?", name) or (name in groups):
        return None
    if name not in options:
        return f"dietmt has no command {name}"
    for word in words:
        option = OPTION.match(word)
        if option and option[0] not in options[name]:
            return f"dietmt {name} has no option {option[0]}"
    return None


def option_problems(root, path, options):
    everywhere = {"--version", "--help"}.union(*options.values())
    for number, code in code_of(path.read_text()):
        place = f"{path.relative_to(root)}:{number}"
        for words in written_commands(code):
            problem = command_problem(words, options)
            if problem:
                yield f"{place}: {problem}"
        option = OPTION.match(code)
        if option and path.parent.name == "docs" and option[0] not in everywhere | FOREIGN:
            yield f"{place}: no command has the option {option[0]}"


def script_problems(root, path):
    for number, code in code_of(path.read_text()):
        script = SCRIPT.match(code)
        if script and not ((root / script[1]).is_file() and os.access(root / script[1], os.X_OK)):
            yield f"{path.relative_to(root)}:{number}: {script[1]} cannot be executed"


def known_options(program):
    """The options of each command by its name."""
    return {command.name: {"--" + option["name"] for option in command.options} | {"--help-json"}
            for command in all_commands(command_tree(program)) if command.options}


def encoding_problems(page, encodings):
    """Names without a row in the tables of a part that should have all."""
    parts = {part.partition("\n")[0]: part for part in re.split(r"^## ", page, flags=re.M)}
    for heading in ("At a glance", "The encodings"):
        rows = re.findall(r"^\| `([a-z0-9-]+)", parts.get(heading, ""), flags=re.M)
        for name in sorted(encodings - set(rows)):
            yield f"docs/positions.md: '{heading}' lacks {name}"


def known_encodings(program):
    listed = subprocess.run([program, "inspect", "positions", "--list"], check=True,
                            capture_output=True, text=True).stdout
    return set(re.findall(r"^  (\S+)$", listed, flags=re.M))


def version_problems(root):
    """CITATION.cff has the version of CMakeLists.txt."""
    version = re.search(r"project\(dietmt VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
    if f"version: {version}\n" not in (root / "CITATION.cff").read_text():
        yield f"CITATION.cff: the version is not {version}, as CMakeLists.txt says"


def problems(root, options):
    yield from version_problems(root)
    yield from reach_problems(root)
    for path in documents(root):
        yield from link_problems(root, path)
        if path.parent.name != "log":  # history
            yield from script_problems(root, path)
        if path.parent.name != "reference":  # generated
            yield from width_problems(root, path)
        if options:
            yield from option_problems(root, path, options)


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    program = arguments[1] if len(arguments) > 1 else None
    found = list(problems(root, known_options(program) if program else {}))
    if program:
        found += encoding_problems((root / "docs/positions.md").read_text(),
                                   known_encodings(program))
    print("\n".join(found))
    print(f"documents: {len(found)} problems in {len(list(documents(root)))} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
