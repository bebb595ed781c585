"""Shared by trials with folders of files: a server that takes each, and what the files share."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

from server import Server
from trials import toy_model

# What nobody translates, in any text.
FIXED = re.compile(r"https?://[\w./?=&%#~+-]*[\w/]|[\w.+-]+@[\w-]+\.[\w.-]*\w")


def languages(model):
    """The languages of a model SRC-TGT=DIR."""
    return str(model).partition("=")[0].split("-", 1)


def chosen_model(dietmt, work):
    """DIETMT_TRIAL_MODEL, or a toy model."""
    return os.environ.get("DIETMT_TRIAL_MODEL") or f"en-de={toy_model(dietmt, work)}"


def server_for_files(dietmt, model, work):
    """Takes files of any size in one request."""
    return Server(dietmt, model, work, "--max-characters", 20000000, "--deadline", 3000)


def files_of(variable, suffixes):
    """The files with these endings in the folder that a variable of the environment names."""
    folder = os.environ.get(variable)
    most = int(os.environ.get("DIETMT_TRIAL_MOST", 1000))
    if folder is None:
        sys.exit(f"{variable} names no folder with files")
    return {suffix: sorted(pathlib.Path(folder).rglob(f"*.{suffix}"))[:most]
            for suffix in suffixes}


def translated(server, name, data, source, target, **fields):
    """The translated file and "", or None and the server's error."""
    status, answer = server.form("/translate_file", {"source": source, "target": target, **fields,
                                                     "file": (name, data)})
    if status != 200:
        return None, f"{status}: {answer['error']}"
    return server.ask("GET", urllib.parse.urlparse(answer["translatedFileUrl"]).path)[2], ""


def first_difference(before, after):
    """The first difference of two lists or two counters; "" if there is none."""
    if isinstance(before, collections.Counter):
        lost, more = before - after, after - before
        return f"lost {list(lost)[:3]}, invented {list(more)[:3]}" if lost or more else ""
    for one, other in zip(before, after):
        if one != other:
            return f"{one!r} became {other!r}"
    return "" if len(before) == len(after) else f"{len(before)} became {len(after)}"


def fixed_texts(text):
    return collections.Counter(FIXED.findall(text))


def accepts(*command):
    """Whether a program accepts a file; None if it is not installed."""
    if shutil.which(command[0]) is None:
        return None
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def decoded(data):
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("windows-1252", "replace")
