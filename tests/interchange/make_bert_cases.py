#!/usr/bin/env python3
"""Small BERTs of Hugging Face's transformers with random weights, and what they compute.

    make_cases.py DIR        writes one directory a case; needs torch and transformers 4.x

A case is a model directory as `save_pretrained` writes it and `expected.safetensors`: a packed batch
(pieces [N], segments [N], lengths [B]) and the outputs for it: hidden [L+1, N, D], pooled [B, D],
masked_lm [N, V], next_sentence [B, 2], classes [B, C], spans [N, 2], as far as the model has them.
Inputs are computed one by one, so that no padding can play a part.
"""

import argparse
import pathlib
import shutil

import torch
import transformers
from safetensors.torch import save_file

TINY = dict(vocab_size=24, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=24, max_position_embeddings=12)


def random_model(kind, seed, **config):
    """A transformers model in which every parameter is random, so that each one matters."""
    torch.manual_seed(seed)
    model = getattr(transformers, kind)(
        transformers.BertConfig(attn_implementation="eager", **config))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(1.0 if "LayerNorm.weight" in name else 0.0, 0.3)
    return model.eval()


def random_batch(config, lengths, seed):
    """Pieces, segments (the second one from a random place on) and lengths, packed."""
    torch.manual_seed(seed)
    total = sum(lengths)
    segments = torch.zeros(total, dtype=torch.int64)
    start = 0
    for length in lengths:
        segments[start + int(torch.randint(1, length + 1, ())):start + length] = 1
        start += length
    return {
        "pieces": torch.randint(0, config.vocab_size, (total,)),
        "segments": segments,
        "lengths": torch.tensor(lengths),
    }


@torch.no_grad()
def outputs_of_one(model, pieces, segments):
    out = model(pieces[None], token_type_ids=segments[None], output_hidden_states=True)
    hidden = torch.cat(out.hidden_states)  # [L+1, T, D]
    values = {"hidden": hidden}
    bert = getattr(model, "bert", model)
    if bert.pooler is not None:
        values["pooled"] = bert.pooler(hidden[-1:])
    kind = type(model).__name__
    if kind == "BertForPreTraining":
        values["masked_lm"] = out.prediction_logits[0]
        values["next_sentence"] = out.seq_relationship_logits
    elif kind == "BertForMaskedLM":
        values["masked_lm"] = out.logits[0]
    elif kind == "BertForSequenceClassification":
        values["classes"] = out.logits
    elif kind == "BertForQuestionAnswering":
        values["spans"] = torch.stack([out.start_logits[0], out.end_logits[0]], 1)
    return values


def outputs(model, batch):
    parts = []
    start = 0
    for length in batch["lengths"].tolist():
        rows = slice(start, start + length)
        parts.append(outputs_of_one(model, batch["pieces"][rows], batch["segments"][rows]))
        start += length
    return {name: torch.cat([part[name] for part in parts], 1 if name == "hidden" else 0).contiguous()
            for name in parts[0]}


def write_case(directory, model, lengths, seed, **save_options):
    shutil.rmtree(directory, ignore_errors=True)
    model.save_pretrained(directory, **save_options)
    batch = random_batch(model.config, lengths, seed)
    # What is stored in bf16 is computed in fp32.
    save_file({**batch, **outputs(model.float(), batch)}, directory / "expected.safetensors")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    root = parser.parse_args().directory
    write_case(root / "absolute", random_model("BertForPreTraining", 1, **TINY), [5, 1, 12, 3], 11)
    write_case(root / "relative_key",
               random_model("BertForSequenceClassification", 2, num_labels=3,
                            position_embedding_type="relative_key", **TINY), [7, 2, 11], 12)
    write_case(root / "relative_key_query",
               random_model("BertForQuestionAnswering", 3,
                            position_embedding_type="relative_key_query", **TINY), [12, 4, 1], 13)
    # Without the prefix "bert.", in bf16, in several files.
    write_case(root / "bare", random_model("BertModel", 4, hidden_act="relu", **TINY).bfloat16(),
               [3, 9], 14, max_shard_size="6KB")


if __name__ == "__main__":
    main()
