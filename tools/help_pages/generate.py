#!/usr/bin/env python3
"""Man pages, completion and reference pages from the tables that the program and the sources hold.

    generate.py pages PROGRAM VERSION OUTPUT   man pages and completion into a folder
    generate.py reference PROGRAM SOURCE       pages of docs/reference; with --check only compares
"""
import datetime
import os
import pathlib
import sys

from cli_reference import cli_reference
from command_tables import command_tree
from completion import bash_completion, zsh_completion
from http_reference import http_reference
from man_pages import man_pages


def write_pages(program, version, output):
    tree = command_tree(program)
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = (datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch
           else datetime.datetime.now(datetime.timezone.utc))
    files = {"dietmt.bash": bash_completion(tree), "_dietmt": zsh_completion(tree)}
    pages = man_pages(tree, version, now.strftime("%Y-%m-%d"))
    files.update({f"man1/{name}": page for name, page in pages.items()})
    output = pathlib.Path(output)
    (output / "man1").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (output / name).write_text(text)


def write_reference(program, source, check):
    folder = pathlib.Path(source) / "docs/reference"
    pages = {"cli.md": cli_reference(command_tree(program)), "http.md": http_reference(program)}
    stale = [name for name, text in pages.items()
             if not (folder / name).exists() or (folder / name).read_text() != text]
    if check:
        for name in stale:
            print(f"docs/reference/{name} is stale: run scripts/reference", file=sys.stderr)
        return 1 if stale else 0
    folder.mkdir(exist_ok=True)
    for name in stale:
        (folder / name).write_text(pages[name])
        print(f"docs/reference/{name}")
    return 0


def main(arguments):
    check = "--check" in arguments
    if check:
        arguments.remove("--check")
    if len(arguments) == 4 and arguments[0] == "pages":
        write_pages(*arguments[1:])
    elif len(arguments) == 3 and arguments[0] == "reference":
        return write_reference(*arguments[1:], check)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
