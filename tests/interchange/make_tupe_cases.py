#!/usr/bin/env python3
"""Small checkpoints as the authors of TUPE publish them, and what their encoder computes.

    make_tupe_cases.py DIR     writes NAME.pt and NAME.json for two cases; needs NumPy

tupe_r has relative positions and fp32, tupe_a fp16. Written from the formulas of Ke et al. 2021, with
every score of every pair, in fp64. JSON: ids and lengths of two sentences; hidden states [L + 1, N, D]
from the embeddings on; scores of the masked-LM head [N, V].
"""
import argparse
import json
import math
import pathlib
import sys

import numpy as np

import write_torch_file

LAYERS, WIDTH, INNER, HEADS, PIECES, POSITIONS, BUCKETS = 2, 8, 12, 2, 13, 40, 32
LENGTHS = [40, 5]


def make_tensors(relative, kind):
    draw = np.random.default_rng(7 + relative)

    def normal(*shape, scale=0.4, shift=0.0):
        return (shift + scale * draw.standard_normal(shape)).astype(kind)

    names = {}

    def add_linear(name, outputs, inputs):
        names[name + ".weight"], names[name + ".bias"] = normal(outputs, inputs), normal(outputs)

    def add_norm(name):
        names[name + ".weight"], names[name + ".bias"] = normal(WIDTH, shift=1.0), normal(WIDTH)

    stack = "decoder.sentence_encoder."
    names[stack + "embed_tokens.weight"] = normal(PIECES, WIDTH)
    names[stack + "pos.weight"] = normal(POSITIONS + 1, WIDTH)
    add_linear(stack + "pos_proj", 2 * WIDTH, WIDTH)
    add_norm(stack + "pos_ln")
    add_norm(stack + "emb_layer_norm")
    for layer in range(LAYERS):
        part = f"{stack}layers.{layer}."
        names[part + "self_attn.in_proj_weight"] = normal(3 * WIDTH, WIDTH)
        names[part + "self_attn.in_proj_bias"] = normal(3 * WIDTH)
        add_linear(part + "self_attn.out_proj", WIDTH, WIDTH)
        add_norm(part + "self_attn_layer_norm")
        add_linear(part + "fc1", INNER, WIDTH)
        add_linear(part + "fc2", WIDTH, INNER)
        add_norm(part + "final_layer_norm")
    if relative:
        names[stack + "relative_attention_bias.weight"] = normal(BUCKETS + 1, HEADS)
        names[stack + "rp_bucket"] = np.zeros((POSITIONS, POSITIONS), dtype=np.int64)
    add_linear("decoder.lm_head.dense", WIDTH, WIDTH)
    add_norm("decoder.lm_head.layer_norm")
    names["decoder.lm_head.weight"] = names[stack + "embed_tokens.weight"]
    names["decoder.lm_head.bias"] = normal(PIECES)
    return names


def bucket(offset):
    """T5's bucket of a key `offset` after the query: half of 32 for each side, up to distance 128."""
    side, exact = BUCKETS // 2, BUCKETS // 4
    distance = abs(offset)
    if distance >= exact:
        share = math.log(distance / exact) / math.log(128 / exact)
        distance = min(exact + int(share * (side - exact)), side - 1)
    return distance + (side if offset > 0 else 0)


def norm(x, p, name):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5)
    return scaled * p[name + ".weight"] + p[name + ".bias"]


def linear(x, p, name):
    return x @ p[name + ".weight"].T + p[name + ".bias"]


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def position_scores(p, n, relative):
    """[H, n, n]: eq. 10, in the authors' code with b outside the reset and two more numbers for [CLS]."""
    stack, dh = "decoder.sentence_encoder.", WIDTH // HEADS
    both = linear(norm(p[stack + "pos.weight"], p, stack + "pos_ln"), p, stack + "pos_proj")
    u, w = (both[:, part * WIDTH:(part + 1) * WIDTH].reshape(-1, HEADS, dh) for part in (0, 1))
    scores = np.zeros((HEADS, n, n))
    for h in range(HEADS):
        for i in range(n):
            for j in range(n):
                # Row 0 is for theta_1; the first position reads row 1, which also gives theta_2.
                a, b = (0, 0) if i == 0 else (1, 1) if j == 0 else (i + 1, j + 1)
                scores[h, i, j] = u[a, h] @ w[b, h] / math.sqrt(2 * dh)
                if relative:
                    number = BUCKETS // 2 if i == 0 else BUCKETS if j == 0 else bucket(j - i)
                    scores[h, i, j] += p[stack + "relative_attention_bias.weight"][number, h]
    return scores


def layer_output(x, p, part, positions):
    n, dh = len(x), WIDTH // HEADS
    projected = x @ p[part + "self_attn.in_proj_weight"].T + p[part + "self_attn.in_proj_bias"]
    q, k, v = (projected[:, i * WIDTH:(i + 1) * WIDTH].reshape(n, HEADS, dh) for i in range(3))
    scores = np.einsum("ihc,jhc->hij", q, k) / math.sqrt(2 * dh) + positions
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    mixed = np.einsum("hij,jhc->ihc", weights, v).reshape(n, WIDTH)
    x = norm(x + linear(mixed, p, part + "self_attn.out_proj"), p, part + "self_attn_layer_norm")
    inner = linear(gelu(linear(x, p, part + "fc1")), p, part + "fc2")
    return norm(x + inner, p, part + "final_layer_norm")


def outputs(p, relative):
    stack, head = "decoder.sentence_encoder.", "decoder.lm_head."
    ids = [(5 * t + 3) % PIECES for t in range(sum(LENGTHS))]
    states, begin = [], 0
    for length in LENGTHS:
        x = norm(p[stack + "embed_tokens.weight"][ids[begin:begin + length]], p, stack + "emb_layer_norm")
        positions, layers = position_scores(p, length, relative), [x]
        for layer in range(LAYERS):
            layers.append(layer_output(layers[-1], p, f"{stack}layers.{layer}.", positions))
        states.append(np.stack(layers))
        begin += length
    hidden = np.concatenate(states, 1)
    rows = norm(gelu(linear(hidden[-1], p, head + "dense")), p, head + "layer_norm")
    scores = rows @ p[head + "weight"].T + p[head + "bias"]
    rounded = [[round(float(value), 6) for value in array.ravel()] for array in (hidden, scores)]
    return {"ids": ids, "lengths": LENGTHS, "hidden": rounded[0], "masked_lm": rounded[1]}


def options(relative):
    return argparse.Namespace(
        arch="bert_base", task="masked_lm", encoder_layers=LAYERS, encoder_embed_dim=WIDTH,
        encoder_ffn_embed_dim=INNER, encoder_attention_heads=HEADS, activation_fn="gelu",
        encoder_normalize_before=False, embedding_normalize=True, dropout=0.1, attention_dropout=0.1,
        activation_dropout=0.0, pooler_dropout=0.1, max_positions=POSITIONS, rel_pos=relative)


def write_checkpoint(path, tensors, relative):
    torch = write_torch_file.make_modules()
    kinds = {np.dtype(np.float32): "F32", np.dtype(np.float16): "F16", np.dtype(np.int64): "I64"}
    state = {}
    for name, tensor in tensors.items():
        kind = getattr(torch, write_torch_file.STORAGES[kinds[tensor.dtype]])
        storage = write_torch_file.Storage(kind, str(len(state)), tensor.size, tensor.tobytes())
        state[name] = write_torch_file.Tensor(storage, list(tensor.shape))
    # The form of tupe_a, before PyTorch 1.6, has no checksums, so tests can change its bytes.
    write_torch_file.write(path, state, old=not relative,
                           value={"args": options(relative), "model": state})


def main():
    output = pathlib.Path(sys.argv[1])
    for name, relative, kind in (("tupe_r", True, np.float32), ("tupe_a", False, np.float16)):
        tensors = make_tensors(relative, kind)
        write_checkpoint(output / f"{name}.pt", tensors, relative)
        exact = {key: tensor.astype(np.float64) for key, tensor in tensors.items()}
        (output / f"{name}.json").write_text(json.dumps(outputs(exact, relative)) + "\n")


if __name__ == "__main__":
    main()
