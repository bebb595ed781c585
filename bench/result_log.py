"""Logs of results, an object of JSON on each line, and their tables in documents."""
import argparse
import json
import pathlib
import re
import sys


def read(log):
    return list(map(json.loads, log.open())) if log.exists() else []


def append(log, line):
    with log.open("a") as file:
        file.write(json.dumps(line) + "\n")


def require_settings(log, line, run, settings):
    """Ends the program if lines of the log have other values of `settings`."""
    for setting in settings:
        others = {other[setting] for other in read(log)}
        if others and others != {line[setting]}:
            sys.exit(f"{run}: {setting} is {line[setting]}, and in {log.name} "
                     f"{', '.join(map(str, others))}")


def is_new(log, line, run, identity):
    """Ends the program if the log has another line with the same values of the keys `identity`."""
    known = [other for other in read(log) if all(other[key] == line[key] for key in identity)]
    if known and known != [line]:
        sys.exit(f"{run}: {log.name} has another run of {', '.join(str(line[key]) for key in identity)}")
    return not known


def write_tables(page, head, made, command, check):
    """Puts made(match) between each line that matches `head`, one at least, and the next
    <!-- end -->. With `check`, changes nothing and ends the program if a table is another one."""
    before = page.read_text()
    after, count = re.subn(rf"({head}\n).*?(<!-- end -->)",
                           lambda match: f"{match[1]}{made(match)}\n{match[match.re.groups]}",
                           before, flags=re.S)
    if count == 0:
        sys.exit(f"{page}: no line is the head of a table: {head}")
    if check and after != before:
        sys.exit(f"{page}: a table is stale; {command} writes it")
    if not check:
        page.write_text(after)


def table_program(description, root, log_name, results_of, table, head, settings, identity):
    """`add RUN...` and `table [--check]` of one log. results_of(run): its lines. table(lines, match):
    that of bench/RESULTS.md below a line that matches `head`."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=root)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("add").add_argument("runs", nargs="+", type=pathlib.Path)
    commands.add_parser("table").add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    log = arguments.root / "bench/log" / log_name
    if arguments.command == "add":
        for run in arguments.runs:
            for line in results_of(run):
                require_settings(log, line, run, settings)
                if is_new(log, line, run, identity):
                    append(log, line)
    elif not read(log):
        print(f"{log} has no runs")
    else:
        write_tables(arguments.root / "bench/RESULTS.md", head, lambda match: table(read(log), match),
                     f"{parser.prog} table", arguments.check)
