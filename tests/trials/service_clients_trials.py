#!/usr/bin/env python3
"""LibreTranslate's clients and users of batch jobs against the server."""
import contextlib
import gzip
import io
import json
import pathlib
import re
import sys
import time
import urllib.parse
import zipfile

from server import Server, everything
from trials import build_and_work, execute, report, toy_model

LIBRETRANSLATE, JOBS = 10, 11
KEYS = "secret-of-a-test,user,0\n"
LATEST = 60  # seconds for a job
GERMAN = "Das Wetter war schön und wir gingen am Fluss entlang."


def ended_job(server, query, body):
    """The ended job of a body, or the status and error that refused it."""
    status, _, answer = server.ask("POST", "/v1/jobs?" + query, body, X_API_Key="secret-of-a-test",
                                   Content_Type="application/octet-stream")
    if status != 201:
        return status, json.loads(answer).get("error")
    job = json.loads(answer)
    end = time.monotonic() + LATEST
    while job["state"] in ("queued", "running") and time.monotonic() < end:
        time.sleep(0.1)
        job = json.loads(server.ask("GET", f"/v1/jobs/{job['id']}", X_API_Key="secret-of-a-test")[2])
    return status, job


def is_done(status, job):
    return status == 201 and job["state"] == "done"


def docx(paragraph):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:d xmlns:w="urn:w"><w:p>{paragraph}</w:p></w:d>')
        archive.writestr("word/media/a.png", bytes(range(256)))
    return packed.getvalue()


def protocol(server):
    def trial(what, passed, seen):
        report(LIBRETRANSLATE, what, passed, seen)

    key = {"api_key": "secret-of-a-test"}
    text = {"q": "red dog", "source": "en", "target": "de", **key}
    query = urllib.parse.urlencode(text)
    status, _, body = server.ask("POST", "/translate?" + query)
    trial("fields in the query of a POST", status == 200, body.decode())
    status, body = server.json("/translate", {**text, "alternatives": "2"})
    trial("a string for a number", status == 200 and len(body["alternatives"]) == 2, body)
    status, body = server.json("/translate", {
        **text, "format": "html", "q": '<p>red <b translate="no">red dog</b></p>'})
    trial('translate="no" in HTML', '<b translate="no">red dog</b>' in str(body), body)
    status, body = server.form("/translate", {**text, "format": "text", "alternatives": "3"})
    trial("the form of LibreTranslate's page", status == 200 and "alternatives" in body, body)
    for path, fields in (("/v1/translate", {"text": "red", "model": "en-de", **key}),
                         ("/detect", {"q": GERMAN, **key})):
        status, body = server.json(path, fields)
        trial(f"the key as a field at {path}", status == 200, body)
    status, body = server.form("/v1/jobs", {**key, "source": "en", "target": "de",
                                            "file": ("a.txt", b"red\n")})
    trial("the key as a part at /v1/jobs", status == 201, body)
    for bearer in ("Bearer", "bearer", "BEARER"):
        status, _, _ = server.ask("GET", "/v1/models", Authorization=f"{bearer} secret-of-a-test")
        trial(f"{bearer} in Authorization", status == 200, f"status {status}")
    with server.connect(f"GET {server.url}/languages HTTP/1.1\r\nHost: other\r\n"
                        "Connection: close\r\n\r\n".encode()) as client:
        answer = everything(client).decode()
    trial("an absolute request target", answer.startswith("HTTP/1.1 200"), answer.split("\r\n")[0])
    status, body = server.json("/suggest", {"q": "a", "s": "b", "source": "en", "target": "de", **key})
    trial("/suggest is answered", status == 403 and "disabled" in body["error"], body)
    status, body = server.json("/detect", {"q": GERMAN, **key})
    trial("/detect of German",
          status == 200 and body[0]["language"] == "de" and body[0]["confidence"] > 90, body)
    status, body = server.json("/translate", {**text, "source": "auto", "q": GERMAN})
    trial("auto with German on a server of en-de",
          status == 200 and body["translatedText"] == GERMAN, body)
    french = "La maison est rouge et le chien court."
    status, body = server.json("/translate", {**text, "source": "auto", "q": french})
    trial("auto with French on a server of en-de", status == 400 and "French" in body["error"], body)


def documents(server):
    files = {
        "a.html": (b"<p>red <b>dog</b></p>", rb"<p>[^<]+<b>[^<]+</b></p>"),
        "a.srt": (b"1\n00:00:01,000 --> 00:00:02,000\nred dog\n",
                  rb"1\n00:00:01,000 --> 00:00:02,000\n\S.*\n"),
        "a.po": (b'msgid "red %s dog"\nmsgstr ""\n', rb'msgid "red %s dog"\nmsgstr ".*%s.*"\n'),
        "a.xlf": (b'<xliff version="1.2"><file><trans-unit><source>red <x id="1"/>dog</source>'
                  b"</trans-unit></file></xliff>", rb'<target>[^<]+<x id="1"/>[^<]+</target>'),
        "a.tmx": (b'<tmx><tu><tuv xml:lang="en"><seg>dog</seg></tuv></tu></tmx>',
                  rb'<tuv xml:lang="de"><seg>[^<]+</seg>'),
    }
    for name, (content, pattern) in files.items():
        status, body = server.form("/translate_file", {
            "file": (name, content), "source": "en", "target": "de", "api_key": "secret-of-a-test"})
        if status == 200:
            path = urllib.parse.urlparse(body["translatedFileUrl"]).path
            body = server.ask("GET", path)[2]
        report(LIBRETRANSLATE, f"/translate_file {name}",
               status == 200 and re.search(pattern, body) is not None, body)
    status, job = ended_job(server, "name=a.docx&source=en&target=de",
                            docx("<w:r><w:t>red d</w:t></w:r><w:r><w:t>og</w:t></w:r>"))
    if not is_done(status, job):
        return report(JOBS, "a .docx as a job", False, f"{status} {job}")
    body = server.ask("GET", f"/v1/jobs/{job['id']}/result", X_API_Key="secret-of-a-test")[2]
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        picture = archive.read("word/media/a.png") == bytes(range(256))
        text = archive.read("word/document.xml").decode()
    report(JOBS, "a .docx as a job", picture and re.search("<w:t[^>]*>[^<]+</w:t>", text), text)


def hostile(server):
    query = "source=en&target=de"
    entities = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi"))
    xml = f'<!DOCTYPE tmx [<!ENTITY a "aaaaaaaaaa">{entities}]><tmx>&i;</tmx>'.encode()
    cases = (
        ("40 million lines in 39 KB of gzip", "", gzip.compress(b"\n" * 40_000_000), 413),
        ("a binary file", "", bytes(range(256)) * 10, 400),
        ("a PDF file", "", b"%PDF-1.7\nx", 400),
        ("UTF-16 without a mark", "", "red dog\n".encode("utf-16-le"), 400),
        ("XML entities", "&name=a.tmx", xml, 400),
        ("a .docx that unpacks to 300 MB", "&name=a.docx", docx(" " * 300_000_000), 400),
        ("a .docx that is none", "&name=a.docx", b"PK\3\4 and more", 400),
    )
    for what, more, body, expected in cases:
        begin = time.monotonic()
        status, seen = ended_job(server, query + more, body)
        seconds = time.monotonic() - begin
        report(JOBS, what, status == expected and seconds < 30,
               f"{len(body)} bytes: {status} {seen} ({seconds:.1f} s)")
    status, job = ended_job(server, query, "\ufeffred dog\n".encode("utf-16-le"))
    report(JOBS, "UTF-16 with its mark", is_done(status, job), job)
    peak = server.megabytes("VmHWM")
    report(JOBS, "the server's memory after these files", peak < 1000, f"at most {peak:.0f} MB")


def downloads(server):
    for what, body in (("text", b"red dog\n" * 2000), ("gzip", gzip.compress(b"red dog\n" * 2000))):
        status, job = ended_job(server, "source=en&target=de", body)
        if not is_done(status, job):
            report(JOBS, f"a job of {what}", False, f"{status} {job}")
            continue
        path = f"/v1/jobs/{job['id']}/result"
        _, headers, whole = server.ask("GET", path, X_API_Key="secret-of-a-test")
        half = len(whole) // 2
        status, part, rest = server.ask("GET", path, X_API_Key="secret-of-a-test", Range=f"bytes={half}-",
                                        If_Range=headers["ETag"])
        report(JOBS, f"a download of {what} continues", status == 206 and rest == whole[half:],
               f"{status} {part['Content-Range']}")
        status, part, _ = server.ask("GET", path, X_API_Key="secret-of-a-test",
                                     Range=f"bytes={len(whole)}-")
        report(JOBS, f"a range beyond {what}", status == 416, f"{status} {part['Content-Range']}")


def daily_quota(dietmt, model, work):
    with Server(dietmt, model, work, "--data", work / "quota", "--max-jobs-per-day", 1) as server:
        seen = [server.ask("POST", "/v1/jobs?source=en&target=de", b"red\n",
                           Content_Type="text/plain") for _ in range(2)]
    report(JOBS, "a quota of jobs per day", [status for status, _, _ in seen] == [201, 429],
           seen[1][2].decode())


def full_disk(dietmt, model, work):
    """On a 4 MB file system, which only root can mount."""
    disk = work / "disk"
    disk.mkdir()
    if execute(["mount", "-t", "tmpfs", "-o", "size=4m", "none", disk]).code != 0:
        print("full disk: this user cannot mount a file system", file=sys.stderr)
        return
    try:
        with Server(dietmt, model, work, "--data", disk) as server:
            status, job = ended_job(server, "source=en&target=de", b"red dog\n")
            if not is_done(status, job):
                return report(JOBS, "a job on a small disk", False, f"{status} {job}")
            with contextlib.suppress(OSError):
                with open(disk / "filler", "wb", buffering=0) as filler:
                    while True:
                        filler.write(b"x" * 4096)
            path = f"/v1/jobs/{job['id']}"
            for read in ("/v1/jobs", path, path + "/result"):
                status, _, body = server.ask("GET", read)
                report(JOBS, f"GET {read.replace(job['id'], 'ID')} on a full disk", status == 200,
                       f"{status} {body[:80]}")
            for size in (1000, 3_000_000):
                status, seen = ended_job(server, "source=en&target=de", b"red dog\n" * (size // 8))
                report(JOBS, f"a job of {size} bytes on a full disk", status == 507,
                       f"{status} {seen}")
    finally:
        execute(["umount", disk])


def published_clients(server):
    python = pathlib.Path(__file__).resolve().parents[2] / ".deps/test-clients/bin/python"
    python = python if python.exists() else "python3"
    clients = {
        "libretranslatepy": "from libretranslatepy import LibreTranslateAPI as Client\n"
                            "print(Client(url, api_key='secret-of-a-test').translate('red dog', 'en', 'de'))",
        "deep_translator": "from deep_translator import LibreTranslator as Client\n"
                           "print(Client(source='en', target='de', custom_url=url + '/', "
                           "api_key='secret-of-a-test').translate('red dog'))",
        "deepl": "from deepl import Translator as Client\n"
                 "client = Client('secret-of-a-test', server_url=url)\n"
                 "assert client.get_usage().character.count is not None\n"
                 "assert 'DE' in [one.code for one in client.get_target_languages()]\n"
                 "import io\n"
                 "terms = client.create_glossary('pets', 'EN', 'DE', {'dog': 'Hund'})\n"
                 "assert client.get_glossary(terms.glossary_id).entry_count == 1\n"
                 "assert client.get_glossary_entries(terms) == {'dog': 'Hund'}\n"
                 "assert [one.name for one in client.list_glossaries()] == ['pets']\n"
                 "client.translate_text('red dog', source_lang='EN', target_lang='DE',\n"
                 "                      glossary=terms)\n"
                 "client.delete_glossary(terms)\n"
                 "from deepl import GlossaryNotFoundException as NotFound\n"
                 "try:\n"
                 "    client.get_glossary(terms.glossary_id)\n"
                 "    raise AssertionError('a glossary that was deleted')\n"
                 "except NotFound:\n"
                 "    pass\n"
                 "page, written = b'<p>red <b>dog</b></p>', io.BytesIO()\n"
                 "client.translate_document(page, written, filename='a.html', source_lang='EN',\n"
                 "                          target_lang='DE')\n"
                 "assert written.getvalue().startswith(b'<p>'), written.getvalue()\n"
                 "print(client.translate_text('red dog', source_lang='EN', target_lang='DE'))",
        "openai": "from openai import OpenAI as Client\n"
                  "client = Client(api_key='secret-of-a-test', base_url=url + '/v1')\n"
                  "ask = {'model': client.models.list().data[0].id,\n"
                  "       'messages': [{'role': 'user', 'content': 'red dog'}]}\n"
                  "whole = client.chat.completions.create(**ask).choices[0].message.content\n"
                  "parts = client.chat.completions.create(**ask, stream=True)\n"
                  "assert whole == ''.join(one.choices[0].delta.content or '' for one in parts)\n"
                  "print(whole)",
    }
    for package, code in clients.items():
        if execute([python, "-c", f"import {package}"]).code != 0:
            print(f"{package} is not installed; see scripts/setup test-packages", file=sys.stderr)
            continue
        seen = execute([python, "-c", f"url = '{server.url}'\n{code}"])
        report(LIBRETRANSLATE, f"the client {package}",
               seen.code == 0 and seen.out.strip() not in ("", "None"), seen.out or seen.err)


def main():
    build, work = build_and_work()
    dietmt = build / "bin/dietmt"
    model = toy_model(dietmt, work)
    (work / "keys").write_text(KEYS)
    with Server(dietmt, model, work, "--data", work / "jobs", "--api-keys", work / "keys") as server:
        protocol(server)
        published_clients(server)
        documents(server)
        hostile(server)
        downloads(server)
    daily_quota(dietmt, model, work)
    full_disk(dietmt, model, work)


if __name__ == "__main__":
    main()
