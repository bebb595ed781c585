#!/usr/bin/env python3
"""Small MarianMT models of Hugging Face's transformers with random weights, and what they compute.

    make_cases.py DIR      writes one directory per case; needs torch, transformers 4.x, sentencepiece

A case is a model directory as `save_pretrained` writes it, source.txt with lines of text,
expected.txt with their translations (beam 4) and expected.safetensors: a packed batch (source [M],
source_lengths [B], target [N], target_lengths [B]; a target starts with begin of sentence) and the
logits for it [N, V]. Sentences are computed one by one, so that padding has no effect.

The case "marian" is the model of the case "shared" as Marian writes it: model.npz, vocab.yml, and
the sinusoids of Marian.
"""

import argparse
import json
import pathlib
import shutil

import numpy
import torch
import transformers
from safetensors.torch import save_file

from make_words import SOURCE, TARGET, pieces_of, sentences, write_pieces

TINY = dict(d_model=8, encoder_layers=2, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=12, decoder_ffn_dim=12,
            max_position_embeddings=64)


def write_tokenizer(directory, separate, size=40):
    """Returns the sizes of the two vocabularies."""
    directory.mkdir(parents=True)
    write_pieces(directory / "source.spm", SOURCE, size)
    write_pieces(directory / "target.spm", TARGET, size)
    source, target = (pieces_of(directory / f"{side}.spm") for side in ("source", "target"))
    if not separate:
        source = target = list(dict.fromkeys(source + target + [">>fra<<"]))
    for name, pieces in (("vocab", source), ("target_vocab", target)):
        if name == "vocab" or separate:
            ids = {piece: i for i, piece in enumerate(pieces)}
            ids["<pad>"] = len(pieces)
            (directory / f"{name}.json").write_text(json.dumps(ids, ensure_ascii=False))
    (directory / "tokenizer_config.json").write_text(json.dumps(
        dict(separate_vocabs=separate, tokenizer_class="MarianTokenizer", model_max_length=512)))
    return len(source) + 1, len(target) + 1


def random_model(seed, source_size, target_size, **options):
    """A transformers model in which every parameter is random, so that each one matters."""
    torch.manual_seed(seed)
    pad = target_size - 1
    model = transformers.MarianMTModel(transformers.MarianConfig(
        vocab_size=source_size, decoder_vocab_size=target_size, pad_token_id=pad,
        decoder_start_token_id=pad, eos_token_id=0, forced_eos_token_id=0, scale_embedding=True,
        bad_words_ids=[[pad], [1]], attn_implementation="eager", **options))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" in name:
                continue
            wide = parameter.dim() == 2 and "embed" not in name and "shared" not in name
            table = "embed" in name or "shared" in name
            deviation = 2 * parameter.shape[-1] ** -0.5 if wide else 0.6 if table else 0.3
            parameter.normal_(1.0 if "layer_norm.weight" in name else 0.0, deviation)
        model.final_logits_bias.normal_(0, 0.5)
        model.final_logits_bias[0, 0] += 2.5  # sentences come to an end
    return model.eval()


def random_batch(source_size, target_size, lengths, seed):
    torch.manual_seed(seed)
    batch = {"source_lengths": torch.tensor([s for s, _ in lengths]),
             "target_lengths": torch.tensor([t for _, t in lengths]),
             "source": torch.randint(0, source_size - 1, (sum(s for s, _ in lengths),)),
             "target": torch.randint(0, target_size - 1, (sum(t for _, t in lengths),))}
    starts = torch.cumsum(batch["target_lengths"], 0) - batch["target_lengths"]
    batch["target"][starts] = target_size - 1
    return batch


@torch.no_grad()
def logits_of(model, batch):
    parts = []
    sources = batch["source"].split(batch["source_lengths"].tolist())
    targets = batch["target"].split(batch["target_lengths"].tolist())
    for source, target in zip(sources, targets):
        parts.append(model(input_ids=source[None], decoder_input_ids=target[None]).logits[0])
    return torch.cat(parts).contiguous()


class EndAtLimit(transformers.LogitsProcessor):
    """Allows only end of sentence at the limit, with its own probability; the library's
    forced_eos_token_id would give it probability one, which would change the scores."""

    def __init__(self, limit, end):
        self.limit, self.end = limit, end

    def __call__(self, input_ids, scores):
        if input_ids.shape[1] < self.limit:
            return scores
        ended = torch.full_like(scores, -torch.inf)
        ended[:, self.end] = scores[:, self.end]
        return ended


@torch.no_grad()
def translations(model, tokenizer, lines, beams, max_tokens):
    found = []
    for line in lines:
        inputs = tokenizer(line, return_tensors="pt")
        output = model.generate(**inputs, num_beams=beams, early_stopping=True, length_penalty=1.0,
                                max_length=max_tokens + 1, do_sample=False,
                                forced_eos_token_id=None, logits_processor=[
                                    EndAtLimit(max_tokens, model.config.eos_token_id)])
        found.append(tokenizer.decode(output[0], skip_special_tokens=True,
                                      clean_up_tokenization_spaces=False))
    return found


def source_lines(count, seed, tags=True):
    lines = sentences(SOURCE, count, seed)
    return [">>fra<< " + line if tags and i % 3 == 2 else line for i, line in enumerate(lines)]


def write_expected(directory, model, tokenizer, lengths, seed, tags):
    batch = random_batch(model.config.vocab_size, model.config.decoder_vocab_size, lengths, seed)
    save_file({**batch, "logits": logits_of(model, batch)}, directory / "expected.safetensors")
    lines = source_lines(12, seed, tags)
    (directory / "source.txt").write_text("\n".join(lines) + "\n")
    found = translations(model, tokenizer, lines, 4, 20)
    (directory / "expected.txt").write_text("\n".join(found) + "\n")


def marian_names(tensors, config):
    """The tensors of a MarianMT model by Marian's names, transposed and without `<pad>`."""
    arrays = {"Wemb": tensors["model.shared.weight"][:-1],
              "decoder_ff_logit_out_b": tensors["final_logits_bias"][:, :-1]}
    blocks = {"self_attn": "self", "encoder_attn": "context"}
    for side, layers in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        for layer in range(layers):
            theirs = f"model.{side}.layers.{layer}."
            ours = f"{side}_l{layer + 1}_"
            for block, name in blocks.items():
                if theirs + block + ".q_proj.weight" not in tensors:
                    continue
                for projection, letter in zip(("q", "k", "v", "out"), "qkvo"):
                    linear = f"{theirs}{block}.{projection}_proj."
                    arrays[f"{ours}{name}_W{letter}"] = tensors[linear + "weight"].T
                    arrays[f"{ours}{name}_b{letter}"] = tensors[linear + "bias"][None]
                norm = f"{theirs}{block}_layer_norm."
                arrays[f"{ours}{name}_Wo_ln_scale"] = tensors[norm + "weight"][None]
                arrays[f"{ours}{name}_Wo_ln_bias"] = tensors[norm + "bias"][None]
            for number in "12":
                arrays[f"{ours}ffn_W{number}"] = tensors[f"{theirs}fc{number}.weight"].T
                arrays[f"{ours}ffn_b{number}"] = tensors[f"{theirs}fc{number}.bias"][None]
            arrays[f"{ours}ffn_ffn_ln_scale"] = tensors[f"{theirs}final_layer_norm.weight"][None]
            arrays[f"{ours}ffn_ffn_ln_bias"] = tensors[f"{theirs}final_layer_norm.bias"][None]
    return {name: numpy.ascontiguousarray(array.numpy()) for name, array in arrays.items()}


def marian_options(config):
    vocabulary = config.vocab_size - 1
    return f"""dec-depth: {config.decoder_layers}
dim-emb: {config.d_model}
dim-vocabs:
  - {vocabulary}
  - {vocabulary}
enc-depth: {config.encoder_layers}
tied-embeddings: false
tied-embeddings-all: true
tied-embeddings-src: false
transformer-decoder-autoreg: self-attention
transformer-dim-ffn: {config.encoder_ffn_dim}
transformer-ffn-activation: {config.activation_function}
transformer-ffn-depth: 2
transformer-heads: {config.encoder_attention_heads}
transformer-no-projection: false
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-preprocess: ""
transformer-tied-layers:
  []
type: transformer
version: v1.12.0 of a test
"""


def quoted(piece):
    return '"' + piece.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_marian(directory, model, tokenizer, pieces, lengths, seed):
    directory.mkdir()
    arrays = marian_names(model.state_dict(), model.config)
    text = marian_options(model.config).encode() + b"\0"
    arrays["special:model.yml"] = numpy.frombuffer(text, dtype=numpy.int8)
    numpy.savez_compressed(directory / "model.npz", **arrays)
    with open(directory / "vocab.yml", "w", encoding="utf-8") as file:
        for piece, i in pieces.items():
            if piece != "<pad>":
                file.write(f"{quoted(piece)}: {i}\n")
    with torch.no_grad():
        half = model.config.d_model // 2
        angles = torch.arange(64)[:, None] * 10000.0 ** (-torch.arange(half) / (half - 1))
        for side in (model.model.encoder, model.model.decoder):
            side.embed_positions.weight[:] = torch.cat([angles.sin(), angles.cos()], 1)
        model.model.shared.weight[-1] = 0
        model.final_logits_bias[0, -1] = -1e9
    write_expected(directory, model, tokenizer, lengths, seed, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    root = parser.parse_args().directory
    shutil.rmtree(root, ignore_errors=True)
    for name, seed, options in (
            ("shared", 2, dict(activation_function="swish")),
            ("separate", 3, dict(activation_function="relu",
                                 share_encoder_decoder_embeddings=False))):
        directory = root / name
        separate = name == "separate"
        source, target = write_tokenizer(directory, separate)
        model = random_model(seed, source, target, **TINY, **options)
        tokenizer = transformers.MarianTokenizer.from_pretrained(directory)
        model.save_pretrained(directory)
        lengths = [(5, 7), (1, 1), (12, 3)]
        write_expected(directory, model, tokenizer, lengths, seed + 10, not separate)
        if name == "shared":
            pieces = json.loads((directory / "vocab.json").read_text())
            write_marian(root / "marian", model, tokenizer, pieces, lengths, 21)


if __name__ == "__main__":
    main()
