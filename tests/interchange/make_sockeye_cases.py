#!/usr/bin/env python3
"""Small models of Sockeye with random weights, and what they compute.

    make_sockeye_cases.py DIR [LINES]     one directory per case; needs Sockeye 3.1, sentencepiece
                                          and subword-nmt

A case is a directory with the model and NAME.json, as make_opennmt_cases.py writes them:

    post     post-norm, relu, one vocabulary and table for all, fixed positions, a sentencepiece
             model
    pre      pre-norm, gelu, two vocabularies, output tied to the target's table, learned positions
             of two lengths, BPE codes, three layers and one
    gated    pre-norm, swish with gates, separate tables, words, four heads
    ssru     pre-norm, SSRU decoder, tied embeddings and a separate output, fp16
"""

import json
import pathlib
import sys

import torch
from sockeye import vocab
from sockeye.data_io import DataConfig, DataStatistics
from sockeye.encoder import EmbeddingConfig
from sockeye.model import ModelConfig, SockeyeModel
from sockeye.transformer import TransformerConfig

from make_opennmt_cases import Reference, lists_of_pieces, write_codes, write_spm

WIDTH = 16
POST = ("", "drn")
PRE = ("n", "dr")


def stack(layers=2, norm=PRE, heads=2, act="relu", positions="fixed", **others):
    return dict(model_size=WIDTH, attention_heads=heads, feed_forward_num_hidden=24, act_type=act,
                num_layers=layers, dropout_attention=0.1, dropout_act=0.2, dropout_prepost=0.3,
                positional_embedding_type=positions, preprocess_sequence=norm[0],
                postprocess_sequence=norm[1], depth_key_value=WIDTH, **others)


CASES = {
    "post": ("spm", "src_trg_softmax", [stack(norm=POST)] * 2),
    "pre": ("codes", "trg_softmax", [stack(3, act="gelu", positions="learned"),
                                     stack(1, act="gelu", positions="learned")]),
    "gated": ("words", "none", [stack(heads=4, act="swish1", use_glu=True)] * 2),
    "ssru": ("spm", "src_trg", [stack(), stack(decoder_type="ssru_transformer")]),
}


class SockeyeReference(Reference):
    def ids(self, text):
        return super().ids(text) + [self.source.index("</s>")]


def write_splitter(directory, kind):
    without_pad = lambda pieces: [piece for piece in pieces if piece != "<pad>"]
    if kind == "words":
        return str.split, lambda pieces: " ".join(without_pad(pieces))
    split, join = (write_spm(directory / "spm.model") if kind == "spm" else
                   write_codes(directory / "bpe.codes"))
    return split, lambda pieces: join(without_pad(pieces))


def config_of(stacks, tying, sizes):
    lengths = [40, 40 if stacks[1]["positional_embedding_type"] == "fixed" else 36]
    statistics = DataStatistics(10, 0, 60, 60, 0, 0, 9, 9, *sizes, 1.0, 0.1, [(30, 30)], [10],
                                [6.0])
    for one in stacks:
        one.update(max_seq_len_source=lengths[0], max_seq_len_target=lengths[1])
    return ModelConfig(
        config_data=DataConfig(statistics, *lengths, 1, 1), vocab_source_size=sizes[0],
        vocab_target_size=sizes[1], config_embed_source=EmbeddingConfig(sizes[0], WIDTH, 0.0),
        config_embed_target=EmbeddingConfig(sizes[1], WIDTH, 0.0),
        config_encoder=TransformerConfig(**stacks[0]),
        config_decoder=TransformerConfig(**stacks[1]), weight_tying_type=tying)


def randomize(model):
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue  # fixed positions
        is_norm, is_table = "norm" in name and name.endswith("weight"), "embedding" in name
        wide = parameter.dim() == 2 and not is_table
        deviation = 1.5 * parameter.shape[-1] ** -0.5 if wide else 0.5 if is_table else 0.2
        parameter.normal_(1.0 if is_norm else 0.0, deviation)
    return model


@torch.no_grad()
def write_case(directory, name, lines):
    kind, tying, stacks = CASES[name]
    case = directory / name
    case.mkdir(parents=True)
    torch.manual_seed(len(name))
    split, join = write_splitter(case, kind)
    lists = [["<pad>", "<unk>", "<s>", "</s>"] + pieces
             for pieces in lists_of_pieces(split, tying.startswith("src_trg"))]
    model = randomize(SockeyeModel(config_of(stacks, tying, [len(pieces) for pieces in lists])))
    exact = [part.pos_embedding.weight.clone() for part in (model.encoder, model.decoder)]
    if name == "ssru":
        model.cast("float16")
    numbered = [{piece: i for i, piece in enumerate(pieces)} for pieces in lists]
    vocab.save_source_vocabs(numbered[:1], str(case))
    vocab.save_target_vocabs(numbered[1:], str(case))
    model.save_version(str(case))
    model.save_config(str(case))
    model.save_parameters(str(case / "params.best"))
    model.cast("float32")
    for part, positions in zip((model.encoder, model.decoder), exact):
        part.pos_embedding.weight.copy_(positions)  # dietmt computes them, in fp32
    model.eval()

    def logits(sources, inputs):
        length = len(sources[0])
        return model(torch.tensor(sources)[:, :, None], torch.tensor([[length, 0]] * len(sources)),
                     torch.tensor(inputs)[:, :, None],
                     torch.tensor([len(inputs[0])] * len(inputs)))["logits"]

    reference = SockeyeReference(logits, split, join, *lists).case(lines)
    (directory / f"{name}.json").write_text(json.dumps(reference, ensure_ascii=False) + "\n")


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    for name in CASES:
        write_case(directory, name, lines)


if __name__ == "__main__":
    main()
