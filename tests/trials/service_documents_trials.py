#!/usr/bin/env python3
"""Documents of one client that are built to take long, 100 at a time. Meanwhile another client sends
one line: as a document, as text and as a job. Each must be answered within a second. The times of an
idle server are printed for comparison. DIETMT_TRIAL_MODEL=SRC-TGT=DIR takes another model than a
toy."""
import collections
import http.client
import io
import json
import os
import random
import re
import threading
import time
import zipfile

from server import Server
from trials import build_and_work, report, toy_model

POINT = "documents"
MANY, FEW = "a" * 16, "b" * 16
DOCUMENTS = 100
SECONDS = 1
MODEL = os.environ.get("DIETMT_TRIAL_MODEL", "")
PAIR = dict(zip(("source", "target"), re.match(r"(\w+)-(\w+)=", MODEL or "en-de=").groups()))


def docx(paragraphs):
    """A .docx with this XML in its body."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml",
                         '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/'
                         f'2006/main"><w:body>{paragraphs}</w:body></w:document>')
    return packed.getvalue()


def paragraph(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def adversarial():
    """Names and bytes of documents, each of a kind that took long before or is large."""
    draw = random.Random(1)
    words = ["red", "blue", "green", "dog", "cat", "house", "sees", "likes"]
    prose = " ".join(draw.choice(words).title() + draw.choice(["", "", ".", ","])
                     for _ in range(30000))
    many = "".join(f' a{i}=""' for i in range(100000))
    return (("tag.docx", docx(paragraph("&lt;" + "g" * 1900000))),
            ("tag.html", b"<p>&lt;" + b"g" * 190000),
            ("attributes.docx", docx(f"<w:p{many}/>")),
            ("attributes.html", f"<p{many}>red".encode()),
            ("nested.docx", docx("<w:sdt>" * 100000)),
            ("nested.html", b"<i>red" * 60000),
            ("styles.docx", docx("<w:p>" + "<w:r><w:rPr><w:b/></w:rPr><w:t>a </w:t></w:r><w:r><w:t>b"
                                 " </w:t></w:r>" * 15000 + "</w:p>")),
            ("word.txt", "\u4e2d".encode() * 190000),
            ("placeholders.txt", b"{a} ${b} %s <c> " * 12000),
            ("paragraphs.docx", docx("".join(map(paragraph, prose.split("."))))),
            ("prose.txt", prose.encode()))


class Flood:
    """A client that sends documents or jobs until it has sent enough, each on its own connection."""

    def __init__(self, server, send, documents):
        self.seen = collections.Counter()
        self.longest = collections.Counter()  # by name
        self.threads = [threading.Thread(target=self.run, args=(server, send, one), daemon=True)
                        for one in documents]
        for thread in self.threads:
            thread.start()

    def run(self, server, send, document):
        begin = time.monotonic()
        try:
            status = send(server, document, MANY)[0]
        except (OSError, http.client.HTTPException) as error:
            status = repr(error)
        self.seen[status] += 1
        self.longest[document[0]] = max(self.longest[document[0]], time.monotonic() - begin)

    def running(self):
        return sum(thread.is_alive() for thread in self.threads)


def send_document(server, document, key):
    return server.form("/translate_file", {"file": document, **PAIR}, X_API_Key=key)


def send_job(server, document, key):
    return server.form("/v1/jobs", {**PAIR, "file": document}, X_API_Key=key)


def send_text(server, _, key):
    return server.json("/translate", {"q": "red dog", **PAIR}, X_API_Key=key)


def finished_job(server, document, key):
    """A job that is uploaded, translated and fetched."""
    status, job = send_job(server, document, key)
    while status == 201 and job["state"] in ("queued", "running"):
        time.sleep(0.01)
        job = json.loads(server.ask("GET", f"/v1/jobs/{job['id']}", X_API_Key=key)[2])
    if status != 201:
        return status, job
    return server.ask("GET", f"/v1/jobs/{job['id']}/result", X_API_Key=key)[0], job


# A document of more than a page waits for its turn at being parsed.
WAYS = {"a line of text": (send_text, None),
        "a document of one line": (send_document, ("line.txt", b"red dog\n")),
        "a page of .docx": (send_document, ("page.docx", docx(paragraph("red dog") * 20))),
        "a job of one line, fetched": (finished_job, ("line.html", b"<p>red dog\n"))}


def one_of_each(server, times, statuses):
    for way, (ask, document) in WAYS.items():
        start = time.monotonic()
        statuses[ask(server, document, FEW)[0]] += 1
        times[way].append(time.monotonic() - start)


def median(times):
    return sorted(times)[len(times) // 2]


def bystander_trials(server, what, send, documents):
    """One line as each kind of request, again and again during a flood."""
    idle, times = collections.defaultdict(list), collections.defaultdict(list)
    statuses = collections.Counter()
    for _ in range(20):
        one_of_each(server, idle, statuses)
    begin = time.monotonic()
    flood = Flood(server, send, documents)
    time.sleep(0.2)  # so that a request finds many before it
    while flood.running():
        one_of_each(server, times, statuses)
    total = time.monotonic() - begin
    for way, found in times.items():
        ratio = median(found) / median(idle[way])
        report(POINT, f"{way} during {len(documents)} {what}",
               max(found) <= SECONDS and set(statuses) <= {200},
               f"median {median(found):.3f} s, {ratio:.1f} times that of an idle server, at most "
               f"{max(found):.3f} s of {len(found)}, statuses {dict(statuses)}")
    report(POINT, f"{len(documents)} {what} are answered",
           set(flood.seen) <= {200, 201, 400, 413, 429} and bool(times),
           f"{total:.1f} s, {dict(flood.seen)}, longest {flood.longest.most_common(3)}, "
           f"{server.megabytes():.0f} MB, {server.megabytes('VmHWM'):.0f} MB at most")


def main():
    build, work = build_and_work()
    dietmt = build / "bin/dietmt"
    model = MODEL or toy_model(dietmt, work)
    (work / "keys").write_text(f"{MANY}, many, 0\n{FEW}, few, 0\n")
    kinds = adversarial()
    mixed = [kinds[i % len(kinds)] for i in range(DOCUMENTS)]
    for what, send in (("adversarial documents", send_document), ("adversarial jobs", send_job)):
        with Server(dietmt, model, work, "--preload", "--api-keys", work / "keys", "--data",
                    work / "jobs", "--deadline", 600) as server:
            bystander_trials(server, what, send, mixed)


if __name__ == "__main__":
    main()
