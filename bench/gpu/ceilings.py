#!/usr/bin/env python3
"""The GPU's limits: copies, matrix products, launches. Prints JSON lines."""

import json
import time

import torch

from device_time import median_seconds

PRODUCTS = ((8192, 8192, 8192), (25000, 2048, 512), (25000, 512, 2048), (25000, 1536, 512),
            (4096, 32000, 512))


def host_seconds(work, repeats):
    """Time of one call in a sequence, including the end of the last one."""
    for _ in range(20):
        work()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / repeats


def terabytes_per_second():
    source = torch.randn(1 << 29, device="cuda")
    target = torch.empty_like(source)
    return 2e-12 * source.nbytes / median_seconds(lambda: target.copy_(source), 10)


def show(what, value, unit):
    print(json.dumps({"what": what, "value": round(value, 2), "unit": unit}), flush=True)


def main():
    gpu = torch.cuda.get_device_properties(0)
    show(f"{gpu.name}: multiprocessors", gpu.multi_processor_count, "")
    show("memory", gpu.total_memory / 2**30, "GiB")
    show("copy, read and written", terabytes_per_second(), "TB/s")
    for m, n, k in PRODUCTS:
        a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        b = torch.randn(k, n, device="cuda", dtype=torch.bfloat16)
        seconds = median_seconds(lambda: a @ b, 20)
        show(f"bf16 product {m} x {n} x {k}", 2e-12 * m * n * k / seconds, "TFLOP/s")
    small = torch.zeros(16, device="cuda")
    host = torch.zeros(2048, dtype=torch.int64)
    pinned = host.pin_memory()
    show("a small kernel, enqueued from Python", host_seconds(lambda: small.add_(1), 2000) * 1e6,
         "us")
    show("16 kB to the device, waited for", host_seconds(host.cuda, 500) * 1e6, "us")
    show("16 kB to the device, pinned and not waited for",
         host_seconds(lambda: pinned.to("cuda", non_blocking=True), 500) * 1e6, "us")


if __name__ == "__main__":
    main()
