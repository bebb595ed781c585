"""Where the time of training steps goes: reads the trace of `dietmt train --profile`."""

import collections
import json
import re

UPDATES = 10  # in a trace
MOST_KERNELS = 20
ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
WAITING = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cudaMemcpy")


def busy_microseconds(events):
    """Busy time of the device: overlapping events count once."""
    busy, reached = 0.0, float("-inf")
    for event in sorted(events, key=lambda e: e["ts"]):
        end = event["ts"] + event["dur"]
        busy += max(0.0, end - max(event["ts"], reached))
        reached = max(reached, end)
    return busy


def short_name(name):
    """A kernel's name without its arguments, and of templates only what tells them apart."""
    name = re.sub(r"^void ", "", name.replace("(anonymous namespace)::", ""))
    own = re.search(r"run_block<(.*)>\(", name)
    if own:  # dietmt's: the block that it runs
        return re.sub(r"dietmt::kernels::|\(\w+(::\w+)*\)", "", own[1])[:100]
    name = re.sub(r"\(.*", "", name)
    functor = re.search(r"(\w*(?:Functor|_kernel_cuda|kernel_impl))", name)
    base = name.split("<")[0] if len(name) > 80 else name
    return f"{base} {functor[1]}"[:100] if functor and functor[1] not in base else base[:100]


def rows(path):
    """First the update as a whole, then its kernels and copies, those with the most time first."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    on_device = [e for e in events if e.get("cat") in ON_DEVICE]
    calls = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
    if not on_device:
        yield {"what": "update", "failed": "the trace has no work of a GPU"}
        return
    span = max(e["ts"] + e["dur"] for e in on_device) - min(e["ts"] for e in on_device)
    kinds = collections.Counter(e["cat"] for e in on_device)
    waiting = [e for e in calls if e["name"] in WAITING]
    yield {"what": "update", "milliseconds": round(span / UPDATES / 1e3, 3),
           "busy": round(busy_microseconds(on_device) / span, 3),
           "launches": round(kinds["kernel"] / UPDATES, 1),
           "copies": round(kinds["gpu_memcpy"] / UPDATES, 1),
           "waits": round(len(waiting) / UPDATES, 1),
           "host_milliseconds": round(sum(e["dur"] for e in calls) / UPDATES / 1e3, 3)}
    kernels = collections.defaultdict(lambda: [0, 0.0])
    for event in on_device:
        name = short_name(event["name"]) if event["cat"] == "kernel" else event["name"]
        kernels[name][0] += 1
        kernels[name][1] += event["dur"]
    ordered = sorted(kernels.items(), key=lambda item: -item[1][1])
    for name, (count, duration) in ordered[:MOST_KERNELS]:
        yield {"what": name, "milliseconds": round(duration / UPDATES / 1e3, 4),
               "launches": round(count / UPDATES, 1)}
