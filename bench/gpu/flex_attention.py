#!/usr/bin/env python3
"""PyTorch's FlexAttention with a trained bias for each offset up to 2047, as DIET-REL in
bench/attention has it, without dropout.

    flex_attention.py [--tokens 25000] [--lengths 512 2048]

Sentences of one length in 8 heads of width 64, bf16. Prints JSON lines: milliseconds of the forward
pass, and of both passes with the gradient of the bias.
"""

import argparse
import json

import torch
from torch.nn.attention.flex_attention import flex_attention

from device_time import median_seconds

HEADS, WIDTH, LONGEST = 8, 64, 2048


def timed(options, length):
    torch.manual_seed(1)
    sizes = (-(-options.tokens // length), HEADS, length, WIDTH)
    queries, keys, values = (
        torch.randn(sizes, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        for _ in range(3))
    bias = torch.zeros(HEADS, 2 * LONGEST - 1, device="cuda", requires_grad=True)
    gradient = torch.randn(sizes, device="cuda", dtype=torch.bfloat16)

    def with_bias(score, sentence, head, i, j):
        return score + bias[head, j - i + LONGEST - 1]

    attend = torch.compile(flex_attention, dynamic=False)

    def forward():  # its own choice of stages needs more shared memory than an H200 has
        return attend(queries, keys, values, score_mod=with_bias, kernel_options={"num_stages": 2})

    def both():
        forward().backward(gradient)

    def milliseconds(work):
        return round(median_seconds(work, repeats=11, calls=4) * 1e3, 3)

    with torch.no_grad():
        alone = milliseconds(forward)
    return {"kernel": "FlexAttention, diet-rel, dropout 0", "tokens a sentence": length,
            "forward ms": alone, "step ms": milliseconds(both)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=25000)
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 2048])
    options = parser.parse_args()
    for length in options.lengths:
        print(json.dumps(timed(options, length)), flush=True)


if __name__ == "__main__":
    main()
