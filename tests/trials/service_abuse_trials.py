#!/usr/bin/env python3
"""Malicious clients: slow, huge, ill-formed and ambiguous requests, while an ordinary client
measures how fast it is served. The server must answer each, stay small and keep running."""
import gzip
import json
import resource
import threading
import time

from server import Server, everything, statuses
from trials import build_and_work, report, toy_model

POINT = "abuse"
HEAD = b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GET = b"GET /live HTTP/1.1\r\nHost: localhost\r\n"


class Bystander(threading.Thread):
    """An ordinary client during the abuse: the statuses and longest time of its requests."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.found, self.longest, self.ended = server, set(), 0, False

    def run(self):
        while not self.ended:
            begin = time.perf_counter()
            try:
                status = self.server.json("/translate", {"q": "red dog", "source": "en",
                                                         "target": "de"})[0]
            except OSError as error:
                status = repr(error)
            self.found.add(status)
            self.longest = max(self.longest, time.perf_counter() - begin)
            time.sleep(0.02)


def answers(server, data, seconds=10):
    with server.connect(data) as connection:
        return statuses(everything(connection, seconds))


def slow_clients(server):
    """Each sends a byte of its head or body every half second; all are cut off."""
    slow = [server.connect(HEAD + (b"Content-Length: 1000\r\n\r\n{" if i % 2 else b"X-Slow: "))
            for i in range(200)]
    begin, last = time.monotonic(), {}
    while len(last) < len(slow) and time.monotonic() - begin < 40:
        time.sleep(0.5)
        for connection in slow:
            try:
                connection.send(b"a")
            except OSError:
                last.setdefault(connection, time.monotonic() - begin)
    report(POINT, "200 clients that send two bytes a second are cut off", len(last) == len(slow),
           f"{len(last)} after {max(last.values(), default=0):.0f} s")
    for connection in slow:
        connection.close()


def half_bodies(server):
    for _ in range(500):
        server.connect(HEAD + b"Content-Length: 1000\r\n\r\n" + b"x" * 500).close()
    with server.connect(HEAD + b"Content-Length: 1000\r\n\r\n" + b"x" * 1500) as long:
        seen = statuses(everything(long, 5))
    report(POINT, "a body longer than its Content-Length", seen == [400, 400] or seen == [400], seen)


def huge_bodies(server):
    found = []
    for _ in range(5):
        with server.connect(HEAD + b"Content-Length: 100000000\r\n\r\n") as connection:
            try:
                for _ in range(100):
                    connection.sendall(b"x" * 1000000)
            except OSError:
                pass
            found += statuses(everything(connection, 1)) or ["closed"]
    report(POINT, "bodies of 100 MB, sent on regardless", set(found) <= {413, "closed"}, found)
    seen = answers(server, HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
                   + b"100000\r\n" + b"x" * 0x100000 + b"\r\n" * 5, 5)
    report(POINT, "a chunk of 1 MB and garbage", seen == [400], seen)


def heads(server):
    chunked, length = b"Transfer-Encoding: chunked\r\n", b"Content-Length: 3\r\n"
    cases = (
        ("10,000 header fields", GET + b"A: b\r\n" * 10000 + b"\r\n", [431]),
        ("101 header fields", GET + b"A: b\r\n" * 101 + b"\r\n", [431]),
        ("a header field of 1 MB", GET + b"A: " + b"b" * 1000000 + b"\r\n\r\n", [431]),
        ("a target of 1 MB", b"GET /" + b"a" * 1000000 + b" HTTP/1.1\r\n\r\n", [414]),
        ("Content-Length: -1", HEAD + b"Content-Length: -1\r\n\r\n", [400]),
        ("Content-Length: +3", HEAD + b"Content-Length: +3\r\n\r\n{}\n", [400]),
        ("Content-Length: 3, 3", HEAD + b"Content-Length: 3, 3\r\n\r\n{}\n", [400]),
        ("Content-Length of 30 digits", HEAD + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n", [413]),
        ("two values of Content-Length", HEAD + length + b"Content-Length: 4\r\n\r\n{}\n\n", [400]),
        ("Content-Length and chunks", HEAD + length + chunked + b"\r\n0\r\n\r\n", [400]),
        ("a chunk of 2^64 bytes", HEAD + chunked + b"\r\n1" + b"0" * 16 + b"\r\n{}\r\n", [400]),
        ("a space before a colon", GET + b"Content-Length : 3\r\n\r\n", [400]),
        ("a field over two lines", GET + b"A: b\r\n c\r\n\r\n", [400]),
        ("a NUL in a field", GET + b"A: b\0c\r\n\r\n", [400]),
        ("no Host", b"GET /live HTTP/1.1\r\n\r\n", [400]),
        ("TLS on a plain port", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xaa" * 99, [400]),
        ("100,000 empty lines first", b"\r\n" * 100000 + GET + b"Connection: close\r\n\r\n", [200]),
    )
    for what, data, expected in cases:
        seen = answers(server, data)
        report(POINT, what, seen == expected, seen)


def pipelines(server):
    """Pipelined requests; the last one closes the connection."""
    last = GET + b"Connection: close\r\n\r\n"
    begin = time.perf_counter()
    seen = answers(server, (GET + b"\r\n") * 4999 + last, 60)
    report(POINT, "5,000 requests in one go", seen == [200] * 5000,
           f"{len(seen)} answers in {time.perf_counter() - begin:.1f} s")
    body = b'{"text":"red","model":"en-de"}'
    first = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    seen = answers(server, first + b"NONSENSE\r\n\r\n" + last)
    report(POINT, "nonsense after a request", seen[:1] == [200] and seen[1:] in ([400], [501]), seen)
    with server.connect((GET + b"\r\n") * 20000) as connection:
        time.sleep(1)
        report(POINT, "20,000 requests whose answers nobody reads", server.megabytes() < 500,
               f"{server.megabytes():.0f} MB")
        connection.close()


def bad_text(server):
    """Bytes that are not UTF-8, wherever the server may read them or send them back."""
    form = (b'--x\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n--x--\r\n')
    typed = {"Content_Type": "multipart/form-data; boundary=x"}
    cases = (
        ("in JSON", "POST", "/v1/translate", b'{"text": "\xff\xfe"}', {}),
        ("in a JSON name", "POST", "/v1/translate", b'{"\xff": "a"}', {}),
        ("half a surrogate in JSON", "POST", "/v1/translate", b'{"text": "\\ud800"}', {}),
        ("in the query", "POST", "/translate?q=%ff&source=%fe&target=de", b"", {}),
        ("in a setting of a job", "POST", "/v1/jobs?%ff=a", b"red", {}),
        ("in the name of a file", "POST", "/v1/jobs?source=en&target=de",
         form % (b"file", b"\xff.txt", b"red"), typed),
        ("in the name of a part", "POST", "/v1/jobs", form % (b"\xff", b"a", b"red"), typed),
        ("in a document's kind", "POST", "/translate_file", form % (b"file", b"a.\xff", b"red"), typed),
        ("in a path", "GET", "/v1/jobs/%ff%00", None, {}),
    )
    for what, method, path, body, headers in cases:
        status, _, text = server.ask(method, path, body,
                                     **{"Content_Type": "application/json", **headers})
        readable = json.loads(text.decode()).get("error", "")
        report(POINT, f"bytes that are not UTF-8: {what}", status in (400, 404), f"{status} {readable}")
    answer = answers(server, GET + b"X-Request-ID: \xff\xfe\r\nOrigin: \xff\r\nConnection: close\r\n\r\n")
    report(POINT, "bytes that are not UTF-8: in header fields", answer == [200], answer)


def deep_and_many(server):
    """Input of a few MB that could take much more memory or time than its size."""
    text = {"source": "en", "target": "de"}
    cases = (
        ("JSON 2 million deep", "/v1/translate", b"[" * 2_000_000, {413}),
        ("JSON of a million lists", "/v1/translate", b'{"text":[' + b"[]," * 1_000_000 + b"[]]}", {413}),
        ("a form of a million fields", "/translate", b"a&" * 1_000_000, {413}),
        ("100,000 open tags", "/translate",
         json.dumps({**text, "q": "<b>" * 60_000, "format": "html"}).encode(), {200, 400}),
        ("200,000 opening brackets", "/translate",
         json.dumps({**text, "q": "<" * 199_000, "format": "html"}).encode(), {200, 413, 504}),
    )
    for what, path, body, expected in cases:
        begin, before = time.perf_counter(), server.cpu_seconds()
        kind = "x-www-form-urlencoded" if body.startswith(b"a&") else "json"
        status = server.ask("POST", path, body, Content_Type=f"application/{kind}")[0]
        report(POINT, what, status in expected and server.megabytes("VmHWM") < 1000,
               f"{status} in {time.perf_counter() - begin:.1f} s, {server.cpu_seconds() - before:.1f} s "
               f"of the processor, peak {server.megabytes('VmHWM'):.0f} MB")


def jobs(server):
    nested = b"<tmx>" + b"<a>" * 200_000 + b"</tmx>"
    bomb = gzip.compress(gzip.compress(b"\0" * 500_000_000))
    cases = (("500 MB in a kilobyte, packed twice", "", bomb, {400, 413}),
             ("zeros that unpack to 500 MB", "", gzip.compress(b"\0" * 500_000_000), {400, 413}),
             ("the same as a document", "&name=a.html.gz", gzip.compress(b"a" * 500_000_000), {400, 413}),
             ("half of a gzip file", "", gzip.compress(b"red dog\n" * 100_000)[:300], {400}),
             ("XML 200,000 deep", "&name=a.tmx", nested, {400}),
             ("HTML 300,000 deep", "&name=a.html", b"<b>" * 300_000 + b"red", {201, 400}))
    for what, more, body, expected in cases:
        status, _, text = server.ask("POST", "/v1/jobs?source=en&target=de" + more, body,
                                     Content_Type="application/octet-stream")
        report(POINT, what, status in expected and server.megabytes("VmHWM") < 1000,
               f"{len(body)} bytes: {status} {text.decode()[:100]}, peak {server.megabytes('VmHWM'):.0f} MB")


def ranges(server):
    _, _, text = server.ask("POST", "/v1/jobs?source=en&target=de", b"red dog\n" * 500,
                            Content_Type="text/plain")
    path = f"/v1/jobs/{json.loads(text)['id']}"
    while json.loads(server.ask("GET", path)[2])["state"] in ("queued", "running"):
        time.sleep(0.1)
    path += "/result"
    whole = server.ask("GET", path)[2]
    size = len(whole)
    cases = (("bytes=" + ",".join(["0-"] * 1300), 200, whole),
             (f"bytes=0-{2**64}", 200, whole), (f"bytes=0-{2**64 - 1}", 206, whole),
             (f"bytes={2**64 - 1}-{2**64 - 1}", 416, None), ("bytes=5-2", 200, whole),
             ("bytes=-0", 416, None), (f"bytes=-{2**64 - 1}", 206, whole), ("bytes=--1", 200, whole),
             ("bytes=0x1-2", 200, whole), ("lines=0-1", 200, whole), ("bytes=", 200, whole),
             (f"bytes={size}-", 416, None), (f"bytes={size - 1}-", 206, whole[-1:]))
    for field, expected, content in cases:
        status, _, got = server.ask("GET", path, Range=field)
        report(POINT, f"Range: {field[:40]}", status == expected and content in (None, got), status)
    report(POINT, "a range of HEAD", server.ask("HEAD", path, Range="bytes=0-1")[2] == b"", "")
    readers = [server.connect(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nRange: bytes=1-\r\n\r\n".encode() * 50)
               for _ in range(200)]
    status = server.ask("GET", "/live")[0]
    report(POINT, "200 clients that ask for 50 ranges and read none", status == 200,
           f"{status}, {server.megabytes():.0f} MB")
    for reader in readers:
        reader.close()


def idle_connections(server, count):
    idle = [server.connect() for _ in range(count)]
    begin = time.perf_counter()
    status = server.ask("GET", "/ready")[0]
    report(POINT, f"{count} connections that say nothing", status == 200,
           f"{1e3 * (time.perf_counter() - begin):.0f} ms, {server.megabytes():.0f} MB")
    for connection in idle:
        connection.close()


def main():
    build, work = build_and_work()
    model = toy_model(build / "bin/dietmt", work)
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    with Server(build / "bin/dietmt", model, work, "--preload", "--data", work / "jobs") as server:
        bystander = Bystander(server)
        bystander.start()
        for attack in (half_bodies, huge_bodies, heads, pipelines, bad_text, deep_and_many, jobs,
                       ranges, slow_clients):
            attack(server)
        idle_connections(server, min(10000, files // 2))
        bystander.ended = True
        bystander.join()
        report(POINT, "an ordinary client during all this", bystander.found == {200},
               f"statuses {bystander.found}, at most {1e3 * bystander.longest:.0f} ms")
        peak = server.megabytes("VmHWM")
        report(POINT, "peak memory", peak < 1000, f"{peak:.0f} MB")
        report(POINT, "the server ends as told", server.stop() == 0, "")


if __name__ == "__main__":
    main()
