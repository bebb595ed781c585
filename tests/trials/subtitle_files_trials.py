#!/usr/bin/env python3
"""Subtitle files of each kind of fault that players accept: translated, with the same cues and times.
DIETMT_TRIAL_MODEL: SRC-TGT=DIR instead of a toy model; DIETMT_TRIAL_SUBTITLES: a folder of further
files; only their structure is compared."""
import os
import pathlib
import re
import urllib.parse

from server import Server
from trials import build_and_work, report, toy_model

POINT = "subtitles"
TIMES = re.compile(r"^.*?-->.*$|^Dialogue:(?:[^,]*,){3}", re.MULTILINE)
FIRST, SECOND = "00:00:01,000 --> 00:00:02,000\n", "00:00:03,000 --> 00:00:04,000\n"
OWN = {
    "blank_line.srt": f"1\n{FIRST}The red\n\ndog.\n\n2\n{SECOND}The cat.\n",
    "no_blank_line.srt": f"1\n{FIRST}The red dog.\n2\n{SECOND}The cat.\n",
    "no_numbers.srt": f"{FIRST}The red dog.\n\n{SECOND}The cat.\n",
    "crlf_mark.srt": f"\ufeff1\n{FIRST}The red dog.\n\n2\n{SECOND}The cat.\n".replace("\n", "\r\n"),
    "windows_1252.srt": f"1\n{FIRST}The café is red.\n".encode("cp1252"),
    "speakers.srt": f"1\n{FIRST}- JOHN: The dog.\n- The cat.\n\n2\n{SECOND}[A DOOR]\n♪ The house ♪\n",
    "two_cues.srt": f"1\n{FIRST}The red\n\n2\n00:00:02,100 --> 00:00:03,000\ndog sees the cat.\n",
    "codes.srt": f"1\n{FIRST}{{\\an8}}<i>The red</i> dog.\n",
    "notes.vtt": "WEBVTT\n\nNOTE The dog\n\nSTYLE\n::cue { color: red }\n\nid\n00:01.000 --> 00:02.000 "
                 "line:0\n<v Bob>The <c.a>red</c> dog &amp; cat.\n",
    "drawing.ass": "[Events]\nFormat: Layer, Start, End, Style, Text\n"
                   "Dialogue: 0,0:00:01.00,0:00:02.00,A,{\\an8}The dog\\Nsees {\\i1}it{\\i0}.\n"
                   "Dialogue: 0,0:00:01.00,0:00:02.00,A,{\\p1}m 0 0 l 1 1\n"
                   "Comment: 0,0:00:01.00,0:00:02.00,A,The cat\n",
}


def text_of(data):
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def times_of(data):
    return TIMES.findall(text_of(data).replace("\r", ""))


def translated(server, name, data, source, target):
    status, answer = server.form("/translate_file", {"file": (name, data), "source": source,
                                                     "target": target})
    if status != 200:
        return None, str(answer)
    return server.ask("GET", urllib.parse.urlparse(answer["translatedFileUrl"]).path)[2], ""


def main():
    build, work = build_and_work()
    dietmt = build / "bin" / "dietmt"
    model = os.environ.get("DIETMT_TRIAL_MODEL") or f"en-de={toy_model(dietmt, work)}"
    source, target = model.split("=")[0].split("-")
    files = {name: text if isinstance(text, bytes) else text.encode() for name, text in OWN.items()}
    if folder := os.environ.get("DIETMT_TRIAL_SUBTITLES"):
        files.update({path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*"))
                      if path.suffix in (".srt", ".vtt", ".ass", ".ssa")})
    with Server(dietmt, model, work) as server:
        for name, data in files.items():
            result, problem = translated(server, name, data, source, target)
            same = result is not None and times_of(result) == times_of(data)
            report(POINT, name, same, problem or f"{len(times_of(data))} times, {len(result)} bytes")


main()
