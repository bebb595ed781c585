#!/usr/bin/env python3
"""gettext catalogues and templates: each is translated as a job, compared message by message with
its source, and checked with msgfmt and, if it is installed, translate-toolkit's pofilter."""
import collections
import json
import re
import shutil
import subprocess
import sys
import time

from files import chosen_model, files_of, languages
from server import Server
from trials import build_and_work, report

POINT = "catalogues"
FILTERS = ["printf", "pythonbraceformat", "variables", "xmltags", "escapes", "newlines", "tabs",
           "accelerators", "emails", "urls", "startwhitespace", "endwhitespace", "blank"]
EXACT = {"printf", "variables", "tabs", "escapes", "urls", "blank"}
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def in_language(path, target, work):
    """The bytes of a file, or of the catalogue that msginit makes of a template."""
    if path.suffix == ".po":
        return path.read_bytes()
    made = work / "source.po"
    subprocess.run(["msginit", "--no-translator", "-l", target, "-i", path, "-o", made],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return made.read_bytes().replace(b"charset=ASCII", b"charset=UTF-8")


def job(server, name, data, target, **fields):
    """The result of a job, or None and its error."""
    status, answer = server.form("/v1/jobs", {"source": "en", "target": target, **fields,
                                              "file": (name, data)})
    if status != 201:
        return None, str(answer["error"])
    path = f"/v1/jobs/{answer['id']}"
    while (state := json.loads(server.ask("GET", path)[2]))["state"] not in ("done", "failed"):
        time.sleep(0.2)
    status, _, result = server.ask("GET", f"{path}/result")
    return (result, "") if status == 200 else (None, f"{state}, {status}: {result[:200]}")


def text_of(data):
    """In the charset that the header declares, unless it is valid UTF-8."""
    declared = re.search(rb"charset= *([\w-]+)", data)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return data.decode(declared[1].decode() if declared else "latin-1").replace("\r\n", "\n")


def messages(data):
    """Context, msgid, msgid_plural, flags, references and comments, and the translations."""
    found = []
    for block in re.split(r"\n[ \t]*\n", text_of(data)):
        if not re.search(r"^\s*msgid", block, re.M):
            continue
        keys = collections.defaultdict(str)
        comments, flags, key = [], [], ""
        for line in block.splitlines():
            if line.startswith("#,"):
                flags += [flag.strip() for flag in line[2:].split(",") if flag.strip() != "fuzzy"]
            elif line.startswith("#"):
                comments.append(line)
            else:
                begin = re.match(r"\s*(msg\w+(?:\[\d+\])?)", line)
                key = begin[1] if begin else key
                keys[key] += "".join(STRING.findall(line))
        texts = {key: text for key, text in keys.items() if key.startswith("msgstr")}
        kept = {key: text for key, text in keys.items() if not key.startswith("msgstr")}
        found.append((kept, flags, comments, texts))
    return found


def difference(before, after):
    """The first message that is not as it was, except for translations that were missing."""
    if len(before) != len(after):
        return f"{len(before)} messages became {len(after)}"
    for one, other in zip(before, after):
        if one[:3] != other[:3]:
            return f"{one[:3]} became {other[:3]}"
        if one[0]["msgid"] and any(map(str.strip, one[3].values())) and one[3] != other[3]:
            return f"the translation of {one[0]['msgid']!r} changed"
    return ""


def refusals_of_msgfmt(path):
    """Its messages if it refuses a catalogue. Fuzzy translations count."""
    done = subprocess.run(["msgfmt", "-c", "--use-fuzzy", "-o", "/dev/null", path],
                          capture_output=True, text=True, check=False)
    return [line for line in done.stderr.splitlines()
            if re.search(r"\.po:\d+", line) and "warning" not in line] if done.returncode else []


def filtered(path, work):
    """How often each filter of pofilter finds something, if it is installed."""
    if shutil.which("pofilter") is None:
        return collections.Counter()
    found = work / "filtered.po"
    found.unlink(missing_ok=True)
    tests = [f"--test={name}" for name in FILTERS]
    subprocess.run(["pofilter", "--progress=none", "--gnome", *tests, path, found],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    text = found.read_text() if found.exists() else ""
    return collections.Counter(re.findall(r"^# \(pofilter\) (\w+)", text, re.M))


def main():
    build, work = build_and_work()
    model = chosen_model(build / "bin/dietmt", work)
    target = languages(model)[1]
    seen, filters = collections.Counter(), collections.Counter()
    with Server(build / "bin/dietmt", model, work, "--data", work / "jobs") as server:
        for suffix, paths in files_of("DIETMT_TRIAL_FILES", ("po", "pot")).items():
            for path in paths:
                seen["files"] += 1
                data = in_language(path, target, work)
                result, problem = job(server, f"{path.stem}.po", data, target)
                if result is None:
                    seen["refused"] += 1
                    print(path, problem, file=sys.stderr)
                    continue
                before, after = messages(data), messages(result)
                seen["messages"] += len(after)
                seen["empty"] += sum(not any(message[3].values()) for message in after)
                source, copy = work / "before.po", work / f"{path.stem}.{suffix}.po"
                source.write_bytes(data)
                copy.write_bytes(result)
                problem = difference(before, after)
                errors = [] if refusals_of_msgfmt(source) else refusals_of_msgfmt(copy)
                seen["changed"] += bool(problem)
                seen["refused by msgfmt"] += bool(errors)
                for line in [problem, *errors]:
                    if line:
                        print(path, line[:500], file=sys.stderr)
                filters += filtered(copy, work) - filtered(source, work)
    report(POINT, "only missing translations change", seen["changed"] == 0, dict(seen))
    report(POINT, "msgfmt -c accepts each", seen["refused by msgfmt"] == 0,
           seen["refused by msgfmt"])
    report(POINT, "pofilter finds no lost placeholder, tab or escape",
           not filters.keys() & EXACT, dict(filters))


main()
