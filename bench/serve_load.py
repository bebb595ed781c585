#!/usr/bin/env python3
"""Puts load on `dietmt serve` and says how it fared, with only Python's standard library.

    bench/serve_load.py --dietmt build/bin/dietmt --model en-de=runs/en-de --text test.en CHECK...

Checks, each with a separate server on a free port; the figures are one JSON object a line:

    clients    --clients in parallel for --seconds, --sentences a request: errors, latency, sentences/s
    throughput clients and `dietmt translate` on the same lines, in turns: the ratio of their speeds
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/trials"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recipes"))
from runs import append_to_log  # noqa: E402
from server import Server  # noqa: E402


def default_program():
    """The one built in this tree, or else the one on the PATH."""
    built = pathlib.Path(__file__).resolve().parents[1] / "build/bin/dietmt"
    return str(built) if built.exists() else "dietmt"


def translation(text, **options):
    return json.dumps({"text": text, "source": SOURCE, "target": TARGET, **options})


def percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


class Client:
    """One connection that asks for one sentence after the other until `lines` gives none.

    Clients share the machine with the server: this one costs little, to measure the server.
    """

    def __init__(self, server, lines, sentences):
        self.port, self.lines, self.sentences = server.port, iter(lines), sentences
        self.socket = None

    def ask(self):
        """Sends the next request; False if there is none."""
        texts = list(itertools.islice(self.lines, self.sentences))
        if not texts:
            return False
        self.asked = len(texts)
        body = translation(texts, split_sentences=False, **REQUEST).encode()
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.start, self.received = time.perf_counter(), b""
        self.socket.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                            b"application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        return True

    def receive(self):
        """Reads available bytes; returns the status once the answer is complete, else None."""
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the connection was closed before the answer")
        self.received += data
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found or len(body) < int(re.search(rb"Content-Length: (\d+)", head)[1]):
            return None
        retry = re.search(rb"Retry-After: (\d+)", head)
        self.retry_after = int(retry[1]) if retry else 0
        return int(head[9:12])

    def leave(self):
        if self.socket:
            self.socket.close()
            self.socket = None


def run_clients(server, options, lines):
    """`lines`: the text of each client."""
    poll, waiting = selectors.DefaultSelector(), []  # waiting: (time, client) after 429 and 503
    statuses, latency, problems, done = {}, [], [], 0

    def go_on(client):
        if client.ask():
            poll.register(client.socket, selectors.EVENT_READ, client)
        else:
            client.leave()

    cpu, start = server.cpu_seconds(), time.perf_counter()
    for i in range(options.clients):
        go_on(Client(server, lines(i), options.sentences))
    while poll.get_map() or waiting:
        for key, _ in poll.select(0.1):
            client = key.data
            try:
                status = client.receive()
            except OSError as error:
                problems.append(repr(error))
                status = 0
            if status is None:
                continue
            poll.unregister(client.socket)
            statuses[status] = statuses.get(status, 0) + 1
            if status == 0:
                client.leave()
            if status in (429, 503):
                waiting.append((time.perf_counter() + client.retry_after, client))
                continue
            latency.append(time.perf_counter() - client.start)
            done += client.asked if status == 200 else 0
            go_on(client)
        now = time.perf_counter()
        for due in [entry for entry in waiting if entry[0] <= now]:
            waiting.remove(due)
            go_on(due[1])
    seconds = time.perf_counter() - start
    if set(statuses) - {200, 429, 503}:
        sys.exit(f"serve_load.py: answers by status: {statuses} {' '.join(problems[:1])}")
    done = max(1, done)
    latency.sort()
    return {"clients": options.clients, "sentences_a_request": options.sentences,
            "seconds": round(seconds, 2), "statuses": statuses,
            "sentences_per_second": round(done / seconds, 1),
            "cpu_ms_per_sentence": round(1e3 * (server.cpu_seconds() - cpu) / done, 3),
            "p50_ms": round(1e3 * percentile(latency, 0.5), 1),
            "p99_ms": round(1e3 * percentile(latency, 0.99), 1),
            "longest_ms": round(1e3 * latency[-1], 1)}


def check_clients(options, server, lines):
    end = time.time() + options.seconds

    def endless(i):
        while time.time() < end:
            i += 1
            yield lines[i % len(lines)]

    figures = run_clients(server, options, endless)
    figures["peak_memory_mib"] = round(server.megabytes("VmHWM"), 1)
    return figures


def translate_speed(options, path, count):
    """Lines a second of `dietmt translate`, and processor time a line; both without loading."""
    command = [options.dietmt, "translate", "--model", options.model.split("=")[-1]]
    runs = []
    for text in (os.devnull, path):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, "--input", text, *options.translate], check=True,
                       stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs.append((time.perf_counter() - start, after.ru_utime + after.ru_stime -
                     before.ru_utime - before.ru_stime))
    return count / (runs[1][0] - runs[0][0]), (runs[1][1] - runs[0][1]) / count


def check_throughput(options, server, lines):
    lines = (lines * (options.lines // len(lines) + 1))[:options.lines]
    runs = []
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as text:
        text.writelines(line + "\n" for line in lines)
        text.flush()
        for _ in range(options.rounds):
            plain, cpu = translate_speed(options, text.name, len(lines))
            served = run_clients(server, options, lambda i: lines[i::options.clients])
            runs.append({"ratio": round(served["sentences_per_second"] / plain, 3),
                         "cpu_ratio": round(1e3 * cpu / served["cpu_ms_per_sentence"], 3),
                         "translate": {"sentences_per_second": round(plain, 1),
                                       "cpu_ms_per_sentence": round(1e3 * cpu, 3)},
                         "serve": served})
    return {"runs": runs}


CHECKS = {"clients": check_clients, "throughput": check_throughput}
SOURCE, TARGET, REQUEST = "en", "de", {}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dietmt", default=default_program(), metavar="FILE")
    parser.add_argument("--model", required=True, metavar="SRC-TGT=DIR")
    parser.add_argument("--text", required=True, metavar="FILE", help="sentences, one a line")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--sentences", type=int, default=1, help="a request")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--lines", type=int, default=4000, help="of throughput")
    parser.add_argument("--rounds", type=int, default=3, help="of throughput")
    parser.add_argument("--serve", default="", help="more options of dietmt serve")
    parser.add_argument("--translate", default="", help="more options of dietmt translate")
    parser.add_argument("--request", default={}, type=json.loads, metavar="JSON",
                        help="more fields of each request, such as {\"beam\": 1}")
    parser.add_argument("--name", help="of the model, for --log; default: that of its directory")
    parser.add_argument("--log", help="append them to this file, too, with the place")
    parser.add_argument("checks", nargs="+", choices=list(CHECKS))
    options = parser.parse_args()
    options.serve, options.translate = options.serve.split(), options.translate.split()
    global SOURCE, TARGET, REQUEST
    REQUEST = options.request
    SOURCE, TARGET = options.model.split("=")[0].split("-")
    lines = [line.rstrip("\n") for line in open(options.text, encoding="utf-8") if line.strip()]
    model = options.name or pathlib.Path(options.model.split("=")[1]).name
    for name in options.checks:
        with tempfile.TemporaryDirectory(prefix="serve_load.") as work, \
                Server(options.dietmt, options.model, pathlib.Path(work), "--preload",
                       *options.serve) as server:
            figures = CHECKS[name](options, server, lines)
            figures["exit_code"] = server.stop()
        print(json.dumps({name: figures}), flush=True)
        append_to_log(options.log, {"model": model, "check": name, **figures})


if __name__ == "__main__":
    main()
