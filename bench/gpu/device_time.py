"""Time on the GPU, for scripts that Python's torch runs."""

import torch


def median_seconds(work, repeats, calls=1):
    """Time of one of `calls` calls between two events."""
    for _ in range(3):
        work()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls):
            work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3 / calls)
    return sorted(times)[len(times) // 2]
