#!/usr/bin/env python3
"""dietmt distill --teacher-url, with a local server that answers well, badly, slowly or not at all.

  teacher_command_test.py DIETMT
"""
import collections
import contextlib
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

DIETMT = pathlib.Path(sys.argv[1])
failures = []


def check(holds, message):
    if not holds:
        failures.append(message)
        print("FAIL:", message, file=sys.stderr)


class ChatServer(http.server.BaseHTTPRequestHandler):
    """Answers POST /KIND/chat/completions as KIND says: with the line in capitals, or otherwise."""
    protocol_version = "HTTP/1.1"
    requests = collections.Counter()  # by kind
    asked = collections.Counter()     # by line
    bodies = []
    keys = []
    times = []
    running = most_running = 0
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def do_POST(self):
        kind = self.path.split("/")[1]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        line = body["messages"][-1]["content"].split("\n")[-1]
        with ChatServer.lock:
            ChatServer.requests[kind] += 1
            ChatServer.asked[line] += 1
            ChatServer.bodies.append(body)
            ChatServer.keys.append(self.headers.get("Authorization"))
            ChatServer.times.append(time.monotonic())
            ChatServer.running += 1
            ChatServer.most_running = max(ChatServer.most_running, ChatServer.running)
        first = ChatServer.requests[kind] == 1
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            getattr(self, "answer_" + kind)(line, body, first)
        with ChatServer.lock:
            ChatServer.running -= 1

    def send(self, content, status=200, headers=(), length=None):
        content = content.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(length or len(content)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        if length:
            self.close_connection = True

    def choices(self, texts, finish="stop"):
        return json.dumps({"choices": [{"message": {"role": "assistant", "content": text},
                                        "finish_reason": finish} for text in texts],
                           "usage": {"prompt_tokens": 10, "completion_tokens": 2}})

    def answer_good(self, line, body, first):
        self.send(self.choices([line.upper()] * body.get("n", 1)))

    def answer_thoughtful(self, line, body, first):
        self.send(self.choices([f"<think>The line is\n{line}\n</think>\n\n{line.upper()}"]))

    def answer_slow(self, line, body, first):
        time.sleep(0.2)
        self.answer_good(line, body, first)

    def answer_asleep(self, line, body, first):
        time.sleep(3)

    def answer_limited(self, line, body, first):
        if first:
            return self.send('{"error": {"message": "too many requests"}}', 429, [("Retry-After", "2")])
        self.answer_good(line, body, first)

    def answer_busy(self, line, body, first):
        if first:
            return self.send("try later", 503)
        self.answer_good(line, body, first)

    def answer_broken(self, line, body, first):
        if first:
            return self.send('{"choices": [')
        self.answer_good(line, body, first)

    def answer_cut(self, line, body, first):
        if first:
            return self.send(self.choices(["x"]), length=1000)
        self.answer_good(line, body, first)

    def answer_html(self, line, body, first):
        self.send("<html>hello</html>")

    def answer_forbidden(self, line, body, first):
        self.send('{"error": {"message": "wrong key"}}', 401)

    def answer_moved(self, line, body, first):
        self.send("", 302, [("Location", "/good/chat/completions")])

    def answer_strange(self, line, body, first):
        """Bad answers to some lines, at the first time or always."""
        again = ChatServer.asked[line] > 1
        bad = {"empty": "", "several": "a\nb", "refused": "I am sorry, " * 20}
        if line == "long":
            return self.send(self.choices(["LONG"], finish="length"))
        if line == "large" and not again:
            return self.send('{"error": {"message": "the context is too small"}}', 400)
        if line in bad or (line == "sometimes" and not again):
            return self.send(self.choices([bad.get(line, "")]))
        self.answer_good(line, body, first)

    def answer_useless(self, line, body, first):
        self.send(self.choices([""]))

    def answer_varied(self, line, body, first):
        """Several candidates, the second most like the others."""
        self.send(self.choices(["the dog", "a dog runs", "a dog run", "one dog runs"][:body["n"]]))

    def answer_single(self, line, body, first):
        """One candidate, whatever n is."""
        self.send(self.choices([f"{line} {ChatServer.asked[line]}"]))


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


server = Server(("127.0.0.1", 0), ChatServer)
threading.Thread(target=server.serve_forever, daemon=True).start()
URL = f"http://127.0.0.1:{server.server_address[1]}"
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name.lower() not in ("http_proxy", "https_proxy", "all_proxy", "openai_api_key")}
work = pathlib.Path(tempfile.mkdtemp())


def command(kind, source, *options, url=None):
    words = [DIETMT, "distill", "--teacher-url", url or f"{URL}/{kind}", "--teacher-model", "m",
             "--source-language", "en", "--target-language", "de", "--source", source,
             "--output-source", work / "student.en", "--output-target", work / "student.de", *options]
    return [str(word) for word in words]


def reset():
    for name in ("student.en", "student.de", "student.de.answers.part"):
        (work / name).unlink(missing_ok=True)
    ChatServer.requests.clear()
    ChatServer.asked.clear()
    ChatServer.bodies.clear()
    ChatServer.keys.clear()
    ChatServer.times.clear()
    ChatServer.most_running = 0


def distill(kind, lines, *options, code=0, keep=False, env=None, **changes):
    """Runs the command; what it says, and the lines of the two files."""
    if not keep:
        reset()
    source = work / "train.en"
    if lines is not None:
        source.write_text("".join(line + "\n" for line in lines))
    done = subprocess.run(command(kind, source, *options, **changes), capture_output=True, text=True,
                          env={**ENVIRONMENT, **(env or {})}, timeout=120)
    check(done.returncode == code, f"{kind}: exit code {done.returncode}, not {code}: {done.stderr}")
    check(done.stdout == "", f"{kind}: writes to stdout")
    if code == 0:
        check(not list(work.glob("*.part*")), f"{kind}: leaves {list(work.glob('*.part*'))}")
    files = [(work / name).read_text().split("\n")[:-1] if (work / name).exists() else None
             for name in ("student.en", "student.de")]
    return done.stderr, *files


LINES = [f"line number {i}" for i in range(40)]
CAPITALS = [line.upper() for line in LINES]

# A good server: all lines in order, an empty one without a request, the key, counts and prices.
said, source, target = distill("good", ["one", "", "two"], "--teacher-prices", "1000", "10000",
                               env={"OPENAI_API_KEY": "secret"})
check(source == ["one", "", "two"] and target == ["ONE", "", "TWO"], f"good: {source} {target}")
check("tokens: 20 in, 4 out, cost 0.0600" in said, f"good: counts: {said}")
check(ChatServer.keys == ["Bearer secret"] * 2, f"good: keys {ChatServer.keys}")
check("secret" not in said, "the log has the key")
check("from English into German" in ChatServer.bodies[0]["messages"][1]["content"],
      f"good: prompt {ChatServer.bodies[0]}")
check(set(ChatServer.bodies[0]) == {"model", "messages"}, f"good: request {ChatServer.bodies[0]}")

# A reasoning model: only what follows its thoughts.
said, source, target = distill("thoughtful", ["one", "two"])
check(target == ["ONE", "TWO"], f"thoughtful: {target} {said}")

# Requests run at the same time, and the order of lines stays.
said, source, target = distill("slow", LINES, "--teacher-concurrency", "20", "--temperature", "0.5")
check(source == LINES and target == CAPITALS, "slow: lines are out of order")
check(10 < ChatServer.most_running <= 20, f"slow: {ChatServer.most_running} requests at once")
check(ChatServer.bodies[0]["temperature"] == 0.5, "slow: no temperature")
check(ChatServer.keys[0] is None, "slow: a key that nobody gave")

# Failures that pass.
for kind, reason in (("limited", "status 429: too many requests"), ("busy", "status 503: try later"),
                     ("broken", "not the answer of a chat endpoint"), ("cut", "trying again")):
    said, source, target = distill(kind, LINES[:3], "--teacher-concurrency", "1")
    check(target == CAPITALS[:3] and reason in said, f"{kind}: {target} {said}")
    check(ChatServer.requests[kind] == 4, f"{kind}: {ChatServer.requests[kind]} requests")
    if kind == "limited":
        check(ChatServer.times[1] - ChatServer.times[0] >= 2, "limited: Retry-After is ignored")

# Failures that stay: what there is is kept.
for kind, reason, options in (
        ("forbidden", "status 401: wrong key", ()), ("moved", "status 302", ()),
        ("html", "not the answer of a chat endpoint", ("--teacher-retries", "1")),
        ("asleep", "timed out", ("--teacher-retries", "0", "--teacher-timeout", "1"))):
    said, source, target = distill(kind, LINES[:3], *options, code=1)
    check(reason in said and "the same command goes on from here" in said, f"{kind}: {said}")
    check(source is None and target is None, f"{kind}: writes a file")
said, *_ = distill("gone", ["x"], "--teacher-retries", "1", code=1, url="http://127.0.0.1:9/v1")
check("127.0.0.1:9/v1/chat/completions" in said and "at attempt 2 of 2" in said, f"gone: {said}")

# Bad answers: asked about again, then left out and named.
said, source, target = distill("strange", ["good", "several", "empty", "sometimes", "refused", "long",
                                           "large", "end"], "--teacher-concurrency", "1")
check(source == ["good", "sometimes", "end"] and target == ["GOOD", "SOMETIMES", "END"],
      f"strange: {source} {target}")
for line, reason in ((2, "has several lines"), (3, "is empty"), (5, "has 239 characters, the line 7"),
                     (6, "is cut off"), (7, "status 400: the context is too small")):
    check(any(f"train.en:{line}: left out" in text and reason in text for text in said.split("\n")),
          f"strange: line {line} is not named: {said}")
check("5 lines were left out" in said, f"strange: no count: {said}")
check(ChatServer.asked["several"] == 3 and ChatServer.asked["sometimes"] == 2 and
      ChatServer.asked["large"] == 1, f"strange: {ChatServer.asked}")
said, *_ = distill("useless", [f"line {i}" for i in range(99)], "--bad-answer-retries", "0", code=1)
check("the last 50 lines have no good answer" in said, f"useless: {said}")
check(ChatServer.requests["useless"] < 70, f"useless: {ChatServer.requests['useless']} requests")

# Several candidates: the one most like the others, or closest to a reference.
_, _, target = distill("varied", ["x" * 9], "--nbest", "4", "--mbr", "chrf")
check(target == ["a dog runs"], f"mbr: {target}")
check(ChatServer.bodies[0]["n"] == 4, "mbr: no n")
(work / "reference").write_text("the dog\n")
_, _, target = distill("varied", ["x" * 9], "--nbest", "4", "--reference", work / "reference",
                       "--metric", "chrf")
check(target == ["the dog"], f"reference: {target}")
_, _, target = distill("single", ["x"], "--nbest", "3", "--mbr", "chrf", "--seed", "5")
check(ChatServer.requests["single"] == 3, f"single: {ChatServer.requests}")
check([body["seed"] for body in ChatServer.bodies] == [5, 6, 7],
      f"single: seeds {[body.get('seed') for body in ChatServer.bodies]}")

# Back-translation, and changed pairs.
_, source, target = distill("good", LINES, "--back-translate", "--augment", "lower:1")
check(source == [line.lower() for line in LINES] and target == LINES, f"back: {source} {target}")
_, source, target = distill("good", LINES, "--augment", "typos:0.5")
changed = sum(a != b for a, b in zip(source, LINES))
check(target == CAPITALS and 8 < changed < 32, f"augment: {changed} lines changed")

# A prompt of the user's own.
(work / "prompt").write_text("Be brief.\n---\nIn {target_language}:\n{text}\n")
distill("good", ["x"], "--teacher-prompt", work / "prompt")
check(ChatServer.bodies[0]["messages"] == [{"role": "system", "content": "Be brief."},
                                           {"role": "user", "content": "In German:\nx"}],
      f"prompt: {ChatServer.bodies[0]}")

# After a kill, only lines without an answer are asked about; other options are refused.
reset()
(work / "train.en").write_text("".join(line + "\n" for line in LINES))
running = subprocess.Popen(command("slow", work / "train.en", "--teacher-concurrency", "2"),
                           env=ENVIRONMENT, stderr=subprocess.DEVNULL)
journal = work / "student.de.answers.part"
until = time.monotonic() + 60
while (not journal.exists() or journal.read_bytes().count(b"\n") < 11) and time.monotonic() < until:
    time.sleep(0.05)
running.send_signal(signal.SIGKILL)
running.wait()
time.sleep(0.5)
kept = journal.read_bytes().count(b"\n") - 1
check(10 <= kept < 40, f"kill: {kept} answers")
with journal.open("ab") as file:
    file.write(b'{"line": 40, "te')
said, *_ = distill("good", None, "--temperature", "2", code=1, keep=True)
check("student.de.answers.part:1: holds answers to another command" in said, f"settings: {said}")
ChatServer.requests.clear()
said, source, target = distill("good", None, keep=True)
check(source == LINES and target == CAPITALS, "kill: other lines")
check(ChatServer.requests["good"] == 40 - kept, f"kill: {ChatServer.requests['good']} and {kept}")
check(f"{kept} lines have answers of an earlier run" in said and "tokens: 400 in, 80 out" in said,
      f"kill: {said}")

# What is wrong is said before any request.
for options, reason in (
        (("--beam", "3"), "--beam is for --model, not for --teacher-url"),
        (("--sample",), "--sample is for --model"),
        (("--mbr", "chrf"), "--reference and --mbr need --nbest of 2 or more"),
        (("--teacher-prices", "1"), "--teacher-prices needs two prices"),
        (("--teacher-key", "NO_SUCH_KEY"), "the environment variable NO_SUCH_KEY is not set"),
        (("--augment", "loud:1"), "--augment: 'loud:1' is not a change"),
        (("--output-target", "-"), "--output-target must be a regular file"),
        (("--source", "-"), "--source must be a regular file"),
        (("--teacher-url", "localhost"), "must begin with http:// or https://")):
    said, *_ = distill("good", ["x"], *options, code=2)
    check(reason in said and not ChatServer.requests, f"{options}: {said}")
(work / "prompt").write_text("Translate.")
said, *_ = distill("good", ["x"], "--teacher-prompt", work / "prompt", code=2)
check("prompt lacks {text}" in said, f"prompt: {said}")
done = subprocess.run([DIETMT, "distill", "--source", "x", "--output-source", "y", "--output-target",
                       "z", "--teacher-model", "m"], capture_output=True, text=True)
check("add --model or --teacher-url" in done.stderr and
      "--teacher-model needs --teacher-url" in done.stderr, f"no teacher: {done.stderr}")

server.shutdown()
sys.exit(f"{len(failures)} checks failed" if failures else 0)
