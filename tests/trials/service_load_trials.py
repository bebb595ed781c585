#!/usr/bin/env python3
"""A busy server: probes while all handlers are taken, single sentences beside documents of another
client, throughput beside `dietmt translate`, and memory.

With DIETMT_TRIAL_MODEL=DIR and DIETMT_TRIAL_TEXT=FILE it serves this model and sends these lines;
otherwise a toy model, whose throughput says more about HTTP than about translation."""
import json
import os
import pathlib
import selectors
import socket
import subprocess
import sys
import threading
import time

from server import Server
from trials import build_and_work, report, toy_model

HEALTH, FAIRNESS = 8, 9
PROBES = ("/live", "/ready", "/health", "/metrics")
BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench/serve_load.py"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def timed(server, *arguments, **headers):
    """Status and seconds of a request."""
    begin = time.perf_counter()
    status = server.ask(*arguments, **headers)[0]
    return status, time.perf_counter() - begin


def document(lines, count, **options):
    """The body of a request with `count` sentences."""
    text = [lines[i % len(lines)] for i in range(count)]
    return json.dumps({"text": text, "source": "en", "target": "de", "split_sentences": False,
                       **options}).encode()


def translate(server, body, key=""):
    return timed(server, "POST", "/v1/translate", body, Content_Type="application/json",
                 X_API_Key=key)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def milliseconds(seconds):
    return f"{1000 * seconds:.1f} ms"


def probe_trials(server, health_port, lines, connections=1500, seconds=5):
    """All requests that the server takes, and some more, are documents that last."""
    body = document(lines, 300, beam=32)
    request = (b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    poll, clients, refused = selectors.DefaultSelector(), [], 0
    for _ in range(connections):
        clients.append(server.connect(request))
        poll.register(clients[-1], selectors.EVENT_READ)
    answers = {(port, path): [] for port in ("port", "health-port") for path in PROBES}
    end = time.time() + seconds
    while time.time() < end:
        for name, port in (("port", server.port), ("health-port", health_port)):
            for path in PROBES:
                answers[name, path].append(timed(server, "GET", path, port=port))
    statuses = {}
    for key, _ in poll.select(0):
        head = key.fileobj.recv(4096)
        statuses[head[9:12].decode()] = statuses.get(head[9:12].decode(), 0) + 1
        refused += b"Retry-After:" in head
    for (port, path), asked in answers.items():
        times = [taken for _, taken in asked]
        worst = max(status for status, _ in asked)
        report(HEALTH, f"{path} on --{port} at {connections} busy connections",
               worst == 200 and max(times) < 0.05,
               f"status {worst}, {len(times)} times: p50 {milliseconds(percentile(times, 0.5))}, "
               f"p99 {milliseconds(percentile(times, 0.99))}, at most {milliseconds(max(times))}")
    report(HEALTH, "requests beyond the bound are refused with Retry-After",
           refused > 0 and set(statuses) <= {"503", "429"},
           f"{refused} of {connections}, statuses {statuses}")
    for client in clients:
        client.close()


def single_sentences(server, lines, count=300):
    found = [translate(server, document(lines[i % len(lines):], 1), "b") for i in range(count)]
    return [status for status, _ in found], [seconds for _, seconds in found]


def fairness_trials(server, lines):
    single_sentences(server, lines, 50)
    _, idle = single_sentences(server, lines)
    ended = []

    def send():
        try:
            ended.append(translate(server, document(lines, 3000, beam=32), "a")[0])
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
                server.connect(b"POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n"
                               b"\r\n{").close()
            else:
                count, beam = (100, 8) if turn % 10 == 0 else (1, 5)
                translate(server, document(lines[turn % len(lines):], count, beam=beam))

    clients = [threading.Thread(target=load, args=(i,), daemon=True) for i in range(20)]
    for client in clients:
        client.start()
    samples = []
    while time.time() + 60 <= end:
        time.sleep(60)
        samples.append(server.megabytes())
    for client in clients:
        client.join()
    samples.append(server.megabytes())
    report("measure", f"memory after {minutes:g} minutes of mixed load and after one",
           samples[-1] <= 1.1 * samples[0],
           f"{samples[-1]:.0f} MB and {samples[0]:.0f} MB; each minute: "
           + " ".join(f"{sample:.0f}" for sample in samples))


def main():
    build, work = build_and_work()
    dietmt = build / "bin/dietmt"
    model = os.environ.get("DIETMT_TRIAL_MODEL") or toy_model(dietmt, work)
    text = os.environ.get("DIETMT_TRIAL_TEXT") or work / "train.en"
    lines = [line for line in pathlib.Path(text).read_text().splitlines() if line]
    keys = work / "keys"
    keys.write_text("a, many, 0\nb, few, 0\n")
    limits = ["--preload", "--max-texts", 3000, "--max-characters", 10**7, "--deadline", 600,
              "--queue-tokens", 10**6]

    health_port = free_port()
    with Server(dietmt, model, work, *limits, "--health-port", health_port) as server:
        server.await_log("health at")
        probe_trials(server, health_port, lines)
    with Server(dietmt, model, work, *limits, "--api-keys", keys) as server:
        fairness_trials(server, lines)
    throughput_trials(dietmt, model, text)
    with Server(dietmt, model, work, *limits) as server:
        memory_trials(server, lines, float(os.environ.get("DIETMT_TRIAL_MINUTES", 10)))


if __name__ == "__main__":
    main()
