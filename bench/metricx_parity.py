#!/usr/bin/env python3
"""Compares scores of the MetricX authors' program with those of dietmt evaluate.

    metricx_parity.py --program build/bin/dietmt --package FOLDER --source S --hypothesis H --reference R
                      [--lines 100] [--width 64] [--layers 2] [--tolerance 1e-4]

FOLDER has `metricx24/models.py` of google-research/metricx. The program's model gets random weights,
a vocabulary of mT5's size whose first pieces come from the three files, and scores the lines as
`metricx24/predict.py` does, with references and without. dietmt imports the same checkpoint. Prints
the largest difference and the spread of the scores; fails above the tolerance. Needs torch,
transformers and sentencepiece.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import sentencepiece
import torch
import transformers

VOCABULARY, FIRST_SENTINEL, SENTINELS = 250112, 250000, 100


def write_tokenizer(path, texts):
    """Few pieces of the texts, unused ones, and <extra_id_99> to <extra_id_0> where mT5 has them."""
    trainer = sentencepiece.SentencePieceTrainer
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(input=",".join(map(str, texts)), vocab_size=2000, hard_vocab_limit=False,
                      model_prefix=f"{folder}/pieces", model_type="unigram", character_coverage=1.0,
                      normalization_rule_name="nmt_nfkc", minloglevel=2, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
        from sentencepiece import sentencepiece_model_pb2 as messages
        model = messages.ModelProto.FromString(pathlib.Path(folder, "pieces.model").read_bytes())
    names = [f"<unused_{i}>" for i in range(len(model.pieces), FIRST_SENTINEL)]
    names += [f"<extra_id_{SENTINELS - 1 - i}>" for i in range(SENTINELS)]
    for name in names:
        model.pieces.add(piece=name, score=0.0, type=messages.ModelProto.SentencePiece.USER_DEFINED)
    path.write_bytes(model.SerializeToString())


def random_model(models, width, layers):
    config = transformers.MT5Config(
        vocab_size=VOCABULARY, d_model=width, d_ff=2 * width, d_kv=16, num_heads=width // 16,
        num_layers=layers, num_decoder_layers=layers, feed_forward_proj="gated-gelu",
        tie_word_embeddings=False, decoder_start_token_id=0)
    torch.manual_seed(1)
    model = models.MT5ForRegression(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 2 and "block" in name:
                parameter.normal_(0, 0.7 * parameter.shape[-1] ** -0.5)
        model.lm_head.weight[FIRST_SENTINEL + SENTINELS - 11].normal_(0, 2)
    return model.eval()


def scores(model, tokenizer, rows, with_reference):
    found = []
    for source, hypothesis, reference in rows:
        text = f"source: {source} candidate: {hypothesis}"
        text += f" reference: {reference}" if with_reference else ""
        ids = tokenizer(text, max_length=1536, truncation=True)["input_ids"][:-1]
        with torch.no_grad():
            output = model(input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)),
                           use_cache=False)
        found.append(output.predictions.item())
    return found


def centred(model, tokenizer, rows):
    """Moves the output's weights so that the mean score is 12."""
    raw = []
    hook = model.lm_head.register_forward_hook(lambda _, states, __: raw.append(states[0][0, 0]))
    scores(model, tokenizer, rows, True)
    hook.remove()
    mean, weight = torch.stack(raw).mean(0), model.lm_head.weight[FIRST_SENTINEL + SENTINELS - 11]
    with torch.no_grad():
        weight += mean * (12 - mean @ weight) / (mean @ mean)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=pathlib.Path, required=True)
    for name in ("program", "source", "hypothesis", "reference"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    parser.add_argument("--lines", type=int, default=100)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    options = parser.parse_args()
    sys.path.insert(0, str(options.package))
    from metricx24 import models
    texts = [options.source, options.hypothesis, options.reference]
    files = [path.read_text(encoding="utf-8").splitlines()[:options.lines] for path in texts]
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "mt5").mkdir()
        write_tokenizer(root / "mt5/spiece.model", texts)
        tokenizer = transformers.T5TokenizerFast.from_pretrained(root / "mt5", extra_ids=0)
        model, rows = random_model(models, options.width, options.layers), list(zip(*files, strict=True))
        centred(model, tokenizer, rows)
        model.save_pretrained(root / "metricx-24-random", safe_serialization=False)
        subprocess.run([options.program, "import", root / "metricx-24-random", "--encoder", root / "mt5",
                        "--output", root / "model", "--quiet"], check=True)
        for part, lines in zip(("s", "h", "r"), files):
            (root / part).write_text("\n".join(lines) + "\n", encoding="utf-8")
        worst = 0.0
        for kind, reference in (("with", ["--reference", root / "r"]), ("without", [])):
            expected = scores(model, tokenizer, rows, kind == "with")
            result = subprocess.run(
                [options.program, "evaluate", "--metric", "metricx", "--comet-model", root / "model",
                 "--source", root / "s", "--hypothesis", root / "h", *reference, "--json", "--sentence-level"],
                check=True, capture_output=True, text=True)
            ours = json.loads(result.stdout)[0]["sentence_scores"]
            difference = max(abs(a - b) for a, b in zip(ours, expected, strict=True))
            print(f"{kind} references: scores {min(expected):.2f} to {max(expected):.2f}, "
                  f"largest difference {difference:.1e}")
            worst = max(worst, difference)
    sys.exit(worst > options.tolerance)


if __name__ == "__main__":
    main()
