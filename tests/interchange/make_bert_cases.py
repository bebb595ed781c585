#!/usr/bin/env python3
"""Small BERTs of Hugging Face's transformers with random weights, and what they compute.

    make_cases.py DIR        writes one directory per case; needs torch and transformers 4.x

A case is a model directory as `save_pretrained` writes it and `expected.safetensors`: a packed batch
(pieces [N], segments [N], lengths [B]) and the outputs for it: hidden [L+1, N, D], pooled [B, D],
masked_lm [N, V], next_sentence [B, 2], classes [B, C], spans [N, 2], as far as the model has them.
Inputs are computed one by one, so that padding has no effect. The case xlm_roberta has a
sentencepiece model too, and in `texts.json` the ids that the tokenizer gives texts and pairs.
"""

import argparse
import io
import json
import pathlib
import random
import shutil

import sentencepiece
import torch
import transformers
from safetensors.torch import save_file

TINY = dict(vocab_size=24, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=24, max_position_embeddings=12)
# Two rows of the table of positions are before the first token.
TINY_XLM_R = dict(TINY, max_position_embeddings=14, type_vocab_size=1, layer_norm_eps=1e-5,
                  pad_token_id=1, bos_token_id=0, eos_token_id=2)
# The tokenizer's two implementations differ in spaces at the end and names of special pieces.
TEXTS = ["", "the old house", " The house,  the HOUSE.", "\u00fc\u00e4 \u6f22\u5b57 house",
         ["the house", "a red house"], ["", "house"]]


def random_model(kind, seed, **config):
    """A transformers model in which every parameter is random, so that each one matters."""
    torch.manual_seed(seed)
    model_class = getattr(transformers, kind)
    model = model_class(model_class.config_class(attn_implementation="eager", **config))
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
    for length in lengths if config.type_vocab_size > 1 else []:
        segments[start + int(torch.randint(1, length + 1, ())):start + length] = 1
        start += length
    return {
        # <pad>, which has no position in XLM-R, is not a piece of a text.
        "pieces": torch.randint(2 if config.type_vocab_size == 1 else 0, config.vocab_size,
                                (total,)),
        "segments": segments,
        "lengths": torch.tensor(lengths),
    }


@torch.no_grad()
def outputs_of_one(model, pieces, segments):
    out = model(pieces[None], token_type_ids=segments[None], output_hidden_states=True)
    hidden = torch.cat(out.hidden_states)  # [L+1, T, D]
    values = {"hidden": hidden}
    encoder = getattr(model, model.base_model_prefix, model)
    kind = type(model).__name__.replace("XLMRoberta", "Bert")
    if encoder.pooler is not None:
        values["pooled"] = encoder.pooler(hidden[-1:])
    elif kind == "BertForSequenceClassification":  # its own first layer is the pooler in dietmt
        values["pooled"] = torch.tanh(model.classifier.dense(hidden[-1:, 0]))
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
    model.save_pretrained(directory, safe_serialization=True, **save_options)
    batch = random_batch(model.config, lengths, seed)
    # bf16 models are computed in fp32.
    save_file({**batch, **outputs(model.float(), batch)}, directory / "expected.safetensors")


def write_texts(directory):
    """A sentencepiece model, and the ids of XLM-R's tokenizer for texts and pairs of texts."""
    words = random.Random(5)
    lines = [" ".join(words.choices(["the", "a", "house", "red", "old,", "houses.", "tree", "trees"], k=6))
             for _ in range(200)]
    # The tables of other normalisation rules are larger than everything else here.
    trained = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=trained, vocab_size=TINY["vocab_size"] - 2,
        model_type="unigram", normalization_rule_name="identity", minloglevel=2)
    (directory / "sentencepiece.bpe.model").write_bytes(trained.getvalue())
    tokenizers = [kind(str(directory / "sentencepiece.bpe.model"))
                  for kind in (transformers.XLMRobertaTokenizer, transformers.XLMRobertaTokenizerFast)]
    cases = []
    for text in TEXTS:
        parts = text if isinstance(text, list) else [text]
        ids, fast_ids = (tokenizer(*parts)["input_ids"] for tokenizer in tokenizers)
        assert ids == fast_ids, text
        cases.append({"texts": parts, "ids": ids})
    (directory / "texts.json").write_text(json.dumps(cases, indent=1) + "\n")


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
    write_case(root / "xlm_roberta", random_model("XLMRobertaForMaskedLM", 5, **TINY_XLM_R),
               [5, 1, 12, 3], 15)
    write_texts(root / "xlm_roberta")
    write_case(root / "xlm_roberta_classes",
               random_model("XLMRobertaForSequenceClassification", 6, num_labels=3, **TINY_XLM_R),
               [7, 2, 11], 16)
    write_case(root / "xlm_roberta_spans",
               random_model("XLMRobertaForQuestionAnswering", 7, **TINY_XLM_R), [12, 4], 17)


if __name__ == "__main__":
    main()
