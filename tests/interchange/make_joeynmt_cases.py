#!/usr/bin/env python3
"""Small models of JoeyNMT with random weights, and what they compute.

    make_joeynmt_cases.py DIR [LINES]     one directory per case; needs JoeyNMT 2.3, sentencepiece
                                          and subword-nmt

A case is a directory with the model and NAME.json, as make_opennmt_cases.py writes them:

    post     post-norm, relu, one vocabulary and table for all, a sentencepiece model
    pre      pre-norm, gelu, two vocabularies, output tied to the target's table, BPE codes, three
             layers and one, unscaled target embeddings
    words    pre-norm, swish, separate tables, unscaled embeddings, words
"""

import json
import pathlib
import sys
import types

import numpy
import torch
import yaml
from joeynmt.model import build_model
from joeynmt.vocabulary import Vocabulary

from make_opennmt_cases import Reference, lists_of_pieces, write_codes, write_spm

SPECIALS = dict(unk_token="<unk>", pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_id=0,
                pad_id=1, bos_id=2, eos_id=3, sep_token=None, sep_id=None, lang_tags=[])
WORD = {"level": "word"}
PIECES = {"level": "bpe", "tokenizer_type": "sentencepiece",
          "tokenizer_cfg": {"model_file": "training/spm.model"}}
CODES = {"level": "bpe", "tokenizer_type": "subword-nmt",
         "tokenizer_cfg": {"codes": "training/codes.txt"}}


def stack(layers, norm, activation, scale):
    return {"type": "transformer", "num_layers": layers, "num_heads": 2, "hidden_size": 16,
            "ff_size": 24, "dropout": 0.2, "layer_norm": norm, "activation": activation,
            "embeddings": {"embedding_dim": 16, "scale": scale}}


CASES = {
    "post": (PIECES, {"encoder": stack(2, "post", "relu", True),
                      "decoder": stack(2, "post", "relu", True),
                      "tied_embeddings": True, "tied_softmax": True}),
    "pre": (CODES, {"encoder": stack(3, "pre", "gelu", True),
                    "decoder": stack(1, "pre", "gelu", False), "tied_softmax": True}),
    "words": (WORD, {"encoder": stack(2, "pre", "swish", False),
                     "decoder": stack(2, "pre", "swish", False)}),
}


class JoeyReference(Reference):
    def ids(self, text):
        return super().ids(text) + [self.source.index("</s>")]


def write_splitter(directory, level):
    without_pad = lambda pieces: [piece for piece in pieces if piece != "<pad>"]
    if level is WORD:
        return str.split, lambda pieces: " ".join(without_pad(pieces))
    split, join = (write_spm(directory / "spm.model") if level is PIECES else
                   write_codes(directory / "codes.txt"))
    return split, lambda pieces: join(without_pad(pieces))


def randomize(model):
    for name, parameter in model.named_parameters():
        is_norm, is_table = "norm" in name and name.endswith("weight"), "lut" in name
        wide = parameter.dim() == 2 and not is_table
        deviation = 1.5 * parameter.shape[-1] ** -0.5 if wide else 0.5 if is_table else 0.2
        parameter.normal_(1.0 if is_norm else 0.0, deviation)
    for part in (model.encoder, model.decoder):  # 5000 positions
        part.pe.pe = part.pe.pe[:, :40].clone()
    return model.eval()


def save(directory, model, vocabularies, settings, level):
    for side, vocabulary in zip(("src", "trg"), vocabularies):
        vocabulary.to_file(directory / f"{side}_vocab.txt")
    config = {"name": "case", "data": {"src": {"lang": "en", **level},
                                       "trg": {"lang": "de", **level}}, "model": settings}
    (directory / "config.yaml").write_text(yaml.safe_dump(config))
    optimizer = torch.optim.Adam(model.parameters())
    torch.save({"model_state": model.state_dict(), "optimizer_state": optimizer.state_dict(),
                "scaler_state": None, "scheduler_state": {"rate": 0.5, "last_epoch": 2},
                "train_iter_state": torch.Generator().get_state(),
                "stats_state": {"steps": 100, "best_ckpt_score": numpy.float64(2.5)}},
               directory / "best.ckpt")


@torch.no_grad()
def write_case(directory, name, lines):
    level, settings = CASES[name]
    case = directory / name
    case.mkdir(parents=True)
    torch.manual_seed(len(name))
    split, join = write_splitter(case, level)
    vocabularies = [Vocabulary(pieces, types.SimpleNamespace(**SPECIALS))
                    for pieces in lists_of_pieces(split, name == "post")]
    model = build_model(settings, *vocabularies)
    randomize(model)
    save(case, model, vocabularies, settings, level)

    def logits(sources, inputs):
        source, before = torch.tensor(sources), torch.tensor(inputs)
        mask = torch.ones(len(sources), 1, source.shape[1], dtype=torch.bool)
        memory, hidden, _, _ = model(return_type="encode", src=source,
                                     src_length=torch.full((len(sources),), source.shape[1]),
                                     src_mask=mask)
        after = torch.ones(len(inputs), 1, before.shape[1], dtype=torch.bool)
        return model(return_type="decode", encoder_output=memory, encoder_hidden=hidden,
                     src_mask=mask, trg_input=before, unroll_steps=None, trg_mask=after)[0]

    lists = [vocabulary._itos for vocabulary in vocabularies]
    reference = JoeyReference(logits, split, join, *lists).case(lines)
    (directory / f"{name}.json").write_text(json.dumps(reference, ensure_ascii=False) + "\n")


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    for name in CASES:
        write_case(directory, name, lines)


if __name__ == "__main__":
    main()
