#!/usr/bin/env python3
"""Operating a server: logs, signals, keys, metrics, methods; and its page."""
import json
import os
import re
import signal
import time

from server import Server
from trials import build_and_work, execute, report, toy_model

POINT = 12


def logs(server, access):
    _, headers, _ = server.ask("POST", "/translate", "q=dog&source=en&target=de&api_key=the-first-api-key",
                           X_Request_ID="trial-1", Content_Type="application/x-www-form-urlencoded")
    report(POINT, "X-Request-ID comes back", headers["X-Request-ID"] == "trial-1",
           headers["X-Request-ID"])
    time.sleep(0.2)
    lines = [json.loads(line) for line in access.read_text().splitlines()]
    line = next((one for one in lines if one["request"] == "trial-1"), {})
    report(POINT, "access log names request, key and status",
           line.get("user") == "reader" and line.get("status") == 200, line)
    server.ask("GET", "/v1/models?api_key=the-first-api-key")
    report(POINT, "no key in the access log", "the-first-api-key" not in access.read_text(), access.read_text()[-200:])
    broken = [text for text in server.log.read_text().splitlines() if not text.startswith("{")]
    report(POINT, "every line of the log is JSON", not broken, broken[:1])
    status, headers, _ = server.ask("TRACE", "/translate")
    report(POINT, "TRACE", status == 405 and headers["Allow"] == "POST",
           f"{status} Allow: {headers['Allow']}")


def signals(server, keys):
    report(POINT, "warning for a key file that everybody reads",
           server.await_log("every user of this machine", 1), "")
    server.process.send_signal(signal.SIGUSR1)
    report(POINT, "SIGUSR1 logs more", server.await_log("log level: debug"), "")
    keys.write_text("the-second-api-key, writer, 0\n")
    server.process.send_signal(signal.SIGHUP)
    end = time.monotonic() + 20
    while (status := server.ask("GET", "/v1/models", X_API_Key="the-second-api-key")[0]) != 200 and time.monotonic() < end:
        time.sleep(0.1)
    report(POINT, "keys are read again on SIGHUP", status == 200, status)
    status = server.ask("GET", "/v1/models", X_API_Key="the-first-api-key")[0]
    report(POINT, "a removed key is refused", status == 403, status)


def metrics(server):
    text = server.ask("GET", "/metrics")[2].decode()
    for name in ("process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
                 "process_start_time_seconds", "dietmt_build_info", "dietmt_queue_tokens", "dietmt_jobs",
                 "dietmt_job_lines_waiting"):
        line = re.search(rf"^{name}\b.*$", text, re.M)
        report(POINT, name, line, line[0] if line else "missing")
    jobs = json.loads(server.ask("GET", "/openapi.json")[2])["paths"]["/v1/jobs"]["post"]["responses"]
    report(POINT, "OpenAPI: 401, 403, 429 of jobs", {"401", "403", "429"} <= set(jobs), " ".join(jobs))


def page(server):
    for path, word in (("/", 'id="history"'), ("/page/help.html", "Detect language"),
                       ("/page/elements.js", "execCommand('copy')")):
        status, _, text = server.ask("GET", path)
        report(13, f"{path} has {word}", status == 200 and word in text.decode(), status)


def main():
    build, work = build_and_work()
    dietmt = build / "bin/dietmt"
    model = toy_model(dietmt, work, updates=4) / "best"
    keys, access = work / "keys", work / "access"
    keys.write_text("the-first-api-key, reader, 0\n")
    os.chmod(keys, 0o644)
    server = Server(dietmt, model, work, "--api-keys", keys, "--access-log", access, "--log-format", "json",
                    "--data", work / "jobs")
    with server:
        logs(server, access)
        signals(server, keys)
        metrics(server)
        page(server)
        code = server.stop()
    report(POINT, "SIGTERM", code == 0, f"exit {code}")
    seen = execute([dietmt, "serve", "--model", f"en-de={model}", "--log-format", "xml"])
    report(POINT, "--log-format xml", seen.code == 2 and "--log-format" in seen.err, seen)


if __name__ == "__main__":
    main()
