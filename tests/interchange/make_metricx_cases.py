#!/usr/bin/env python3
"""Small MetricX models with random weights, and their scores.

    make_metricx_cases.py DIR     one directory per case; needs what make_transformers_cases.py needs

DIR/mt5 has the tokenizer, and DIR/scores.json the segments and the scores that each model in
DIR/metricx-* gives them with references and without, by the definition of MetricX: mT5's logit of
<extra_id_10> for the decoder's first token, between 0 and 25, of an input that has no </s>. Weights
and scores come from transformers' MT5ForConditionalGeneration, in fp64. bench/metricx_parity.py compares with
the authors' own program, which has this piece at number 250,089.
"""

import copy
import json
import pathlib
import random
import sys

import sentencepiece
import torch
import transformers

from make_transformers_cases import T5_PIECES, T5_SIZES, randomize
from make_words import SOURCE, TARGET, sentences

LABELS = ["source: ", "candidate: ", "reference: "]
LAYOUTS = {  # labels and their texts, in order
    "metricx-24": ["source: {src}", "candidate: {mt}", "reference: {ref}"],
    "metricx-23": ["candidate: {mt}", "reference: {ref}"],
    "metricx-23-qe": ["candidate: {mt}", "source: {src}"],
}
LONGEST = {"metricx-24": 1536, "metricx-23": 1024, "metricx-23-qe": 1024}


def segments():
    draw = random.Random(1)
    rows = [{"src": source, "mt": translation, "ref": reference} for source, translation, reference in
            zip(sentences(SOURCE, 12, 2), sentences(TARGET, 12, 3), sentences(TARGET, 12, 4))]
    rows.append({"src": "red dog", "mt": "", "ref": "roter Hund"})
    rows.append({"src": " ".join(draw.choices(SOURCE, k=1300)), "mt": " ".join(draw.choices(TARGET, k=700)),
                 "ref": "hund"})
    return rows


def write_tokenizer(directory):
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "spiece.model", "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences(SOURCE + TARGET + LABELS, 500, 1)), model_writer=file,
            vocab_size=80, model_type="bpe", normalization_rule_name="identity", minloglevel=2,
            user_defined_symbols=["<extra_id_10>"], **T5_PIECES)
    return transformers.T5Tokenizer(str(directory / "spiece.model"), extra_ids=0, legacy=True)


def input_ids(tokenizer, layout, row, with_reference):
    texts = [part.format(**row) for part in LAYOUTS[layout] if with_reference or "{ref}" not in part]
    ids = tokenizer(" ".join(texts), max_length=LONGEST[layout], truncation=True)["input_ids"]
    return torch.tensor([ids[:-1]])


def first_state(model, ids):
    start = torch.zeros(1, 1, dtype=torch.long)
    output = model(input_ids=ids, decoder_input_ids=start, output_hidden_states=True)
    return output.decoder_hidden_states[-1][0, 0], output.logits[0, 0]


def write_model(directory, layout, tokenizer, rows, seed):
    config = transformers.MT5Config(vocab_size=len(tokenizer) + 4, d_kv=12, feed_forward_proj="gated-gelu",
                                    tie_word_embeddings=False, **T5_SIZES)
    model = randomize(transformers.MT5ForConditionalGeneration(config), seed)
    piece = tokenizer.convert_tokens_to_ids("<extra_id_10>")
    inputs = [input_ids(tokenizer, layout, row, True) for row in rows]
    with torch.no_grad():
        for name, parameter in model.named_parameters():  # nearer to the size that training leaves
            if parameter.dim() == 2 and "block" in name:
                parameter.mul_(0.5)
        # Scores from below 0 to above 25.
        states = torch.stack([first_state(model, ids)[0] for ids in inputs])
        spread = (states @ model.lm_head.weight[piece]).std()
        mean = states.mean(0)
        model.lm_head.weight[piece] *= 9 / spread
        model.lm_head.weight[piece] += mean * (12 - mean @ model.lm_head.weight[piece]) / (mean @ mean)
        scores, exact = {}, copy.deepcopy(model).double()
        for name, with_reference in (("with", True), ("without", False)):
            if with_reference or layout == "metricx-24":
                scores[name] = [first_state(exact, input_ids(tokenizer, layout, row, with_reference))[1][piece]
                                .clamp(0, 25).item() for row in rows]
    model.config.architectures = ["MT5ForRegression"]
    model.save_pretrained(directory)
    path = directory / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "architectures": ["MT5ForRegression"]}, indent=1))
    (directory / "generation_config.json").unlink()
    print(layout, {name: [round(score, 2) for score in found] for name, found in scores.items()})
    return scores


def main():
    directory = pathlib.Path(sys.argv[1])
    tokenizer = write_tokenizer(directory / "mt5")
    rows = segments()
    scores = {layout: write_model(directory / layout, layout, tokenizer, rows, seed)
              for seed, layout in enumerate(LAYOUTS, 1)}
    (directory / "scores.json").write_text(json.dumps({"segments": rows, "scores": scores}) + "\n")


if __name__ == "__main__":
    main()
