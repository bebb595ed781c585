#!/usr/bin/env python3
"""Subtitle files of each kind of fault that players accept: translated, with the same cues and times.
DIETMT_TRIAL_MODEL: SRC-TGT=DIR instead of a toy model; DIETMT_TRIAL_SUBTITLES: a folder of further
files; only their structure is compared."""
import os
import pathlib
import re
import shutil
import subprocess

from files import chosen_model, languages, server_for_files, translated
from trials import build_and_work, report

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


def cues_of(path):
    """How many subtitles FFmpeg reads; None without it or if it refuses the file."""
    if shutil.which("ffprobe") is None:
        return None
    done = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-show_entries",
                           "stream=nb_read_packets", "-of", "csv=p=0", path],
                          capture_output=True, text=True, check=False)
    count = done.stdout.strip()
    return int(count) if done.returncode == 0 and count.isdigit() else None


def main():
    build, work = build_and_work()
    dietmt = build / "bin" / "dietmt"
    model = chosen_model(dietmt, work)
    source, target = languages(model)
    files = {name: text if isinstance(text, bytes) else text.encode() for name, text in OWN.items()}
    if folder := os.environ.get("DIETMT_TRIAL_SUBTITLES"):
        files.update({path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*"))
                      if path.suffix in (".srt", ".vtt", ".ass", ".ssa")})
    with server_for_files(dietmt, model, work) as server:
        for name, data in files.items():
            result, problem = translated(server, name, data, source, target)
            same = result is not None and times_of(result) == times_of(data)
            cues = []
            for text in (data, result or b""):
                (work / name).write_bytes(text)
                cues.append(cues_of(work / name))
            report(POINT, name, same and cues[0] in (None, cues[1]),
                   problem or f"{len(times_of(data))} times, {len(result)} bytes, cues {cues}")


main()
