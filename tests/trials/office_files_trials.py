#!/usr/bin/env python3
"""Office files of other programs: each is translated, compared part by part with its source, and
opened by LibreOffice and by Python's libraries, if they are installed."""
import collections
import importlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile

from server import Server
from trials import build_and_work, report, toy_model

POINT = "office"
FILES = os.environ.get("DIETMT_TRIAL_FILES")
MODEL = os.environ.get("DIETMT_TRIAL_MODEL")
MOST = int(os.environ.get("DIETMT_TRIAL_MOST", 1000))
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


def translate(server, path, target):
    status, answer = server.form("/translate_file", {"source": "en", "target": target,
                                                     "file": (path.name, path.read_bytes())})
    if status != 200:
        return status, answer["error"]
    url = answer["translatedFileUrl"]
    return status, server.ask("GET", url[url.index("/download_file/"):])[2]


def main():
    build, work = build_and_work()
    if FILES is None:
        sys.exit("DIETMT_TRIAL_FILES names no folder with office files")
    model = MODEL or toy_model(build / "bin/dietmt", work)
    target = model.partition("=")[0].partition("-")[2] if "=" in str(model) else "de"
    seen = collections.defaultdict(collections.Counter)
    done = {}
    with Server(build / "bin/dietmt", model, work, "--max-characters", 2000000,
                "--deadline", 600) as server:
        for kind in KINDS:
            for path in sorted(pathlib.Path(FILES).rglob(f"*.{kind}"))[:MOST]:
                status, result = translate(server, path, target)
                seen[kind]["files"] += 1
                if status != 200:
                    seen[kind][f"{status}"] += 1
                    print(path, result, file=sys.stderr)
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
