"""Shared by trials in Python."""
import collections
import os
import pathlib
import subprocess
import sys
import threading
import time

Seen = collections.namedtuple("Seen", "code out err seconds cpu_seconds megabytes")


def build_and_work():
    """A script's two arguments."""
    return pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def report(point, what, passed, seen):
    """Prints the line of one trial. `seen`: text, or what execute() returned."""
    if isinstance(seen, Seen):
        first = (seen.err or seen.out).strip().splitlines()[:1]
        seen = (f"exit {seen.code}, {seen.seconds:.1f} s, {seen.megabytes:.0f} MB"
                + "".join(f": {line[:160]}" for line in first))
    text = " ".join(str(seen).split())
    print(point, what, "pass" if passed else "fail", text, sep="\t", flush=True)


def execute(command, input="", seconds=60, environment=None, stop_at=None, addresses=None):
    """Runs a command; one that takes longer is killed, with exit code 'late'. The memory is the
    largest resident set of the process. `stop_at`: a server gets SIGTERM when a line of its log
    contains this text. `addresses`: the bytes that it may map."""
    begin = time.monotonic()
    if addresses:
        command = ["prlimit", f"--as={addresses}", *command]
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, **(environment or {})})
    texts = {}

    def read(name, stream):
        lines = []
        for line in stream:
            lines.append(line.decode(errors="replace"))
            if stop_at and stop_at in lines[-1]:
                process.terminate()
        texts[name] = "".join(lines)

    def write():
        try:
            process.stdin.write(input if isinstance(input, bytes) else input.encode())
            process.stdin.close()
        except BrokenPipeError:
            pass

    threads = [threading.Thread(target=read, args=("out", process.stdout)),
               threading.Thread(target=read, args=("err", process.stderr)),
               threading.Thread(target=write)]
    for thread in threads:
        thread.start()
    late = []
    timer = threading.Timer(seconds, lambda: (late.append(True), process.kill()))
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    for thread in threads:
        thread.join()
    return Seen("late" if late else process.returncode, texts["out"], texts["err"],
                time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def toy_corpus(prefix, lines, seed=1):
    """Writes PREFIX.en and PREFIX.de: each word has one translation, and the order is reversed."""
    import random
    draw = random.Random(seed)
    english = "red blue green small big old new cat dog house tree bird sees likes finds".split()
    german = "rot blau gruen klein gross alt neu katze hund haus baum vogel sieht mag findet".split()
    with open(f"{prefix}.en", "w") as source, open(f"{prefix}.de", "w") as target:
        for _ in range(lines):
            words = [draw.randrange(15) for _ in range(draw.randint(3, 8))]
            print(*(english[word] for word in words), file=source)
            print(*(german[word] for word in reversed(words)), file=target)


def toy_model(dietmt, work, updates=60):
    """Trains a small model on a toy corpus in WORK (train.en, train.de, valid.en, valid.de) and
    returns its directory."""
    toy_corpus(work / "train", 300, 1)
    toy_corpus(work / "valid", 20, 2)
    seen = execute([dietmt, "train", "--train-source", work / "train.en", "--train-target",
                    work / "train.de", "--valid-source", work / "valid.en", "--valid-target",
                    work / "valid.de", "--output", work / "model", "--vocab-size", 90,
                    "--encoder-layers", 1, "--decoder-layers", 1, "--width", 64,
                    "--feed-forward", 64, "--heads", 2, "--warmup", 20, "--threads", 1,
                    "--no-valid-translation", "--max-updates", updates], seconds=300)
    if seen.code != 0:
        sys.exit(f"the toy model cannot be trained: {seen.err}")
    return work / "model"
