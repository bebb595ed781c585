#!/usr/bin/env python3
"""A packed int8 model with random weights, for measurements of size and speed.

    random_model.py OUTPUT [--vocabulary 256000 --width 1024 --feed-forward 4096 --heads 16 --layers 12]
                    [--lines FILE --count 200 --words 20]

The default sizes are those of NLLB-200 600M: pre-norm, sinusoidal positions, one table for both
embeddings and the output layer. OUTPUT is what `dietmt quantize` would write. The tokenizer has
words of random syllables; --lines writes text of them. The matrices of one number of inputs repeat
some random panels, with random scales for each output. Such a model does not stop by itself: give
--max-length-factor 0 --max-length-offset N.
"""

import argparse
import array
import itertools
import json
import pathlib
import random
import struct
import zlib

GROUP, PANEL = 4, 64  # of int8: kernels/packed_linear.h
RANDOM = random.Random(7)


class Panels:
    """Random panels of matrices with so many inputs, and the sums of their outputs."""

    COUNT = 16

    def __init__(self, inputs):
        self.groups = (inputs + GROUP - 1) // GROUP
        self.scale = 1 / (73 * inputs**0.5)  # of products like those of a trained layer
        self.panels, self.sums = [], []
        for _ in range(self.COUNT):
            panel = array.array("b", RANDOM.randbytes(self.groups * PANEL * GROUP).replace(b"\x80", b"\x00"))
            self.panels.append(panel.tobytes())
            self.sums.append([sum(sum(panel[PANEL * GROUP * g + GROUP * n : PANEL * GROUP * g + GROUP * (n + 1)])
                                  for g in range(self.groups)) for n in range(PANEL)])


class Weights:
    """Tensors of a safetensors file, as storage/safetensors_file.h orders them."""

    def __init__(self):
        self.panels = {}  # by number of inputs
        self.tensors = []  # name, type, shape, blocks of bytes

    def matrix(self, name, outputs, inputs):
        if inputs not in self.panels:
            self.panels[inputs] = Panels(inputs)
        made = self.panels[inputs]
        count = (outputs + PANEL - 1) // PANEL
        assert outputs % PANEL == 0, f"{name}: {outputs} outputs are not whole panels"
        order = [RANDOM.randrange(made.COUNT) for _ in range(count)]
        self.tensors.append((name, "I8", [count, made.groups, PANEL, GROUP], [made.panels[p] for p in order]))
        scales = array.array("f", (made.scale * RANDOM.uniform(0.8, 1.2) for _ in range(outputs)))
        self.tensors.append((name + ".scales", "F32", [outputs], [scales.tobytes()]))
        sums = array.array("i", itertools.chain.from_iterable(made.sums[p] for p in order))
        self.tensors.append((name + ".sums", "I32", [outputs], [sums.tobytes()]))

    def numbers(self, name, count, value):
        self.tensors.append((name, "F32", [count], [array.array("f", [value] * count).tobytes()]))

    def linear(self, name, outputs, inputs):
        self.matrix(name + "_weight", outputs, inputs)
        self.numbers(name + "_bias", outputs, 0.0)

    def norm(self, name, width):
        self.numbers(name + ".weight", width, 1.0)
        self.numbers(name + ".bias", width, 0.0)

    def layer(self, name, width, inner, has_cross):
        self.linear(name + ".self_attention.input", 3 * width, width)
        self.linear(name + ".self_attention.output", width, width)
        self.norm(name + ".self_residual.norm", width)
        if has_cross:
            self.linear(name + ".cross_attention.query", width, width)
            self.linear(name + ".cross_attention.memory", 2 * width, width)
            self.linear(name + ".cross_attention.output", width, width)
            self.norm(name + ".cross_residual.norm", width)
        self.linear(name + ".feed_forward.inner", inner, width)
        self.linear(name + ".feed_forward.outer", width, inner)
        self.norm(name + ".feed_forward_residual.norm", width)


def write_safetensors(path, tensors, metadata=None):
    tensors = sorted(tensors, key=lambda tensor: tensor[1] != "I8")  # panels begin at 64 bytes
    header, at = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, kind, shape, blocks in tensors:
        size = sum(len(block) for block in blocks)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, _, blocks in tensors:
            file.writelines(blocks)


def positions(options):
    """Sinusoids, and attention without any terms: nmt/engine/stored_positions.h."""
    half = options.width // 2
    scale = (options.width // options.heads) ** -0.5
    layer = {"content_scale": [scale] * options.heads, "halved": [False] * options.heads}
    layers = [layer] * options.layers
    sinusoids = {"halves": True, "frequencies": [10000 ** (-i / (half - 1)) for i in range(half)]}
    sites = {"encoder": {"layers": layers, "sinusoids": sinusoids},
             "decoder": {"layers": layers, "sinusoids": sinusoids}, "cross": {"layers": layers}}
    return {"positions": json.dumps(sites)}


def words(count):
    """Different words of one to four syllables, short ones first."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    made = ("".join(parts) for size in range(1, 5) for parts in itertools.product(syllables, repeat=size))
    return list(itertools.islice(made, count))


def field(number, data):
    """A field of a protocol buffer with so many bytes."""
    size = b""
    left = len(data)
    while left > 127:
        size += bytes([left & 127 | 128])
        left >>= 7
    return bytes([number << 3 | 2]) + size + bytes([left]) + data


def tokenizer(vocabulary):
    """A sentencepiece model: pieces with their logarithms of probabilities."""
    normal, unknown, control = 1, 2, 3
    pieces = [("<unk>", unknown), ("<s>", control), ("</s>", control)]
    pieces += [(letter, normal) for letter in "abcdefghijklmnopqrstuvwxyz\u2581.,"]
    pieces += [("\u2581" + word, normal) for word in words(vocabulary - len(pieces))]
    data = b""
    chunks = []
    for i, (piece, kind) in enumerate(pieces):
        score = 0.0 if kind != normal else -20.0 if len(piece) == 1 else -5.0 - i / vocabulary
        chunks.append(field(1, field(1, piece.encode()) + b"\x15" + struct.pack("<f", score) + bytes([3 << 3, kind])))
    return data.join(chunks)


def config(options):
    return {"format": 1, "quantization": "int8", "model": {
        "source_vocabulary": options.vocabulary, "target_vocabulary": options.vocabulary,
        "encoder_layers": options.layers, "decoder_layers": options.layers,
        "width": options.width, "feed_forward": options.feed_forward, "heads": options.heads,
        "norm": "pre", "activation": "relu", "tied_embeddings": "all", "max_positions": 1024,
        "encoder_position": "sinusoidal(layout=halves)",
        "decoder_position": "sinusoidal(layout=halves)", "cross_position": "none",
        "dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0,
        "embedding_dropout": 0.0}}


def write_model(options):
    weights = Weights()
    weights.matrix("source_embedding", options.vocabulary, options.width)
    for side in ("encoder", "decoder"):
        for layer in range(options.layers):
            weights.layer(f"{side}.layer{layer}", options.width, options.feed_forward, side == "decoder")
        weights.norm(side + ".final_norm", options.width)
    output = pathlib.Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    (output / "config.json").write_text(json.dumps(config(options), indent=1) + "\n")
    (output / "tokenizer.model").write_bytes(tokenizer(options.vocabulary))
    write_safetensors(output / "positions.safetensors", [], positions(options))
    write_safetensors(output / "model.safetensors", weights.tensors)
    files = {}
    for path in sorted(output.iterdir()):
        if path.name == "manifest.json":
            continue
        data = path.read_bytes()
        files[path.name] = {"crc32": zlib.crc32(data), "size": len(data)}
    (output / "manifest.json").write_text(json.dumps({"files": files}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--vocabulary", type=int, default=256000)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--feed-forward", type=int, default=4096)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--lines")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--words", type=int, default=20)
    options = parser.parse_args()
    write_model(options)
    if options.lines:
        all_words = words(options.vocabulary - 100)
        lines = [" ".join(RANDOM.choices(all_words, k=options.words)) for _ in range(options.count)]
        pathlib.Path(options.lines).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
