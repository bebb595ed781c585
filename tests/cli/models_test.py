#!/usr/bin/env python3
"""dietmt models: fetching by name, from a local server with good and bad answers.

  models_test.py DIETMT PACKED [MODEL]    PACKED: a model with packed weights
                                          MODEL: the trained one, to import a real export of it

Except with MODEL, a script stands for dietmt-torch: its `import` accepts files with the right
content and writes PACKED.
"""
import collections
import contextlib
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

DIETMT, PACKED = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
MODEL = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
CONTENT = bytes(i * i % 251 for i in range(300_000))
failures = []


def check(holds, message):
    if not holds:
        failures.append(message)
        print("FAIL:", message, file=sys.stderr)


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Publisher(http.server.BaseHTTPRequestHandler):
    """/KIND/NAME is CONTENT, or a file of `files`, sent as KIND says."""
    files = {}
    requests = collections.Counter()  # by path
    ranges = []
    versions = collections.Counter()

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.removeprefix("http://models.example")  # as a proxy is asked
        Publisher.requests[self.path] += 1
        kind = path.split("/")[1]
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            getattr(self, f"send_{kind}", self.send_good)(self.files.get(path.split("?")[0], CONTENT))

    def range_start(self, tag):
        wanted = self.headers.get("Range")
        if wanted is None:
            return 0
        Publisher.ranges.append((self.path, wanted, self.headers.get("If-Range")))
        if self.headers.get("If-Range") not in (None, tag):
            return 0
        return int(wanted.removeprefix("bytes=").rstrip("-"))

    def send_good(self, content, most=None, tag='"one"', ranges=True, pause=0.0):
        start = self.range_start(tag) if ranges else 0
        if start >= len(content):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        if tag:
            self.send_header("ETag", tag)
        self.end_headers()
        body = content[start:][:most]
        for at in range(0, len(body), 10_000):
            self.wfile.write(body[at:at + 10_000])
            time.sleep(pause)

    def send_slow(self, content):
        self.send_good(content, pause=0.1)

    def send_cut(self, content):
        self.send_good(content, most=120_000)

    def send_norange(self, content):  # cut once, then whole, and Range is ignored
        first = Publisher.requests[self.path] == 1
        self.send_good(content, most=120_000 if first else None, ranges=False)

    def send_changed(self, content):  # another version after the connection was cut
        if Publisher.requests[self.path] == 1:
            return self.send_good(bytes(len(content)), most=120_000, tag='"old"')
        self.send_good(content, tag='"new"')

    def send_notag(self, content):  # cut once; nothing says which version it is
        first = Publisher.requests[self.path] == 1
        self.send_good(content, most=120_000 if first else None, tag=None)

    def send_busy(self, content):
        if Publisher.requests[self.path] == 1:
            return self.send_error(503)
        self.send_good(content)

    def send_stalled(self, content):
        self.send_good(content, most=20_000)
        self.wfile.flush()
        time.sleep(20)

    def send_wrong(self, content):
        self.send_good(b"x" + content[1:])

    def send_longer(self, content):
        self.send_good(content + b"x")

    def send_endless(self, _):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(bytes(10_000))

    def send_missing(self, _):
        self.send_error(404)

    def send_redirect(self, _):
        self.redirect("/good/" + self.path.split("/")[-1])

    def send_loop(self, _):
        self.redirect(self.path)

    def send_elsewhere(self, _):
        self.redirect("file:///etc/hostname")

    def redirect(self, where):
        self.send_response(302)
        self.send_header("Location", where)
        self.send_header("Content-Length", "0")
        self.end_headers()


def entry(model, kind, **changes):
    """A model of one file, which is sent in this way."""
    file = {"name": "model.bin", "url": f"{URL}/{kind}/{model.split(':')[1]}", "size": len(CONTENT),
            "sha256": sha256(CONTENT)}
    file.update(changes)
    return {"name": model, "pair": "en-de", "kind": "test", "licence": "MIT",
            "files": [{key: value for key, value in file.items() if value is not None}]}


class Machine:
    """A user with programs, a cache and a registry."""

    def __init__(self, work, models=()):
        self.work = pathlib.Path(work)
        self.bin = self.work / "bin"
        self.bin.mkdir()
        for program in ("dietmt", "dietmt-models", "dietmt-serve"):
            if (DIETMT.parent / program).exists():
                shutil.copy(DIETMT.parent / program, self.bin)
        self.cache = self.work / "cache"
        self.registry = self.work / "models.json"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.work),
                            "DIETMT_CACHE": str(self.cache), "HF_ENDPOINT": URL,
                            "DIETMT_MODELS_REGISTRY": str(self.registry)}
        self.publish(*models)
        self.importer(f'''
            cmp "$from/model.bin" {self.content_file} || exit 1
            cp -r {PACKED} "$output"''')

    @property
    def content_file(self):
        file = self.work / "content"
        file.write_bytes(CONTENT)
        return file

    def publish(self, *models):
        self.registry.write_text(json.dumps({"format": 1, "models": list(models)}))

    def importer(self, script):
        """dietmt-torch, which logs how it is called."""
        file = self.bin / "dietmt-torch"
        file.write_text(f'''#!/bin/sh
            echo "$@" >>{self.work}/steps
            [ "$2" = --from ] || [ "$2" = --model ] || exit 2
            from=$3 output=$5
            {script}
            ''')
        file.chmod(0o755)

    def steps(self):
        file = self.work / "steps"
        return [line.split()[0] for line in file.read_text().splitlines()] if file.exists() else []

    def run(self, *words, code=0, input="", environment=None, limit=None):
        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        done = subprocess.run([self.bin / "dietmt", *words], input=input, text=True,
                              capture_output=True, preexec_fn=prepare, timeout=120,
                              env=self.environment | (environment or {}))
        check(done.returncode == code,
              f"exit code {done.returncode} instead of {code}: {' '.join(words)}: {done.stderr}")
        return done

    def start(self, *words):
        return subprocess.Popen([self.bin / "dietmt", *words], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment)

    def model(self, name):
        return self.cache / "models" / name.replace("/", "+").replace(":", "/")

    def files(self, name):
        return self.cache / "downloads" / name.replace("/", "+").replace(":", "/") / "files"

    def nothing_whole(self, name):
        """What a failure may leave."""
        whole = [file for file in self.files(name).glob("*") if not file.name.endswith(".part")]
        check(not whole, f"{name}: {whole} looks whole")
        check(not self.model(name).exists(), f"{name}: there is a model")


@contextlib.contextmanager
def machine(*models):
    Publisher.requests.clear()
    Publisher.ranges.clear()
    with tempfile.TemporaryDirectory() as work:
        yield Machine(work, models)


def fetch_once():
    with machine(entry("test:en-de", "good")) as user:
        done = user.run("models", "fetch", "test:en-de")
        for text in ("licence: MIT", "300000 bytes", sha256(CONTENT), "0.3 MB"):
            check(text in done.stderr, f"'{text}' is not shown: {done.stderr}")
        check(done.stdout == f"test:en-de\t{user.model('test:en-de')}\n", done.stdout)
        check(user.steps() == ["import"], f"steps: {user.steps()}")
        by_name = user.run("translate", "--model", "test:en-de", "--beam", "1", input="red dog\n")
        by_path = user.run("translate", "--model", str(user.model("test:en-de")), "--beam", "1",
                           input="red dog\n")
        check(by_name.stdout == by_path.stdout and by_name.stdout.strip(), "translations differ")
        check("test:en-de" in user.run("models", "list", "--fetched").stdout, "list --fetched")
        check("\tfetched\t" in user.run("models", "list", "--pair", "en-de").stdout, "list --pair")
        for pair in ("en-fr", "de", "deen"):
            error = user.run("models", "list", "--pair", pair, code=1).stderr
            check(f"no model for '{pair}'; a pair is like en-de" in error, error)
        requests = Publisher.requests.total()
        user.run("models", "fetch", "test:en-de", "--offline")
        user.run("models", "fetch", "test:en-de")
        check(Publisher.requests.total() == requests, "a fetched model was fetched again")
        check(user.steps() == ["import"], "a fetched model was imported again")
        user.run("models", "remove", "test:en-de")
        user.nothing_whole("test:en-de")
        check("no such model was fetched" in user.run("models", "list", "--fetched").stderr,
              "an empty list without a remark")
        error = user.run("models", "remove", "test:en-de", code=1).stderr
        check("nothing of it is in the cache" in error, error)
        error = user.run("translate", "--model", "test:en-de", code=1).stderr
        check("run 'dietmt models fetch test:en-de'" in error, error)
        error = user.run("models", "fetch", "test:en-de", "--offline", code=1).stderr
        check("--offline" in error, error)


def quantize_full_weights():
    with machine(entry("test:en-de", "good")) as user:
        config = json.loads((PACKED / "config.json").read_text())
        del config["quantization"]
        full = user.work / "full"
        shutil.copytree(PACKED, full)
        (full / "manifest.json").unlink()
        (full / "config.json").write_text(json.dumps(config))
        user.importer(f'''
            if [ "$1" = import ]; then cp -r {full} "$output"; else cp -r {PACKED} "$output"; fi''')
        user.run("models", "fetch", "test:en-de")
        check(user.steps() == ["import", "quantize"], f"steps: {user.steps()}")
        check((user.model("test:en-de") / "model.safetensors").exists(), "no model")
        check(not (user.files("test:en-de").parent / "imported").exists(), "the full weights stay")


def compressed():
    packed = gzip.compress(CONTENT)
    Publisher.files = {"/good/de": packed, "/good/fr": packed[:-100], "/good/it": CONTENT,
                       "/good/es": gzip.compress(bytes(100_000_000))}
    facts = {lang: {"size": len(content), "sha256": sha256(content), "compressed": True}
             for lang, content in ((path[-2:], file) for path, file in Publisher.files.items())}
    with machine(*(entry(f"test:{lang}", "good", **fact) for lang, fact in facts.items())) as user:
        user.run("models", "fetch", "test:de")
        check((user.files("test:de") / "model.bin").read_bytes() == CONTENT, "unpacked content")
        check(len(list(user.files("test:de").iterdir())) == 1, "the packed file stays")
        for lang, text in (("fr", "cut short"), ("it", "not compressed"), ("es", "unpacks to over")):
            error = user.run("models", "fetch", f"test:{lang}", code=1).stderr
            check(text in error and "model.bin" in error, error)
            check(not (user.files(f"test:{lang}") / "model.bin").exists(), f"{lang} was unpacked")
    Publisher.files = {}


def resume():
    kinds = ("cut", "norange", "changed", "notag", "busy", "redirect")
    with machine(*(entry(f"test:{kind}", kind) for kind in kinds),
                 entry("free:changed", "changed", sha256=None, size=None),
                 entry("free:notag", "notag", sha256=None, size=None)) as user:
        for name in [f"test:{kind}" for kind in kinds] + ["free:changed", "free:notag"]:
            Publisher.requests.clear()
            Publisher.ranges.clear()
            user.run("models", "fetch", name)
            check((user.files(name) / "model.bin").read_bytes() == CONTENT, f"{name}: content")
            check(not list(user.files(name).glob("*.part")), f"{name}: a part stays")
            if name == "test:cut":
                check([wanted for _, wanted, _ in Publisher.ranges] ==
                      ["bytes=120000-", "bytes=240000-"], f"{name}: {Publisher.ranges}")
                check(all(tag == '"one"' for _, _, tag in Publisher.ranges), f"{Publisher.ranges}")
            if name == "free:notag":
                check(not Publisher.ranges, "two versions could be joined")


def killed_before_the_last_step():
    """All bytes are there, but without a size nobody knows that: the server answers 416."""
    for model in (entry("test:en-de", "good"), entry("test:en-de", "good", sha256=None, size=None)):
        with machine(model) as user:
            user.files("test:en-de").mkdir(parents=True)
            (user.files("test:en-de") / "model.bin.part").write_bytes(CONTENT)
            (user.files("test:en-de").parent / "fetched.json").write_text(json.dumps(
                {"name": "test:en-de", "complete": False, "files": {"model.bin": {
                    "url": f"{URL}/good/en-de", "validator": '"one"'}}}))
            user.run("models", "fetch", "test:en-de")
            check((user.files("test:en-de") / "model.bin").read_bytes() == CONTENT, "content")
            expected = 0 if "size" in model["files"][0] else 2
            check(Publisher.requests["/good/en-de"] == expected, f"{Publisher.requests}")


def refusals():
    cases = {
        "wrong": "its SHA-256 is",
        "longer": "has 300001 bytes instead of 300000",
        "endless": "sends more than 300000 bytes",
        "missing": "404",
        "loop": "redirects",
        "elsewhere": "file",
        "stalled": "too slow",
    }
    with machine(*(entry(f"test:{kind}", kind) for kind in cases)) as user:
        for kind, text in cases.items():
            started = time.monotonic()
            error = user.run("models", "fetch", f"test:{kind}", "--retries", "0", "--stall", "1",
                             code=1).stderr
            check(text in error and f"/{kind}/" in error, f"{kind}: {error}")
            check(time.monotonic() - started < 20, f"{kind} took too long")
            user.nothing_whole(f"test:{kind}")
        check(not list(user.files("test:wrong").iterdir()), "wrong bytes stay")
        nowhere = entry("test:nowhere", "good", url="http://127.0.0.1:1/x")
        user.publish(nowhere)
        error = user.run("models", "fetch", "test:nowhere", "--retries", "0", code=1).stderr
        check("http://127.0.0.1:1/x: " in error, error)


def first_checksum():
    with machine(entry("test:en-de", "good", sha256=None, size=None)) as user:
        done = user.run("models", "fetch", "test:en-de")
        check("not published" in done.stderr and f"SHA-256 {sha256(CONTENT)}, now recorded"
              in done.stderr, done.stderr)
        user.run("models", "remove", "test:en-de")
        Publisher.files = {"/good/en-de": CONTENT + b"x"}
        error = user.run("models", "fetch", "test:en-de", code=1).stderr
        check(f"{sha256(CONTENT)} (of the first download)" in error and
              "differs from that of the first download" in error, error)
        user.nothing_whole("test:en-de")
        Publisher.files = {}
        user.run("models", "fetch", "test:en-de")


def interrupt():
    with machine(entry("test:en-de", "slow")) as user:
        process = user.start("models", "fetch", "test:en-de")
        part = user.files("test:en-de") / "model.bin.part"
        deadline = time.monotonic() + 30
        while not part.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
        check(process.returncode == -signal.SIGINT and "the same command continues" in error,
              f"interrupted: {process.returncode}: {error}")
        user.nothing_whole("test:en-de")
        left = part.stat().st_size
        check(0 < left < len(CONTENT), f"{left} bytes are left")
        user.run("models", "fetch", "test:en-de")
        check([wanted for _, wanted, _ in Publisher.ranges] == [f"bytes={left}-"],
              f"resumed: {Publisher.ranges}")
        check((user.files("test:en-de") / "model.bin").read_bytes() == CONTENT, "content")


def two_at_once():
    with machine(entry("test:en-de", "slow")) as user:
        both = [user.start("models", "fetch", "test:en-de") for _ in range(2)]
        errors = [process.communicate(timeout=60)[1] for process in both]
        check([process.returncode for process in both] == [0, 0], f"two at once: {errors}")
        check(Publisher.requests["/slow/en-de"] == 1, f"{Publisher.requests}")
        check(user.steps() == ["import"], f"{user.steps()}")
        check(any("waiting for it" in error for error in errors), f"{errors}")


def full_disk():
    with machine(entry("test:en-de", "good")) as user:
        error = user.run("models", "fetch", "test:en-de", code=1, limit=100_000).stderr
        check("model.bin" in error and "cannot be written" in error, error)
        user.nothing_whole("test:en-de")
        user.run("models", "fetch", "test:en-de")


def proxy():
    model = entry("test:en-de", "good", url="http://models.example/good/en-de")
    with machine(model) as user:
        user.run("models", "fetch", "test:en-de", environment={"http_proxy": URL})
        check(Publisher.requests["http://models.example/good/en-de"] == 1, f"{Publisher.requests}")


def registries():
    with machine() as user:
        bad = {
            "../x": "is not the name of a file", "/etc/x": "is not the name of a file",
            "..": "is not the name of a file", ".x": "is not the name of a file",
        }
        for name, text in bad.items():
            user.publish(entry("test:en-de", "good", name=name))
            error = user.run("models", "fetch", "test:en-de", code=1).stderr
            check(text in error and str(user.registry) in error, error)
        for changes, text in (({"url": "file:///etc/passwd"}, "https://"), ({"size": -5}, "size"),
                              ({"sha256": "ABC"}, "64 hexadecimal digits")):
            user.publish(entry("test:en-de", "good", **changes))
            error = user.run("models", "fetch", "test:en-de", code=1).stderr
            check(text in error and "test:en-de" in error, error)
        user.publish(entry("test:../../x", "good"))
        check("not a name" in user.run("models", "list", code=1).stderr, "a name with ..")
        user.publish(entry("test:en-de", "good"), entry("test:en-de", "good"))
        check("two models" in user.run("models", "list", code=1).stderr, "a name twice")
        user.registry.write_text("{")
        check(str(user.registry) in user.run("models", "list", code=1).stderr, "no JSON")
        user.publish(entry("test:en-de", "good"))
        error = user.run("models", "fetch", "test:en-ed", code=2).stderr
        check("did you mean test:en-de?" in error, error)
        for name in ("en-de", "../x", "test:../x", "test:", "test:.x", "a:b/c/d"):
            error = user.run("models", "fetch", name, code=2).stderr
            check("is not the name of a model" in error, error)
        Publisher.files = {"/good/models.json": user.registry.read_bytes()}
        user.run("models", "fetch", "test:en-de", "--registry", f"{URL}/good/models.json")
        Publisher.files = {}


def without_libtorch():
    with machine(entry("test:en-de", "good")) as user:
        importer = user.bin / "dietmt-torch"
        importer.rename(user.work / "later")
        error = user.run("models", "fetch", "test:en-de", code=1).stderr
        check("install dietmt-train" in error and str(user.files("test:en-de")) in error, error)
        check("\tdownloaded\t" in user.run("models", "list").stdout, "state")
        (user.work / "later").rename(importer)
        Publisher.requests.clear()
        user.run("models", "fetch", "test:en-de", "--offline")
        check(not Publisher.requests, "downloaded again")
        user.importer("exit 3")
        user.run("models", "remove", "test:en-de")
        error = user.run("models", "fetch", "test:en-de", code=1).stderr
        check("failed with exit code 3" in error and str(user.files("test:en-de")) in error, error)


def hub_listing(files, licence="apache-2.0"):
    """As the hub describes a repository: large files with their SHA-256."""
    siblings = [{"rfilename": name, "size": len(content), "blobId": "0" * 40,
                 **({"lfs": {"sha256": sha256(content), "size": len(content), "pointerSize": 130}}
                    if name.endswith((".bin", ".safetensors", ".h5")) else {})}
                for name, content in files.items()]
    return json.dumps({"id": "owner/name", "sha": "a" * 40, "cardData": {"license": licence},
                       "siblings": siblings}).encode()


def publish_on_hub(name, files, licence="apache-2.0"):
    Publisher.files = {f"/api/models/{name}": hub_listing(files, licence)}
    for file, content in files.items():
        Publisher.files[f"/{name}/resolve/{'a' * 40}/{file}"] = content


def hub():
    files = {"config.json": b"{}", "model.bin": CONTENT, "source.spm": b"spm", "README.md": b"x",
             "tf_model.h5": b"x", "onnx/model.bin": b"x", "../x.json": b"x", ".gitattributes": b"x"}
    model = {"name": "opus:en-de", "pair": "en-de", "kind": "OPUS-MT", "hub": "owner/name-en-de"}
    with machine(model) as user:
        publish_on_hub("owner/name-en-de", files, "cc-by-nc-4.0")
        for name in ("hf:owner/name-en-de", "opus:en-de"):
            done = user.run("models", "fetch", name)
            check("cc-by-nc-4.0 (not for commercial use)" in done.stderr, done.stderr)
            check(sha256(CONTENT) in done.stderr, done.stderr)
            check(sorted(file.name for file in user.files(name).iterdir()) ==
                  ["config.json", "model.bin", "source.spm"], f"{list(user.files(name).iterdir())}")
        check(user.model("hf:owner/name-en-de") == user.cache / "models/hf/owner+name-en-de" and
              user.model("hf:owner/name-en-de").exists(), "place in the cache")
        check("hf:owner/name-en-de\t" in user.run("models", "list").stdout, "list")
        publish_on_hub("owner/none", {"README.md": b"x"})
        error = user.run("models", "fetch", "hf:owner/none", code=1).stderr
        check("has no weights that 'dietmt import' reads" in error, error)
        Publisher.files = {"/api/models/owner/bad": b'{"sha": "../../x", "siblings": []}'}
        error = user.run("models", "fetch", "hf:owner/bad", code=1).stderr
        check("owner/bad" in error and "not a revision" in error, error)
        Publisher.files = {}


@contextlib.contextmanager
def server(user, *words):
    process = user.start("serve", "--port", "0", *words)
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "listening at " in line:
            break
    try:
        yield "".join(lines)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def serve():
    with machine(entry("test:en-de", "good"), entry("other:en-de", "good")) as user:
        if not (user.bin / "dietmt-serve").exists():
            return
        error = user.run("serve", "--model", "en-de=test:en-de", "--offline", code=2).stderr
        check("run 'dietmt models fetch test:en-de'" in error, error)
        with server(user, "--model", "en-fr=test:en-de", "other:en-de", "--preload") as log:
            check("listening at" in log, log)
            check(user.model("test:en-de").exists() and user.model("other:en-de").exists(), log)
        user.run("models", "remove", "test:en-de")
        with server(user, "--model", "en-fr=test:en-de,tag=<2fr>") as log:
            check("listening at" in log and user.model("test:en-de").exists(), log)
        with server(user, "--model", "test:en-de", "--offline") as log:
            check("listening at" in log, log)
        error = user.run("serve", "--model", "test:none", code=1).stderr
        check("is not in the registry" in error and "'dietmt models fetch test:none' failed" in error, error)


def write_package(folder, source, target, version, content=CONTENT, **metadata):
    (folder / "model").mkdir(parents=True)
    (folder / "model/model.bin").write_bytes(content)
    (folder / "metadata.json").write_text(json.dumps(
        {"from_code": source, "to_code": target, "package_version": version, **metadata}))


def argos():
    with machine() as user:
        user.importer(f'''
            case $from in
              *.argosmodel) ;;
              *) cmp "$from/model/model.bin" {user.content_file} || exit 1 ;;
            esac
            cp -r {PACKED} "$output"''')
        data = user.work / "argos-translate"
        packages = data / "packages"
        write_package(packages / "translate-en_de-1_9", "en", "de", "1.9")
        write_package(packages / "translate-en_de-1_10", "en", "de", "1.10", package="newer")
        write_package(packages / "en_pb", "en", "pb", "1.0", package="pb")
        write_package(packages / "bad", "en", "it", "1.0", content=b"BPE")
        write_package(packages / "splitter", "en", "en", "1.0", type="sbd")
        (packages / "torn.argosmodel").write_bytes(b"PK")
        archived = user.work / "translate-fr_en"
        write_package(archived / "fr_en", "fr", "en", "1.0")
        shutil.make_archive(packages / "translate-fr_en", "zip", archived)
        (packages / "translate-fr_en.zip").rename(packages / "translate-fr_en.argosmodel")
        done = user.run("models", "argos", str(data))
        found = dict(line.split("\t") for line in done.stdout.splitlines())
        check(sorted(found) == ["en-de", "en-pt_BR", "fr-en"], f"{found}")
        check(all(pathlib.Path(model, "model.safetensors").exists() for model in found.values()),
              f"{found}")
        for text in ("1_9 is left out", "bad", "of type 'sbd'", "torn.argosmodel: is not"):
            check(text in done.stderr, f"'{text}' is not in {done.stderr}")
        check("1_10" in (user.work / "steps").read_text(), "not the newest")
        check(user.steps() == ["import"] * 4, f"{user.steps()}")
        (packages / "en_pb").rename(packages / "moved")
        again = user.run("models", "argos", str(packages))
        check(again.stdout == done.stdout, f"{again.stdout} instead of {done.stdout}")
        check(user.steps() == ["import"] * 5, "a package was imported again, not only the bad one")
        (packages / "moved/model/model.bin").write_bytes(CONTENT[:-1])
        check("en-pt_BR" not in user.run("models", "argos", str(data)).stdout, "content changed")
        error = user.run("models", "argos", str(user.work / "bin"), code=1).stderr
        check("has no packages of Argos Translate" in error, error)
        if not (user.bin / "dietmt-serve").exists():
            return
        with server(user, "--argos", str(data), "--preload", "--offline") as log:
            check("en-de: loaded" in log and "fr-en: loaded" in log, log)
        with server(user, "--argos", str(data), "--model", f"en-de={PACKED}", "--preload") as log:
            check(log.count("en-de: loaded") == 1, log)
        error = user.run("serve", "--argos", str(user.work / "bin"), code=1).stderr
        check("has no packages of Argos Translate" in error, error)
        check("--argos" in user.run("serve", "--port", "0", code=2).stderr, "no model")


def caches():
    with machine(entry("test:en-de", "good")) as user:
        del user.environment["DIETMT_CACHE"]
        for changes, cache in (({"XDG_CACHE_HOME": f"{user.work}/xdg"}, user.work / "xdg/dietmt"),
                               ({"XDG_CACHE_HOME": "relative"}, user.work / ".cache/dietmt")):
            user.run("models", "fetch", "test:en-de", environment=changes)
            check((cache / "models/test/en-de").exists(), f"{changes}: not in {cache}")
        del user.environment["HOME"]
        check("set DIETMT_CACHE" in user.run("models", "fetch", "test:en-de", code=2).stderr, "HOME")


def shipped_registry():
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([DIETMT, "models", "list"], text=True, capture_output=True,
                              env=os.environ | {"DIETMT_CACHE": cache})
    check(done.returncode == 0, done.stderr)
    kinds = {line.split("\t")[0].split(":")[0] for line in done.stdout.splitlines()[1:]}
    check(kinds == {"firefox", "opus", "argos"}, f"{kinds}")
    check(done.stdout.count("\n") > 200, "few models")


def real_import():
    """The trained model, exported for CTranslate2 and fetched from a hub, translates the same."""
    with machine() as user:
        (user.bin / "dietmt-torch").unlink()
        (user.bin / "dietmt-torch").symlink_to(DIETMT.parent / "dietmt-torch")
        user.run("export", "--model", str(MODEL), "--to", "ctranslate2", "--output",
                 str(user.work / "exported"))
        publish_on_hub("owner/en-de", {file.name: file.read_bytes()
                                       for file in (user.work / "exported").iterdir()})
        user.run("models", "fetch", "hf:owner/en-de")
        lines = "the red dog\nthe small cat\n"
        ours = user.run("translate", "--model", str(MODEL), "--weights", "int8", input=lines)
        theirs = user.run("translate", "--model", "hf:owner/en-de", input=lines)
        check(theirs.stdout == ours.stdout, f"{theirs.stdout} instead of {ours.stdout}")
        package = user.work / "packages/translate-en_de-1_0"
        write_package(package, "en", "de", "1.0")
        shutil.rmtree(package / "model")
        (user.work / "exported").rename(package / "model")
        shutil.copy(package / "model/source.spm", package / "sentencepiece.model")
        pair, model = user.run("models", "argos", str(user.work)).stdout.split()
        theirs = user.run("translate", "--model", model, input=lines)
        check(pair == "en-de" and theirs.stdout == ours.stdout,
              f"{pair}: {theirs.stdout} instead of {ours.stdout}")


publisher = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Publisher)
publisher.daemon_threads = True
threading.Thread(target=publisher.serve_forever, daemon=True).start()
URL = f"http://127.0.0.1:{publisher.server_port}"
for test in (fetch_once, quantize_full_weights, compressed, resume,
             killed_before_the_last_step, refusals, first_checksum,
             interrupt, two_at_once, full_disk, proxy, registries, without_libtorch, hub, serve,
             argos, caches, shipped_registry, *([real_import] if MODEL else [])):
    print(test.__name__, flush=True)
    test()
sys.exit(1 if failures else 0)
