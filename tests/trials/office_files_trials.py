#!/usr/bin/env python3
"""Office files of other programs: each is translated, compared part by part with its source, and
opened by LibreOffice and by Python's libraries, if they are installed."""
import collections
import importlib
import io
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile

from files import chosen_model, files_of, languages, server_for_files, translated
from trials import build_and_work, report

POINT = "office"
KINDS = ("docx", "odt", "pptx", "odp", "xlsx", "ods")
READERS = {"docx": ("docx", "Document"), "pptx": ("pptx", "Presentation"),
           "xlsx": ("openpyxl", "load_workbook"), "odt": ("odf.opendocument", "load"),
           "odp": ("odf.opendocument", "load"), "ods": ("odf.opendocument", "load")}
# Formatting is repeated, and marks of direction and language come and go.
FREE = {"r", "t", "span", "s", "lang", "bidi", "rtl", "bidiVisual", "softHyphen", "noBreakHyphen",
        "smartTag", "smartTagPr", "customXml", "proofErr", "lastRenderedPageBreak", "rPh"}
PARAGRAPHS = {"p", "h", "si"}


def local(element):
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def counted(root):
    """How often each element occurs, except for those inside a run's formatting."""
    counts = collections.Counter()

    def add(element):
        if local(element) == "rPr":
            return
        counts[local(element)] += 1
        for child in element:
            add(child)

    add(root)
    return {name: count for name, count in counts.items() if name not in FREE}


def texts(root):
    return ["".join(element.itertext()) for element in root.iter() if local(element) in PARAGRAPHS]


def empty_runs(root):
    """Runs and spans without any content."""
    empty = 0
    for element in root.iter():
        if local(element) in ("r", "span"):
            content = [child for child in element if local(child) != "rPr"]
            empty += not (local(element) == "span" and element.text) and all(
                local(child) == "t" and not child.text for child in content)
    return empty


def difference(source, result):
    """What a translation has lost or added, or "" and the number of empty runs more than before."""
    before, after = (zipfile.ZipFile(io.BytesIO(packed)) for packed in (source, result))
    if before.namelist() != after.namelist():
        return "other parts", 0
    more = 0
    for name in before.namelist():
        if before.read(name) == after.read(name):
            continue
        if not name.endswith(".xml"):
            return f"{name} changed", 0
        old, new = (xml.fromstring(package.read(name)) for package in (before, after))
        if counted(old) != counted(new):
            return f"{name}: other elements", 0
        for one, other in zip(texts(old), texts(new)):
            if re.search(r"[^\W\d_]", one) and not other.strip():
                return f"{name}: no text for {one[:40]!r}", 0
        more += empty_runs(new) - empty_runs(old)
    return "", more


def opens(kind, path):
    """Whether Python's library reads a file; None without the library."""
    module, function = READERS[kind]
    try:
        library = importlib.import_module(module)
    except ImportError:
        return None
    try:
        getattr(library, function)(str(path))
        return True
    except Exception:  # of any library
        return False


def converted(paths, work):
    """The names of the files that LibreOffice turns into a PDF; None without it."""
    if shutil.which("soffice") is None:
        return None
    folder = work / "pdf"
    for begin in range(0, len(paths), 20):
        subprocess.run(["soffice", "--headless", "--convert-to", "pdf", "--outdir", folder,
                        *paths[begin:begin + 20]], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=900, check=False)
    return {path.stem for path in folder.glob("*.pdf")}


def main():
    build, work = build_and_work()
    model = chosen_model(build / "bin/dietmt", work)
    source, target = languages(model)
    seen = collections.defaultdict(collections.Counter)
    done = {}
    with server_for_files(build / "bin/dietmt", model, work) as server:
        for kind, paths in files_of("DIETMT_TRIAL_FILES", KINDS).items():
            for path in paths:
                seen[kind]["files"] += 1
                result, problem = translated(server, path.name, path.read_bytes(), source, target)
                if result is None:
                    seen[kind][problem[:3]] += 1
                    print(path, problem, file=sys.stderr)
                    continue
                problem, more = difference(path.read_bytes(), result)
                seen[kind]["empty runs more"] += more
                copy = work / f"{kind}{len(done)}.{kind}"
                copy.write_bytes(result)
                done[copy] = path
                if not problem and opens(kind, path) and not opens(kind, copy):
                    problem = "the library does not read it"
                if problem:
                    seen[kind]["wrong"] += 1
                    print(path, problem, file=sys.stderr)
    for kind, counts in seen.items():
        report(POINT, f"{kind}: the structure stays, and the library reads it",
               counts["wrong"] == 0, dict(counts))
    shown = converted(list(done), work)
    if shown is not None:
        missing = [path for path in done if path.stem not in shown]
        sources = converted([done[path] for path in missing], work) if missing else set()
        lost = [str(done[path]) for path in missing if done[path].stem in sources]
        report(POINT, "LibreOffice makes a PDF of each result", not lost,
               f"{len(done) - len(missing)} of {len(done)}; only of the source: {lost}")


main()
