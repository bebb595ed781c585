#!/usr/bin/env python3
"""What data-parallel training costs, from a few measured numbers: compute, memory and communication.

    scaling_model.py --preset base --tokens-per-second 700 --bandwidth 1.25e8 --ranks 1 2
    scaling_model.py --preset big --flops 4e14 --bandwidth 2.5e10 --update-tokens 400000

A rank computes tokens/s as measured (--tokens-per-second), or as many as its floating point
operations allow (--flops, those that it sustains). docs/scaling.md derives the model and says how
far it agrees with measurements.
"""

import argparse
import math

# width, inner width, layers of encoder and decoder
PRESETS = {
    "tiny": (128, 256, 4),
    "small": (256, 1024, 6),
    "base": (512, 2048, 6),
    "big": (1024, 4096, 6),
}
FP32 = 4  # bytes
BACKWARD_SHARE = 2 / 3  # of an update's compute: two of three products


def parameters(preset, vocabulary):
    """Parameters of the matrices; biases and norms are less than a percent."""
    width, inner, layers = PRESETS[preset]
    encoder = 4 * width**2 + 2 * width * inner
    decoder = 8 * width**2 + 2 * width * inner
    return layers * (encoder + decoder) + vocabulary * width


def operations(preset, vocabulary, length):
    """Floating point operations of forward and backward for a target token and a source token."""
    width, _, layers = PRESETS[preset]
    products = 2 * parameters(preset, vocabulary)
    # Scores and mixtures of the encoder's, the decoder's (half of it is masked) and the
    # cross-attention, for sentences of this length.
    attention = layers * 4 * width * length * (1 + 0.5 + 1)
    return 3 * (products + attention)


def buckets(options):
    """Bytes of each bucket in the order of sending, and the share of backward after which it is
    complete. Backward begins with the output layer, but its matrix is the embedding, whose
    gradient is complete only at the very end."""
    width, inner, layers = PRESETS[options.preset]
    embedding = options.vocabulary * width
    feed_forward = [width * inner] * 2
    decoder = feed_forward + [width**2, 2 * width**2, width**2, width**2, 3 * width**2]
    encoder = feed_forward + [width**2, 3 * width**2]
    total = parameters(options.preset, options.vocabulary)
    found, size, done = [], 0, embedding
    for matrix in decoder * layers + encoder * layers:
        size += FP32 * matrix
        done += matrix
        if size >= options.bucket:
            found.append((size, done / total))
            size = 0
    return found + [(size + FP32 * embedding, 1.0)]


def update_seconds(options, ranks, rate):
    """Compute, all-reduce that the backward pass does not hide, and gathering of weights."""
    compute = options.update_tokens / (ranks * rate)
    if ranks == 1:
        return compute, 0.0
    # A ring passes (ranks - 1) / ranks of the bytes twice for a sum, once for a gathering.
    share = (ranks - 1) / ranks / options.bandwidth
    # One after another in Gloo's rings; NCCL sums small buckets over trees.
    hops = ranks - 1 if options.library == "gloo" else math.log2(ranks)
    # Only the last batch's backward overlaps: the gradients are not complete before.
    batches = max(1.0, options.update_tokens / (ranks * options.batch_tokens))
    backward = BACKWARD_SHARE * compute / batches
    sent = 0.0  # when the network is free, from the start of that backward
    for size, ready in buckets(options):
        sent = max(sent, ready * backward) + 2 * share * size + 2 * hops * options.latency
    small_sum = 2 * hops * options.latency  # of the loss, the norm and others
    gathering = share * FP32 * parameters(options.preset, options.vocabulary)
    return compute, sent - backward + small_sum + gathering + hops * options.latency


def activations(preset):
    """Bytes that backward needs of a target token and a source token: queries, keys and values,
    what attention mixes, the outputs of the norms, and the hidden layers."""
    width, inner, layers = PRESETS[preset]
    encoder = (3 + 1 + 2) * width + inner
    decoder = (3 + 1 + 3 + 3 + 1) * width + inner
    return FP32 * layers * (encoder + decoder)


def memory(options, ranks):
    size = FP32 * parameters(options.preset, options.vocabulary)
    # Weights, gradients, the two moments of Adam sharded over the ranks, activations.
    return 2 * size + 2 * size / ranks + activations(options.preset) * options.batch_tokens


def arguments(command_line=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--preset", choices=PRESETS, default="base")
    parser.add_argument("--vocabulary", type=int, default=32000, help="pieces, joint")
    parser.add_argument("--length", type=float, default=30, help="tokens of a sentence")
    parser.add_argument("--update-tokens", type=float, default=25000, help="target tokens")
    parser.add_argument("--batch-tokens", type=float, default=4096, help="of one batch of a rank")
    parser.add_argument("--tokens-per-second", type=float, help="of one rank, as measured")
    parser.add_argument("--flops", type=float, default=1e14, help="sustained by one rank")
    parser.add_argument("--bandwidth", type=float, default=1.25e9, help="bytes a second of a rank")
    parser.add_argument("--latency", type=float, default=2e-5, help="seconds of a message")
    parser.add_argument("--library", choices=("gloo", "nccl"), default="nccl", help="for the sums")
    parser.add_argument("--bucket", type=int, default=4 << 20, help="bytes summed at a time")
    parser.add_argument("--updates", type=float, default=250_000)
    parser.add_argument(
        "--ranks", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
    )
    return parser.parse_args(command_line)


def main():
    options = arguments()
    per_token = operations(options.preset, options.vocabulary, options.length)
    rate = options.tokens_per_second or options.flops / per_token
    count = parameters(options.preset, options.vocabulary)
    print(
        f"{options.preset}: {count / 1e6:.1f} M parameters, {per_token / 1e6:.0f} M operations a"
        f" token, {rate:,.0f} tokens/s a rank, {options.update_tokens:,.0f} tokens an update\n"
    )
    print("| ranks | s an update | of it waiting | tokens/s | efficiency | MB a rank | all updates |")
    print("|---|---|---|---|---|---|---|")
    for ranks in options.ranks:
        if ranks > max(1, options.update_tokens // options.batch_tokens):
            continue  # some would have no batch
        compute, waiting = update_seconds(options, ranks, rate)
        seconds = compute + waiting
        speed = options.update_tokens / seconds
        print(
            f"| {ranks} | {seconds:.4g} | {100 * waiting / seconds:.0f} % | {speed:,.0f} |"
            f" {speed / (ranks * rate):.2f} | {memory(options, ranks) / 1e6:,.0f} |"
            f" {options.updates * seconds / 3600:,.1f} h |"
        )


if __name__ == "__main__":
    main()
