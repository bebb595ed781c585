#!/usr/bin/env python3
"""Speed of dietmt and CTranslate2 with the same random weights, in the shape of M2M-100 418M.

    compare_large_ctranslate2.py DIETMT FOLDER [--beam 5] [--type int8|fp32] [--lines 32] [--runs 3]

Needs numpy and ctranslate2 4.8, 8 GB of memory and 5 GB in FOLDER, where the models are kept. Both
programs run in turn with two threads and translate all lines into 24 pieces. dietmt is a process,
so the time of one that translates one word is subtracted.
"""

import argparse
import pathlib
import statistics
import subprocess
import time

import ctranslate2
import numpy
from ctranslate2.specs import common_spec, transformer_spec

WIDTH, HEADS, INNER, LAYERS, PIECES, LENGTH = 1024, 16, 4096, 12, 128_000, 24
draw = numpy.random.default_rng(1)


def weights(*shape):
    return draw.standard_normal(shape, dtype=numpy.float32) * numpy.float32(0.02)


def fill_linear(spec, outputs, inputs):
    spec.weight, spec.bias = weights(outputs, inputs), numpy.zeros(outputs, numpy.float32)


def fill_norm(spec):
    spec.gamma, spec.beta = numpy.ones(WIDTH, numpy.float32), numpy.zeros(WIDTH, numpy.float32)


def fill_attention(spec, outputs):
    for linear, size in zip(spec.linear, outputs):
        fill_linear(linear, size, WIDTH)
    fill_norm(spec.layer_norm)


def fill_stack(stack, decodes):
    for layer in stack.layer:
        fill_attention(layer.self_attention, (3 * WIDTH, WIDTH))
        if decodes:
            fill_attention(layer.attention, (WIDTH, 2 * WIDTH, WIDTH))
        fill_linear(layer.ffn.linear_0, INNER, WIDTH)
        fill_linear(layer.ffn.linear_1, WIDTH, INNER)
        fill_norm(layer.ffn.layer_norm)
    fill_norm(stack.layer_norm)


def write_model(directory):
    spec = transformer_spec.TransformerSpec.from_config(
        (LAYERS, LAYERS), HEADS, activation=common_spec.Activation.RELU)
    fill_stack(spec.encoder, False)
    fill_stack(spec.decoder, True)
    table = weights(PIECES, WIDTH)
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = table
    spec.decoder.projection.weight = table
    spec.decoder.projection.bias = numpy.zeros(PIECES, numpy.float32)
    pieces = ["<s>", "</s>", "<unk>"] + [f"w{i}" for i in range(PIECES - 3)]
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.add_source_eos = True
    spec.validate()
    spec.optimize(quantization=None)
    directory.mkdir(parents=True)
    spec.save(str(directory))


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dietmt")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--type", choices=("int8", "fp32"), default="int8")
    parser.add_argument("--lines", type=int, default=32)
    parser.add_argument("--runs", type=int, default=3)
    o = parser.parse_args()
    original, full, packed = (o.folder / name for name in ("ctranslate2", "full", o.type))
    if not original.exists():
        write_model(original)
    if not full.exists():
        subprocess.run([o.dietmt, "import", original, "--output", full], check=True)
    if not packed.exists():
        subprocess.run([o.dietmt, "quantize", full, "--output", packed, "--type", o.type],
                       check=True)
    choose = numpy.random.RandomState(3)
    lines = [[f"w{choose.randint(PIECES - 3)}" for _ in range(choose.randint(8, 28))]
             for _ in range(o.lines)]
    translator = ctranslate2.Translator(
        str(original), compute_type="int8" if o.type == "int8" else "float32", intra_threads=2)

    def theirs():
        translator.translate_batch(lines, beam_size=o.beam, max_batch_size=64,
                                   min_decoding_length=LENGTH, max_decoding_length=LENGTH)

    def ours(text, beam, length):
        subprocess.run([o.dietmt, "translate", "--model", packed, "--beam", str(beam),
                        "--min-length", str(length), "--max-length-factor", "0",
                        "--max-length-offset", str(length + 1), "--threads", "2", "--workers",
                        "1"], input=text, text=True, check=True, capture_output=True)

    text = "".join(" ".join(line) + "\n" for line in lines)
    theirs()
    ours(text, o.beam, LENGTH)
    times = [(seconds(theirs), seconds(lambda: ours(text, o.beam, LENGTH)),
              seconds(lambda: ours("w1\n", 1, 1))) for _ in range(o.runs)]
    them, us, start = (statistics.median(column) for column in zip(*times))
    print(f"{o.type}, beam {o.beam}: CTranslate2 {them:.2f} s, dietmt {us:.2f} s with its start of "
          f"{start:.2f} s: {them / us:.2f} times as fast, without the start "
          f"{them / (us - start):.2f}")


if __name__ == "__main__":
    main()
