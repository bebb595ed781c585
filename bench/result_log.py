"""Logs of results, an object of JSON on each line, and their tables in documents."""
import json
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
        sys.exit(f"{run}: {log.name} has another run of this encoding and seed")
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
