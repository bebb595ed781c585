#!/usr/bin/env python3
"""Pages, books, Markdown and files of strings of other programs: each is translated, compared with
its source, and read by the tools of its format, if they are installed."""
import collections
import functools
import re
import shutil
import subprocess
import sys

import structures
from files import (accepts, chosen_model, decoded, files_of, first_difference, fixed_texts,
                   languages, server_for_files, translated)
from trials import build_and_work, report

POINT = "text files"


def errors_of_book(path):
    """How many errors epubcheck, a program of Java, finds; None without it."""
    program = shutil.which("epubcheck")
    if program is None:
        return None
    done = subprocess.run(["java", "-jar", program, path], capture_output=True, text=True,
                          check=False)
    return len(re.findall(r"^(?:ERROR|FATAL)", done.stdout + done.stderr, re.M))


def is_worse_book(source, result):
    before, after = errors_of_book(source), errors_of_book(result)
    if before is None or after <= before:
        return ""
    return f"epubcheck: {before} errors became {after}"


def is_worse_xml(source, result):
    if accepts("xmllint", "--noout", source) and not accepts("xmllint", "--noout", result):
        return "xmllint refuses it"
    return ""


def is_worse_page(source, result):
    if problem := is_worse_xml(source, result):
        return problem
    return compared(structures.of_dom, source.read_bytes(), result.read_bytes())


def is_worse_translation(source, result):
    before = set(structures.code_faults(source.read_bytes()))
    wrong = [unit for unit in structures.code_faults(result.read_bytes()) if unit not in before]
    return f"other codes in the target of {wrong[:3]}" if wrong else is_worse_xml(source, result)


def compared(structure, before, after):
    """The first difference of two files; "" if there is none or a library is missing."""
    kept = structure(before)
    if kept is None:
        return ""
    found = structure(after)
    for one, other in zip(kept, found):
        if problem := first_difference(one, other):
            return problem
    return "" if len(kept) == len(found) else "other parts"


def kinds(target):
    """Suffixes with the structure of such a file and what its own tools say."""
    units = functools.partial(structures.of_units, language=target)
    strings = functools.partial(structures.of_xml, free={"space"})
    qt = functools.partial(structures.of_xml, free={"language", "type"}, drop={"translation"})
    own = (units, is_worse_translation)
    return {"html": (structures.of_html, is_worse_page), "htm": (structures.of_html, is_worse_page),
            "xhtml": (structures.of_xhtml, is_worse_xml), "md": (structures.of_markdown, None),
            "json": (structures.of_json, None), "arb": (structures.of_json, None),
            "yml": (structures.of_yaml, None), "yaml": (structures.of_yaml, None),
            "properties": (structures.of_properties, None),
            "strings": (structures.of_strings, None), "resx": (strings, is_worse_xml),
            "xml": (strings, is_worse_xml), "ts": (qt, is_worse_xml), "xlf": own, "xliff": own,
            "tmx": (units, is_worse_xml), "epub": (structures.of_book, is_worse_book)}


def fault(structure, tool, source, result):
    """What is wrong with a translation; None if the source cannot be read by the trial itself."""
    before, after = source.read_bytes(), result.read_bytes()
    try:
        structure(before)
    except Exception as error:  # of any library, about the source
        print(source, f"not compared: {error}", file=sys.stderr)
        return None
    try:
        problem = compared(structure, before, after)
    except Exception as error:  # of any library, about the result
        return f"not readable: {error}"
    if not problem and source.suffix not in (".tmx", ".xlf", ".xliff", ".ts", ".epub"):
        problem = first_difference(*(fixed_texts(decoded(data))
                                     for data in (before, after)))
    return problem or (tool(source, result) if tool else "")


def main():
    build, work = build_and_work()
    model = chosen_model(build / "bin/dietmt", work)
    source, target = languages(model)
    known = kinds(target)
    seen = collections.defaultdict(collections.Counter)
    with server_for_files(build / "bin/dietmt", model, work) as server:
        for suffix, paths in files_of("DIETMT_TRIAL_FILES", known).items():
            for path in paths:
                seen[suffix]["files"] += 1
                result, problem = translated(server, path.name, path.read_bytes(), source, target)
                if result is None:
                    seen[suffix]["refused"] += 1
                    print(path, problem, file=sys.stderr)
                    continue
                copy = work / f"{path.stem}.{suffix}"
                copy.write_bytes(result)
                problem = fault(*known[suffix], path, copy)
                result = "not compared" if problem is None else "wrong" if problem else "right"
                seen[suffix][result] += 1
                if problem:
                    print(path, problem[:600], file=sys.stderr)
    for suffix, counts in seen.items():
        report(POINT, f"{suffix}: nothing but the text changes, and its own tools read it",
               counts["wrong"] == 0, dict(counts))


main()
