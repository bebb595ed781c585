#!/usr/bin/env python3
"""Small COMET checkpoints with random weights, and the scores that the Python package gives them.

    make_comet_cases.py DIR        needs unbabel-comet with torch and transformers 4.x

DIR gets `encoder`, an XLM-R whose sizes and tokenizer COMET uses; `segments.json`, the
texts; and one directory per case in the layout of published checkpoints (hparams.yaml,
checkpoints/model.ckpt), with `scores.json`, the score of each segment, and for a unified model
`scores_without_reference.json`.
"""

import argparse
import io
import json
import logging
import os
import pathlib
import random
import shutil
import warnings

import pytorch_lightning
import sentencepiece
import torch
import transformers
import yaml
from comet.models import str2model

WORDS = ["the", "a", "house", "red", "old,", "houses.", "tree", "trees", "das", "ein", "Haus",
         "rote", "alte,", "Baum"]
VOCABULARY = 34

# Differences from the package's defaults: as in wmt20-comet-da, wmt22-comet-da, wmt20-comet-qe-da,
# wmt22-cometkiwi-da, a unified model of all three texts, and options that none of them uses.
CASES = {
    "normed": ("regression_metric", dict(layer_norm=True, layer_transformation="softmax")),
    "sparse": ("regression_metric", dict(layer_norm=False, layer_transformation="sparsemax")),
    "referenceless": ("referenceless_regression_metric",
                      dict(hidden_sizes=[10], final_activation="Sigmoid", layer_norm=True)),
    "unified_source": ("unified_metric",
                       dict(layer_norm=False, layer_transformation="sparsemax",
                            input_segments=["mt", "src"])),
    "unified": ("unified_metric", dict(layer_norm=True, input_segments=["mt", "src", "ref"])),
    "one_layer": ("regression_metric", dict(layer=1, pool="max")),
}


def sentences(words, count):
    return [" ".join(words.choices(WORDS, k=words.randint(1, 9))) for _ in range(count)]


def write_encoder(directory, width=8, positions=26):
    """The files of an XLM-R that COMET needs: sizes and tokenizer, but no weights."""
    directory.mkdir(parents=True)
    trained = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences(random.Random(5), 300)), model_writer=trained,
        vocab_size=VOCABULARY - 2, model_type="unigram", normalization_rule_name="identity",
        minloglevel=2)
    (directory / "sentencepiece.bpe.model").write_bytes(trained.getvalue())
    config = transformers.XLMRobertaConfig(
        vocab_size=VOCABULARY, hidden_size=width, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=12, max_position_embeddings=positions, type_vocab_size=1,
        layer_norm_eps=1e-5)
    config.save_pretrained(directory)
    transformers.XLMRobertaTokenizerFast(str(directory / "sentencepiece.bpe.model"))


def random_metric(identifier, encoder, seed, **choices):
    """A model of the package in which every parameter is random, so that each one matters."""
    torch.manual_seed(seed)
    options = dict(encoder_model="XLM-RoBERTa", pretrained_model=str(encoder),
                   load_pretrained_weights=False, hidden_sizes=[12, 6])
    model = str2model[identifier](**{**options, **choices})
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            centre = 1.0 if "LayerNorm.weight" in name or "gamma" in name else 0.0
            parameter.normal_(centre, 0.3)
    return model.eval()


def write_checkpoint(directory, identifier, model):
    """hparams.yaml and checkpoints/model.ckpt, which Lightning writes."""
    (directory / "checkpoints").mkdir(parents=True)
    hparams = {"class_identifier": identifier, **dict(model.hparams)}
    (directory / "hparams.yaml").write_text(yaml.safe_dump(hparams))
    trainer = pytorch_lightning.Trainer(logger=False, enable_progress_bar=False, accelerator="cpu")
    trainer.strategy.connect(model)
    trainer.save_checkpoint(directory / "checkpoints" / "model.ckpt", weights_only=True)


def segments():
    words = random.Random(6)
    columns = [sentences(words, 8) for _ in range(3)]
    rows = [dict(zip(("src", "mt", "ref"), row)) for row in zip(*columns)]
    rows.append(dict(src="", mt="", ref=""))
    rows.append(dict(src=" ".join(WORDS * 3), mt=" ".join(WORDS * 2), ref="das Haus"))  # are cut
    return rows


def scores(model, rows):
    return model.predict(rows, batch_size=4, gpus=0, progress_bar=False).scores


def write_json(path, value):
    pathlib.Path(path).write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def silence():
    logging.disable(logging.WARNING)
    warnings.filterwarnings("ignore")


def main():
    silence()
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    root = parser.parse_args().directory
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    os.chdir(root)  # checkpoints have the path of the encoder
    encoder = pathlib.Path("encoder")
    write_encoder(encoder)
    rows = segments()
    write_json("segments.json", rows)
    for seed, (name, (identifier, choices)) in enumerate(CASES.items()):
        model = random_metric(identifier, encoder, seed, **choices)
        write_checkpoint(pathlib.Path(name), identifier, model)
        write_json(f"{name}/scores.json", scores(model, rows))
        if name == "unified":
            without = [{key: row[key] for key in ("src", "mt")} for row in rows]
            write_json(f"{name}/scores_without_reference.json", scores(model, without))


if __name__ == "__main__":
    main()
