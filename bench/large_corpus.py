#!/usr/bin/env python3
"""Cost of a large corpus outside the updates: its cache, the plan of an epoch, resuming.

    DIETMT=build/bin/dietmt bench/large_corpus.py EN.gz DE.gz VALID.en VALID.de FOLDER --lines 50000000

Repeats the pair of gzip files to --lines lines in FOLDER, encodes them, trains 20 updates, stops
with SIGTERM and resumes twice: with the cache file in memory and without. Prints a JSON object.
A phase ends with a line of the log, so its times are good to a tenth of a second; the time during
which somebody has stopped the process (SIGSTOP) does not count. Its memory is VmHWM (with mapped
pages of the cache) and the peak of RssAnon (without them), of all threads.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recipes"))
from runs import place  # noqa: E402

DIETMT = os.environ.get("DIETMT", "build/bin/dietmt")
TICKS = os.sysconf("SC_CLK_TCK")
POLL = 0.05  # seconds


def repeat(source, target, lines):
    """Whole copies of a gzip file, end to end, are a gzip file. Returns the number of lines."""
    data = pathlib.Path(source).read_bytes()
    once = gzip.decompress(data).count(b"\n")
    copies = -(-lines // once)
    with open(target, "wb") as file:
        for _ in range(copies):
            file.write(data)
    return once * copies


class Process:
    """A running command, its log, and the cost of each part."""

    def __init__(self, command, log):
        self.log = pathlib.Path(log)
        self.log.write_text("")
        self.start, self.cpu_start, self.anonymous = time.monotonic(), 0.0, 0
        self.process = subprocess.Popen(
            command + ["--log-file", str(log)], stderr=subprocess.DEVNULL
        )
        self.folder = pathlib.Path(f"/proc/{self.process.pid}")

    def status(self):
        lines = (self.folder / "status").read_text()
        megabytes = lambda name: int(re.search(rf"{name}:\s+(\d+)", lines)[1]) / 1000
        return megabytes("VmHWM"), megabytes("RssAnon"), "\nState:\tT" in lines

    def cpu(self):
        fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def until(self, text):
        """Waits for a line with `text`; the phase since the last call as a dictionary."""
        stopped = 0.0
        while True:
            peak, anonymous, is_stopped = self.status()
            self.anonymous = max(self.anonymous, anonymous)
            if text in self.log.read_text():
                break
            if self.process.poll() is not None:
                raise SystemExit(f"the training ended early, see {self.log}")
            before = time.monotonic()
            time.sleep(POLL)
            stopped += (time.monotonic() - before) * is_stopped
        now, cpu = time.monotonic(), self.cpu()
        phase = {
            "seconds": round(now - self.start - stopped, 2),
            "cpu_seconds": round(cpu - self.cpu_start, 2),
            "peak_mb": round(peak),
            "peak_anonymous_mb": round(self.anonymous),
        }
        self.start, self.cpu_start, self.anonymous = now, cpu, 0
        (self.folder / "clear_refs").write_text("5")  # VmHWM starts again from here
        return phase

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait()
        if code != 75:
            raise SystemExit(f"exit code {code} instead of 75, see {self.log}")


def without_cached_pages(path):
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name in ("source", "target", "valid_source", "valid_target", "folder"):
        parser.add_argument(name)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quiet-machine", action="store_true", help="for the record")
    return parser.parse_args()


def main():
    options = arguments()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    texts = [folder / "train.source.gz", folder / "train.target.gz"]
    lines = [repeat(*pair, options.lines) for pair in zip((options.source, options.target), texts)]
    tokenizer = folder / "tokenizer.model"
    make = [DIETMT, "tokenizer", "--input", options.source, options.target, "--output", tokenizer]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    output = folder / "model"
    shutil.rmtree(output, ignore_errors=True)
    train = [
        *(DIETMT, "train", "--train-source", str(texts[0]), "--train-target", str(texts[1])),
        *("--valid-source", options.valid_source, "--valid-target", options.valid_target),
        *("--tokenizer", str(tokenizer), "--output", str(output), "--no-valid-translation"),
        *("--valid-interval", "1000000", "--log-interval", "1", "--max-updates", "1000000"),
        *("--preset", "tiny", "--batch-tokens", "4096", "--threads", str(options.threads)),
    ]
    log = folder / "log"

    first = Process(train, log)
    result = {"start": first.until("info: encoding " + str(texts[0]))}
    result["cache"] = first.until("info: training text: kept")
    result["plan_and_first_update"] = first.until("info: update 1/")
    result["19_updates"] = first.until("info: update 20/")
    first.stop()
    caches = sorted((output / "data").glob("*.cache"), key=lambda path: path.stat().st_size)
    for name, cold in (("resumed", False), ("resumed_from_disk", True)):
        if cold:
            without_cached_pages(caches[-1])
        again = Process(train, log)
        result[name] = again.until("info: training text: kept")
        result[name + "_first_update"] = again.until("info: update ")
        result[name + "_more_updates"] = again.until(f"info: update {30 if not cold else 40}/")
        again.stop()
    record = {
        "lines": lines[0],
        "threads": options.threads,
        "text_gzip_bytes": sum(path.stat().st_size for path in texts),
        "cache_bytes": caches[-1].stat().st_size,
        **result,
        "quiet_machine": options.quiet_machine,
        **place(),
    }
    print(json.dumps(record))


if __name__ == "__main__":
    main()
