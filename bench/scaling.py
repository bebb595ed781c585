#!/usr/bin/env python3
"""Training with each rank in its own network namespace, over links of a given rate and delay.

    DIETMT=build/bin/dietmt bench/scaling.py SOURCE TARGET VALID_SOURCE VALID_TARGET \
        >>bench/log/scaling.jsonl

Run as root. Prints a JSON object for each run. All ranks share this machine's cores, one thread
each, so an update's compute does not shrink with the ranks once they fill the cores; what a link
adds to the seconds of an update is communication. `waiting` is that share, against the same ranks
on links without a limit; `idle` is how much of the cores' time nobody used.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import scaling_model
from network_links import Network, probe

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recipes"))
from runs import place  # noqa: E402

DIETMT = os.environ.get("DIETMT", "build/bin/dietmt")
# Name, rate, one-way delay in seconds (0: through the relay, without a delay), and the link
# without a limit that it is compared with.
LINKS = {
    "bridge": (None, None, None),
    "bridge 10 Gbit/s": ("10gbit", None, "bridge"),
    "bridge 1 Gbit/s": ("1gbit", None, "bridge"),
    "relay": (None, 0.0, None),
    "relay 10 Gbit/s 1 ms": ("10gbit", 0.0005, "relay"),
    "relay 1 Gbit/s 1 ms": ("1gbit", 0.0005, "relay"),
}
TICKS = os.sysconf("SC_CLK_TCK")
POLL = 0.01  # seconds
SKIPPED = 4  # updates: the first sends its gradients late, buffers grow


def train_lines(folder):
    try:
        lines = (folder / "progress.jsonl").read_text().splitlines()
    except FileNotFoundError:
        return []
    complete = [line for line in lines if line.endswith("}")]
    return [entry for entry in map(json.loads, complete) if entry["kind"] == "train"]


def machine_ticks():
    """Idle and all ticks of all cores since the start of the machine."""
    ticks = [int(field) for field in open("/proc/stat").readline().split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def process_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def forget_updates(folder):
    """The tokenizer and the encoded text stay."""
    for path in folder.iterdir() if folder.exists() else []:
        if path.name == "data":
            continue
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


class Processes:
    """Commands, each with its own variables."""

    def __init__(self, commands, log):
        self.processes = [
            subprocess.Popen(command, env=os.environ | variables, stderr=log, stdout=log)
            for command, variables in commands
        ]

    def __enter__(self):
        return self

    def running(self):
        if any(process.poll() not in (None, 0) for process in self.processes):
            raise SystemExit("a training run failed; its messages are in the file of --log")
        return any(process.poll() is None for process in self.processes)

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()


def command_of(options, folder):
    return [
        *(DIETMT, "train", "--train-source", options.source, "--train-target", options.target),
        *("--valid-source", options.valid_source, "--valid-target", options.valid_target),
        *("--preset", options.preset, "--batch-tokens", str(options.batch_tokens)),
        *("--accumulate", str(options.accumulate), "--max-updates", str(options.updates)),
        *("--threads", "1", "--log-interval", "1", "--output", str(folder)),
        *("--valid-interval", "1000000", "--no-valid-translation"),
    ]


def one_in_each_namespace(options, network, folder):
    def variables(rank):
        place = {"RANK": rank, "WORLD_SIZE": network.ranks, "MASTER_PORT": 29500}
        place["MASTER_ADDR"] = network.address(0)
        return {name: str(value) for name, value in place.items()}

    train = command_of(options, folder)
    return [(network.inside(rank) + train, variables(rank)) for rank in range(network.ranks)]


def one_on_each_core(options, folder):
    """Independent training runs."""
    folders = [folder] + [folder.with_name(f"other{core}") for core in range(1, os.cpu_count())]
    return [(command_of(options, each), {}) for each in folders]


def measure(options, commands, folder, relay=None):
    """Means over the updates after the first ones."""
    forget_updates(folder)

    def snapshot():
        used = process_seconds(relay.pid) if relay else 0.0
        return len(train_lines(folder)), time.monotonic(), used, machine_ticks()

    first = last = None
    with open(options.log, "a") as log, Processes(commands, log) as processes:
        while processes.running():
            done = len(train_lines(folder))
            if first is None and done >= SKIPPED:
                first = snapshot()
            if last is None and done >= options.updates - 1:
                last = snapshot()
            time.sleep(POLL)
    updates = last[0] - first[0]
    rates = [entry["tokens_per_second"] for entry in train_lines(folder)[first[0] : last[0]]]
    # Updates have about the same number of tokens.
    rate = len(rates) / sum(1 / rate for rate in rates)
    seconds = (last[1] - first[1]) / updates
    (idle_before, all_before), (idle_after, all_after) = first[3], last[3]
    return {
        "updates": updates,
        "update_tokens": round(rate * seconds),
        "seconds": round(seconds, 4),
        "tokens_per_second": round(rate),
        "idle": round((idle_after - idle_before) / (all_after - all_before), 3),
        "relay_seconds": round((last[2] - first[2]) / updates, 4),
    }


def predicted_seconds(options, ranks, rate, bytes_per_second, round_trip):
    """Prediction for ranks that share the cores. `rate`: tokens/s of a core when all work."""
    model = scaling_model.arguments(
        [
            *("--preset", options.preset, "--vocabulary", str(options.vocabulary)),
            *("--library", "gloo", "--update-tokens", str(options.update_tokens)),
            *("--batch-tokens", str(options.update_tokens / options.accumulate)),
            *("--bandwidth", str(bytes_per_second), "--latency", str(round_trip / 2)),
        ]
    )
    share = min(1.0, os.cpu_count() / ranks)
    return sum(scaling_model.update_seconds(model, ranks, rate * share))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name in ("source", "target", "valid_source", "valid_target"):
        parser.add_argument(name)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--links", nargs="+", choices=LINKS, default=list(LINKS))
    parser.add_argument("--preset", choices=scaling_model.PRESETS, default="tiny")
    parser.add_argument("--vocabulary", type=int, default=8000, help="the default of train")
    parser.add_argument("--batch-tokens", type=int, default=512)
    parser.add_argument("--accumulate", type=int, default=8)
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--log", default=os.devnull, help="file for the messages of the ranks")
    return parser.parse_args()


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that networks are removed
    about = {
        "preset": options.preset,
        **place(),
    }
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / "model"
        alone = measure(options, one_on_each_core(options, folder), folder)
        options.update_tokens = alone["update_tokens"]
        print(json.dumps({"ranks": 1, **alone, **about}), flush=True)
        for ranks in options.ranks:
            unlimited = {}
            for name in options.links:
                limit, delay, reference = LINKS[name]
                with Network(ranks, limit, delay) as network:
                    speed, trip = probe(network)
                    commands = one_in_each_namespace(options, network, folder)
                    run = measure(options, commands, folder, network.relay)
                unlimited.setdefault(name, run["seconds"])
                waiting = None
                if reference in unlimited:
                    waiting = round(1 - unlimited[reference] / run["seconds"], 3)
                predicted = predicted_seconds(
                    options, ranks, alone["tokens_per_second"], speed, trip
                )
                record = {"ranks": ranks, "link": name, **run, "waiting": waiting}
                record |= {"link_bytes_per_second": round(speed), "round_trip": round(trip, 6)}
                record |= {"predicted_seconds": round(predicted, 4), **about}
                print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
