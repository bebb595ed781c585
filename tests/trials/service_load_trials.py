#!/usr/bin/env python3
"""A busy server: probes while all handlers are taken, single sentences beside documents of another
client, throughput beside `dietmt translate`, and memory.

With DIETMT_TRIAL_MODEL=DIR and DIETMT_TRIAL_TEXT=FILE it serves this model and sends these lines;
otherwise a toy model, whose throughput says more about HTTP than about translation."""
import http.client
import json
import os
import pathlib
import re
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time

from trials import build_and_work, report, toy_model

HEALTH, FAIRNESS = 8, 9
PROBES = ("/live", "/ready", "/health", "/metrics")
BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench/serve_load.py"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    def __init__(self, dietmt, model, log, *options):
        self.port, self.health_port = free_port(), free_port()
        self.process = subprocess.Popen(
            [dietmt, "serve", "--model", f"en-de={model}", "--preload", "--port", str(self.port),
             "--health-port", str(self.health_port), *map(str, options)], stderr=open(log, "w"))
        for _ in range(600):
            if "health at" in open(log).read():
                return
            time.sleep(0.1)
        sys.exit("the server does not start: " + open(log).read())

    def ask(self, path, body=None, key=None, port=None, seconds=600):
        """Status, Retry-After and seconds of a request on a new connection."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=seconds)
        headers = {"Content-Type": "application/json", **({"X-API-Key": key} if key else {})}
        begin = time.perf_counter()
        connection.request("POST" if body else "GET", path, body and json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        seconds = time.perf_counter() - begin
        connection.close()
        return answer.status, answer.getheader("Retry-After"), seconds

    def megabytes(self):
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def document(lines, count, **options):
    text = [lines[i % len(lines)] for i in range(count)]
    return {"text": text, "source": "en", "target": "de", "split_sentences": False, **options}


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def milliseconds(seconds):
    return f"{1000 * seconds:.1f} ms"


def probe_trials(server, lines, connections=1500, seconds=5):
    """All requests that the server takes, and some more, are documents that last."""
    body = json.dumps(document(lines, 300, beam=32)).encode()
    request = (b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    poll, clients, refused = selectors.DefaultSelector(), [], 0
    for _ in range(connections):
        clients.append(socket.create_connection(("127.0.0.1", server.port)))
        clients[-1].sendall(request)
        poll.register(clients[-1], selectors.EVENT_READ)
    slowest = {(port, path): (0, 0.0) for port in ("port", "health-port") for path in PROBES}
    asked, end = 0, time.time() + seconds
    while time.time() < end:
        for name, port in (("port", server.port), ("health-port", server.health_port)):
            for path in PROBES:
                status, _, taken = server.ask(path, port=port, seconds=30)
                old = slowest[name, path]
                slowest[name, path] = (max(old[0], status), max(old[1], taken))
                asked += 1
    statuses = {}
    for key, _ in poll.select(0):
        head = key.fileobj.recv(4096)
        statuses[head[9:12].decode()] = statuses.get(head[9:12].decode(), 0) + 1
        refused += b"Retry-After:" in head
    for (port, path), (status, taken) in slowest.items():
        report(HEALTH, f"{path} on --{port} at {connections} busy connections",
               status == 200 and taken < 0.05, f"status {status}, at most {milliseconds(taken)}")
    report(HEALTH, "requests beyond the bound are refused with Retry-After",
           refused > 0 and set(statuses) <= {"503", "429"},
           f"{refused} of {connections}, statuses {statuses}")
    for client in clients:
        client.close()


def single_sentences(server, lines, count=300):
    found = [server.ask("/v1/translate", document(lines[i:], 1), key="b") for i in range(count)]
    return [status for status, _, _ in found], [seconds for _, _, seconds in found]


def fairness_trials(server, lines):
    single_sentences(server, lines, 50)
    _, idle = single_sentences(server, lines)
    ended = []

    def send():
        try:
            ended.append(server.ask("/v1/translate", document(lines, 3000, beam=32), key="a")[0])
        except OSError:
            ended.append("closed")

    documents = [threading.Thread(target=send, daemon=True) for _ in range(4)]
    for one in documents:
        one.start()
    time.sleep(3)
    statuses, busy = single_sentences(server, lines)
    running = not ended
    ratio = percentile(busy, 0.99) / percentile(idle, 0.99)
    report(FAIRNESS, "p99 of a sentence beside 4 documents of 3,000 sentences, beam 32",
           ratio <= 5 and running and set(statuses) == {200},
           f"p50 {milliseconds(percentile(busy, 0.5))}, p99 {milliseconds(percentile(busy, 0.99))}; "
           f"idle {milliseconds(percentile(idle, 0.5))}, {milliseconds(percentile(idle, 0.99))}; "
           f"ratio {ratio:.1f}" + ("" if running else f"; documents ended: {ended}"))


def throughput_trials(dietmt, model, text):
    for weights, least in (("fp32", 0.95), ("int8", 0.9)):
        done = subprocess.run(
            [sys.executable, BENCH, "--dietmt", dietmt, "--model", f"en-de={model}", "--text", text,
             "--clients", "200", "--lines", "4000", "--rounds", "1", f"--serve=--weights {weights}",
             f"--translate=--weights {weights}", "throughput"], capture_output=True, text=True)
        if done.returncode != 0:
            report("measure", f"throughput {weights}", False, done.stderr)
            continue
        run = json.loads(done.stdout)["throughput"]["runs"][0]
        report("measure", f"200 connections per CPU second beside translate, {weights}",
               run["cpu_ratio"] >= least,
               f"ratio {run['cpu_ratio']}; {run['serve']['sentences_per_second']} sentences/s, p50 "
               f"{run['serve']['p50_ms']} ms, p99 {run['serve']['p99_ms']} ms")


def memory_trials(server, lines, minutes):
    """Single sentences, documents and uploads that break off, from 20 clients."""
    end = time.time() + 60 * minutes

    def load(number):
        turn = number
        while time.time() < end:
            turn += 1
            if turn % 20 == 0:
                with socket.create_connection(("127.0.0.1", server.port)) as broken:
                    broken.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n"
                                   b"\r\n{")
            else:
                count, beam = (100, 8) if turn % 10 == 0 else (1, 5)
                server.ask("/v1/translate", document(lines[turn % len(lines):], count, beam=beam))

    clients = [threading.Thread(target=load, args=(i,), daemon=True) for i in range(20)]
    for client in clients:
        client.start()
    time.sleep(60)
    first = server.megabytes()
    for client in clients:
        client.join()
    last = server.megabytes()
    report("measure", f"memory after {minutes:g} minutes of mixed load and after one",
           last <= 1.1 * first, f"{last:.0f} MB and {first:.0f} MB")


def main():
    build, work = build_and_work()
    dietmt = build / "bin/dietmt"
    model = os.environ.get("DIETMT_TRIAL_MODEL") or toy_model(dietmt, work)
    text = os.environ.get("DIETMT_TRIAL_TEXT") or work / "train.en"
    lines = [line for line in pathlib.Path(text).read_text().splitlines() if line]
    keys = work / "keys"
    keys.write_text("a, many, 0\nb, few, 0\n")
    limits = ["--max-texts", 3000, "--max-characters", 10**7, "--deadline", 600]

    server = Server(dietmt, model, work / "log", *limits)
    probe_trials(server, lines)
    server.stop()
    server = Server(dietmt, model, work / "log", *limits, "--api-keys", keys)
    fairness_trials(server, lines)
    server.stop()
    throughput_trials(dietmt, model, text)
    server = Server(dietmt, model, work / "log", *limits)
    memory_trials(server, lines, float(os.environ.get("DIETMT_TRIAL_MINUTES", 10)))
    server.stop()


if __name__ == "__main__":
    main()
