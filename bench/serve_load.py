#!/usr/bin/env python3
"""Puts load on `dietmt serve` and says how it fared, with Python's standard library alone.

    bench/serve_load.py --dietmt build/bin/dietmt --model en-de=runs/en-de --text test.en CHECK...

Checks, each with a server of its own on a free port; the figures are one JSON object a line:

    clients    --clients in parallel for --seconds, --sentences a request: errors, latency, sentences/s
    throughput clients and `dietmt translate` on the same lines, in turns: the ratio of their speeds
    kill       ten jobs, kill -9 in the middle, a new server: every line once and in order
    abuse      slow clients, half-sent and huge bodies, ill-formed requests, idle connections, while
               one client measures how fast the others are answered; the peak memory of the server
"""
import argparse
import http.client
import itertools
import json
import os
import re
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


class Server:
    """A `dietmt serve` process."""

    def __init__(self, options, *more):
        self.log = tempfile.NamedTemporaryFile("r", prefix="serve", suffix=".log")
        command = [options.dietmt, "serve", "--model", options.model, "--port", "0", "--preload"]
        self.process = subprocess.Popen([*command, *options.serve, *more],
                                        stderr=open(self.log.name, "w"))
        end = time.time() + 60
        while time.time() < end and self.process.poll() is None:
            found = re.search(r"listening at [^ ]*:(\d+)", open(self.log.name).read())
            if found:
                self.port = int(found[1])
                return
            time.sleep(0.02)
        sys.exit("the server has not started: " + open(self.log.name).read())

    def connect(self, timeout=120):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None):
        connection = self.connect()
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, content

    def memory(self, name):
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(name + r":\s+(\d+)", status)[1]) / 1024

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(60)


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
        body = translation(texts, split_sentences=False).encode()
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.start, self.received = time.perf_counter(), b""
        self.socket.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                            b"application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        return True

    def receive(self):
        """Reads what has come; the status once the answer is whole, else None."""
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
    """`lines`: for each client, what it translates."""
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
    done = max(1, done)
    latency.sort()
    return {"clients": options.clients, "sentences_a_request": options.sentences,
            "seconds": round(seconds, 2), "statuses": statuses,
            "connection_problems": problems[:1],
            "sentences_per_second": round(done / seconds, 1),
            "cpu_ms_per_sentence": round(1e3 * (server.cpu_seconds() - cpu) / done, 3),
            "p50_ms": round(1e3 * percentile(latency, 0.5), 1),
            "p99_ms": round(1e3 * percentile(latency, 0.99), 1),
            "longest_ms": round(1e3 * latency[-1], 1)}


def check_clients(options, lines):
    server = Server(options)
    end = time.time() + options.seconds

    def endless(i):
        while time.time() < end:
            i += 1
            yield lines[i % len(lines)]

    figures = run_clients(server, options, endless)
    figures["peak_memory_mib"] = round(server.memory("VmHWM"), 1)
    figures["exit_code"] = server.stop()
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


def check_throughput(options, lines):
    lines = (lines * (options.lines // len(lines) + 1))[:options.lines]
    runs = []
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as text:
        text.writelines(line + "\n" for line in lines)
        text.flush()
        server = Server(options)
        for _ in range(options.rounds):
            plain, cpu = translate_speed(options, text.name, len(lines))
            served = run_clients(server, options, lambda i: lines[i::options.clients])
            runs.append({"ratio": round(served["sentences_per_second"] / plain, 3),
                         "cpu_ratio": round(1e3 * cpu / served["cpu_ms_per_sentence"], 3),
                         "translate": {"sentences_per_second": round(plain, 1),
                                       "cpu_ms_per_sentence": round(1e3 * cpu, 3)},
                         "serve": served})
        server.stop()
    return {"runs": runs}


def check_kill(options, lines):
    lines = (lines * (options.lines // len(lines) + 1))[:options.lines]
    text = "".join(line + "\n" for line in lines).encode()
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
        file.write(text)
        file.flush()
        model = options.model.split("=")[-1]
        expected = subprocess.run([options.dietmt, "translate", "--model", model, "--beam", "1",
                                   "--input", file.name], check=True, capture_output=True).stdout
        query = f"/v1/jobs?source={SOURCE}&target={TARGET}&options=%7B%22beam%22%3A1%7D"
        server = Server(options, "--data", folder)
        jobs = []
        for _ in range(10):
            status, content = server.ask("POST", query, text, {"Content-Type": "text/plain"})
            assert status == 201, content
            jobs.append(json.loads(content)["id"])
        kills = 0
        done_at_kills = []
        while True:
            states = [json.loads(server.ask("GET", "/v1/jobs/" + job)[1]) for job in jobs]
            done = sum(state["lines_done"] for state in states)
            if all(state["state"] not in ("queued", "running") for state in states):
                break
            if kills < 3 and done > (kills + 1) * 10 * len(lines) // 5:
                server.stop(signal.SIGKILL)
                kills += 1
                done_at_kills.append(done)
                server = Server(options, "--data", folder)
            time.sleep(0.05)
        results = [server.ask("GET", f"/v1/jobs/{job}/result")[1] for job in jobs]
        server.stop()
        return {"jobs": len(jobs), "lines_each": len(lines), "kills": kills,
                "lines_done_at_kills": done_at_kills,
                "states": sorted({state["state"] for state in states}),
                "jobs_equal_to_translate": sum(result == expected for result in results)}


class Probe(threading.Thread):
    """An ordinary client during the abuse: its latencies by what went on."""

    def __init__(self, server, lines):
        super().__init__(daemon=True)
        self.server, self.lines = server, lines
        self.phase, self.found, self.ended = "quiet", {}, False

    def run(self):
        n = 0
        while not self.ended:
            n += 1
            phase, start = self.phase, time.perf_counter()
            try:
                status = self.server.ask("POST", "/v1/translate",
                                         translation(self.lines[n % len(self.lines)]),
                                         {"Content-Type": "application/json"})[0]
            except OSError as error:
                status = repr(error)
            entry = self.found.setdefault(phase, {"statuses": {}, "seconds": []})
            entry["statuses"][status] = entry["statuses"].get(status, 0) + 1
            entry["seconds"].append(time.perf_counter() - start)
            time.sleep(0.02)

    def figures(self):
        return {phase: {"statuses": entry["statuses"],
                        "p50_ms": round(1e3 * percentile(sorted(entry["seconds"]), 0.5), 1),
                        "longest_ms": round(1e3 * max(entry["seconds"]), 1)}
                for phase, entry in self.found.items()}


def raw(server, data):
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.sendall(data)
    return connection


def status_of(connection):
    try:
        return int(connection.recv(4096).split(b" ")[1])
    except (OSError, IndexError, ValueError):
        return "closed"


HEAD = b"POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def slow_clients(server, _):
    """200 clients that send a byte of their head or body every half second."""
    slow = [raw(server, HEAD + (b"Content-Length: 1000\r\n\r\n{" if i % 2 else b"X-Slow: "))
            for i in range(200)]
    for _ in range(6):
        time.sleep(0.5)
        for connection in slow:
            connection.send(b"a")
    for connection in slow:
        connection.close()
    return {"connections": len(slow)}


def half_bodies(server, _):
    """500 clients that send half of a body and close."""
    for _ in range(500):
        raw(server, HEAD + b"Content-Length: 1000\r\n\r\n" + b"x" * 500).close()
    return {"connections": 500}


def huge_bodies(server, _):
    """Five bodies of 100 MB, which the clients insist on sending."""
    statuses = []
    for _ in range(5):
        connection = raw(server, HEAD + b"Content-Length: 100000000\r\n\r\n")
        answered = "closed"
        try:
            for _ in range(100):
                connection.sendall(b"x" * 1000000)
        except OSError:
            pass
        answered = status_of(connection)
        connection.close()
        statuses.append(answered)
    return {"statuses": statuses}


def ill_formed(server, _):
    """JSON that does not parse, text that is not UTF-8, and no HTTP at all."""
    found = {}
    for name, body in (("bad_json", b'{"text": "a", '), ("deep_json", b"[" * 100000),
                       ("bad_utf8", b'{"text": "\xff\xfe", "source": "en", "target": "de"}')):
        for _ in range(100):
            status = server.ask("POST", "/v1/translate", body,
                                {"Content-Type": "application/json"})[0]
            found.setdefault(name, set()).add(status)
    for _ in range(100):
        connection = raw(server, b"\x16\x03\x01 no HTTP\r\n\r\n")
        found.setdefault("no_http", set()).add(status_of(connection))
        connection.close()
    return {name: sorted(map(str, statuses)) for name, statuses in found.items()}


def idle_connections(server, options):
    """--idle connections that say nothing, all open at once."""
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=60)
            for _ in range(options.idle)]
    time.sleep(3)
    seen = re.search(r"^dietmt_http_connections (\d+)", server.ask("GET", "/metrics")[1].decode(),
                     re.M)[1]
    for connection in idle:
        connection.close()
    return {"opened": len(idle), "seen_by_the_server": int(seen)}


def check_abuse(options, lines):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    server = Server(options)
    probe = Probe(server, lines)
    probe.start()
    time.sleep(2)
    figures = {"memory_mib_before": round(server.memory("VmRSS"), 1)}
    for attack in (slow_clients, half_bodies, huge_bodies, ill_formed, idle_connections):
        probe.phase = attack.__name__
        figures[attack.__name__] = attack(server, options)
        figures[attack.__name__]["memory_mib"] = round(server.memory("VmRSS"), 1)
    probe.ended = True
    probe.join()
    figures["peak_memory_mib"] = round(server.memory("VmHWM"), 1)
    figures["others"] = probe.figures()
    figures["exit_code"] = server.stop()
    return figures


CHECKS = {"clients": check_clients, "throughput": check_throughput, "kill": check_kill,
          "abuse": check_abuse}
SOURCE, TARGET = "en", "de"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dietmt", default="build/bin/dietmt", metavar="FILE")
    parser.add_argument("--model", required=True, metavar="SRC-TGT=DIR")
    parser.add_argument("--text", required=True, metavar="FILE", help="sentences, one a line")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--sentences", type=int, default=1, help="a request")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--lines", type=int, default=4000, help="of throughput, and of each job")
    parser.add_argument("--rounds", type=int, default=3, help="of throughput")
    parser.add_argument("--idle", type=int, default=10000)
    parser.add_argument("--serve", default="", help="more options of dietmt serve")
    parser.add_argument("--translate", default="", help="more options of dietmt translate")
    parser.add_argument("checks", nargs="+", choices=list(CHECKS))
    options = parser.parse_args()
    options.serve, options.translate = options.serve.split(), options.translate.split()
    global SOURCE, TARGET
    SOURCE, TARGET = options.model.split("=")[0].split("-")
    lines = [line.rstrip("\n") for line in open(options.text, encoding="utf-8") if line.strip()]
    for name in options.checks:
        print(json.dumps({name: CHECKS[name](options, lines)}), flush=True)


if __name__ == "__main__":
    main()
