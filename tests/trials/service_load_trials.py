#!/usr/bin/env python3
"""A busy server: probes while all handlers are taken, single sentences during documents of another
client, throughput compared with `dietmt translate`, and memory.

With DIETMT_TRIAL_MODEL=DIR and DIETMT_TRIAL_TEXT=FILE it serves this model and sends these lines;
otherwise a toy model, whose throughput says more about HTTP than about translation.
DIETMT_TRIAL_ONLY=PART runs only `probes`, `fairness`, `throughput` or `memory`; DIETMT_TRIAL_MINUTES
(default: 10) is how long the load of `memory` lasts."""
import collections
import http.client
import json
import os
import pathlib
import resource
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


def allow_connections(count):
    """Raises the limit of open files of this process, which is often 1,024."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count + 100:
        sys.exit(f"{count} connections need a hard limit of open files above {hard} (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, hard))


def milliseconds(seconds):
    return f"{1000 * seconds:.1f} ms"


def probe_trials(server, health_port, lines, connections=1500, seconds=5):
    """More long documents than the server accepts at once."""
    allow_connections(connections)
    body = document(lines, 300, beam=32)
    request = (b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    poll, clients, refused = selectors.DefaultSelector(), [], 0
    for _ in range(connections):
        clients.append(server.connect(request))
        poll.register(clients[-1], selectors.EVENT_READ)
    answers = {(port, path): [] for port in ("port", "health-port") for path in PROBES}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, port in (("port", server.port), ("health-port", health_port)):
            for path in PROBES:
                answers[name, path].append(timed(server, "GET", path, port=port))
    busy = server.metric("dietmt_http_requests_in_flight")
    statuses = collections.Counter()
    for key, _ in poll.select(0):
        head = key.fileobj.recv(4096)
        statuses[head[9:12].decode()] += 1
        refused += b"Retry-After:" in head
    for (port, path), asked in answers.items():
        times = [taken for _, taken in asked]
        codes = {status for status, _ in asked}
        report(HEALTH, f"{path} on --{port} at {connections} busy connections",
               codes == {200} and max(times) < 0.05,
               f"status {codes}, {len(times)} times: p50 {milliseconds(percentile(times, 0.5))}, "
               f"p99 {milliseconds(percentile(times, 0.99))}, at most {milliseconds(max(times))}")
    report(HEALTH, "the documents kept the server busy until the end", busy > connections / 2,
           f"{busy:.0f} requests in flight")
    report(HEALTH, "requests beyond the bound are refused with Retry-After",
           0 < refused == statuses.total() and set(statuses) <= {"503", "429"},
           f"{refused} of {connections}, statuses {dict(statuses)}")
    for client in clients:
        client.close()


def single_sentences(server, lines, count=300):
    found = [translate(server, document(lines[i % len(lines):], 1), "b" * 16) for i in range(count)]
    return [status for status, _ in found], [seconds for _, seconds in found]


def fairness_trials(server, lines):
    single_sentences(server, lines, 50)
    statuses, idle = single_sentences(server, lines)
    ended = []

    def send():
        try:
            ended.append(translate(server, document(lines, 3000, beam=32), "a" * 16)[0])
        except (OSError, http.client.HTTPException) as error:
            ended.append(repr(error))

    documents = [threading.Thread(target=send, daemon=True) for _ in range(4)]
    for one in documents:
        one.start()
    end = time.monotonic() + 60
    while server.metric("dietmt_queue_requests") < len(documents) and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(1)  # until the workers' batches are full of them
    more_statuses, busy = single_sentences(server, lines)
    running = not ended and server.metric("dietmt_queue_requests") == len(documents)
    statuses += more_statuses
    ratio = percentile(busy, 0.99) / percentile(idle, 0.99)
    report(FAIRNESS, "p99 of a sentence during 4 documents of 3,000 sentences, beam 32",
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
        report("measure", f"200 connections per CPU second compared with translate, {weights}",
               run["cpu_ratio"] >= least,
               f"ratio {run['cpu_ratio']}; {run['serve']['sentences_per_second']} sentences/s, p50 "
               f"{run['serve']['p50_ms']} ms, p99 {run['serve']['p99_ms']} ms")


def large_request_trial(server, lines):
    """Idle workers keep the memory of a few sentences, not that of their largest batch."""
    for _ in range(20):
        translate(server, document(lines, 1))
    idle = server.megabytes()
    translate(server, document(lines, 500, beam=8))
    time.sleep(1)
    after = server.megabytes()
    report("measure", "memory after a request of 500 sentences", after <= idle + 16,
           f"{idle:.0f} MB idle, {server.megabytes('VmHWM'):.0f} MB at most, {after:.0f} MB after it")


def memory_trials(server, lines, minutes):
    """Single sentences, documents and uploads that break off, from 20 clients."""
    begin = time.monotonic()
    end = begin + 60 * minutes
    seen = collections.Counter()

    def ask(turn):
        if turn % 20 == 0:
            server.connect(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n"
                           b"\r\n{").close()
            return "broken off"
        count, beam = (100, 8) if turn % 10 == 0 else (1, 5)
        return translate(server, document(lines[turn % len(lines):], count, beam=beam))[0]

    def load(turn):
        while time.monotonic() < end:
            turn += 1
            try:
                seen[ask(turn)] += 1
            except (OSError, http.client.HTTPException) as error:
                seen[repr(error)] += 1
                time.sleep(1)

    clients = [threading.Thread(target=load, args=(i,), daemon=True) for i in range(20)]
    for client in clients:
        client.start()
    samples = []
    for minute in range(1, minutes + 1):
        time.sleep(max(0, begin + 60 * minute - time.monotonic()))
        samples.append(server.megabytes())
    for client in clients:
        client.join()
    report("measure", f"memory after {minutes} minutes of mixed load and after one",
           samples[-1] <= 1.1 * samples[0] and seen.keys() <= {200, "broken off"},
           f"{samples[-1]:.0f} MB and {samples[0]:.0f} MB, ratio {samples[-1] / samples[0]:.3f}; "
           f"answers {dict(seen)}; each minute: " + " ".join(f"{sample:.0f}" for sample in samples))


def main():
    minutes = int(os.environ.get("DIETMT_TRIAL_MINUTES", 10))
    if minutes < 2:
        sys.exit("DIETMT_TRIAL_MINUTES must be at least 2: the first minute is the measure")
    build, work = build_and_work()
    dietmt = build / "bin/dietmt"
    model = os.environ.get("DIETMT_TRIAL_MODEL") or toy_model(dietmt, work)
    text = os.environ.get("DIETMT_TRIAL_TEXT") or work / "train.en"
    lines = [line for line in pathlib.Path(text).read_text().splitlines() if line]
    keys = work / "keys"
    keys.write_text("a" * 16 + ", many, 0\n" + "b" * 16 + ", few, 0\n")
    limits = ["--preload", "--max-texts", 3000, "--max-characters", 10**7, "--deadline", 600,
              "--queue-tokens", 10**7]

    def probes():
        port = free_port()
        with Server(dietmt, model, work, *limits, "--health-port", port) as server:
            if server.await_log("health at") is None:
                sys.exit(f"no --health-port: {server.log.read_text()}")
            probe_trials(server, port, lines)

    def fairness():
        with Server(dietmt, model, work, *limits, "--api-keys", keys) as server:
            fairness_trials(server, lines)

    def throughput():
        throughput_trials(dietmt, model, text)

    def memory():
        with Server(dietmt, model, work, *limits) as server:
            large_request_trial(server, lines)
            memory_trials(server, lines, minutes)

    parts = {part.__name__: part for part in (probes, fairness, throughput, memory)}
    only = os.environ.get("DIETMT_TRIAL_ONLY")
    if only and only not in parts:
        sys.exit(f"DIETMT_TRIAL_ONLY is {only}; possible: {', '.join(parts)}")
    for name, part in parts.items():
        if only in (None, "", name):
            part()


if __name__ == "__main__":
    main()
