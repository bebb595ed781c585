#!/usr/bin/env python3
"""Compares BERTs of Hugging Face's transformers with dietmt's: hidden states of all layers, pooled
output and the scores of all heads, in fp32.

    bert_parity.py --program build/bin/bert_states [--tolerance 1e-5]

Each case is a model with random weights and a batch of odd lengths with two segments. transformers
computes the inputs one by one, dietmt as one packed batch. Then dietmt's export is loaded by
transformers again, which must report no missing tensor and give the same outputs.

Prints the largest difference of a case, and how far each side is from transformers in fp64. Fails if
a difference is above the tolerance, unless rounding puts transformers that far off: then dietmt
must be within twice its distance. Needs torch and transformers 4.x.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/interchange"))
from make_bert_cases import outputs, random_batch, random_model  # noqa: E402

KINDS = ["BertForPreTraining", "BertForMaskedLM", "BertForSequenceClassification",
         "BertForQuestionAnswering", "BertModel"]
SIZES = {
    "small": dict(vocab_size=211, hidden_size=24, num_hidden_layers=3, num_attention_heads=3,
                  intermediate_size=50, max_position_embeddings=61),
    "mini": dict(vocab_size=1009, hidden_size=256, num_hidden_layers=4, num_attention_heads=4,
                 intermediate_size=1024, max_position_embeddings=128),
    "base": dict(vocab_size=30522, hidden_size=768, num_hidden_layers=12, num_attention_heads=12,
                 intermediate_size=3072, max_position_embeddings=512),
}
LENGTHS = {"small": [1, 7, 61, 2, 33], "mini": [128, 1, 97, 17], "base": [512, 3, 97]}


def trained_like(model):
    """Weights of the size that training leaves, which fp32 sums do not blur in wide models."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 2:
                parameter.mul_(0.05 / 0.3)
            elif "LayerNorm.weight" not in name:
                parameter.mul_(0.1)
    return model


def largest_difference(ours, theirs):
    assert ours.keys() == theirs.keys(), (sorted(ours), sorted(theirs))
    return max((ours[name] - theirs[name]).abs().max().item() for name in theirs)


def compare(program, model, batch):
    """Largest differences: dietmt and transformers, each of them and fp64, dietmt's export there."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "exported").mkdir()
        model.save_pretrained(root / "model")
        save_file(batch, root / "batch")
        subprocess.run([program, "--model", root / "model", "--batch", root / "batch", "--output",
                        root / "output", "--export", root / "exported"], check=True)
        expected = outputs(model, batch)
        ours = load_file(root / "output")
        exported, report = type(model).from_pretrained(
            root / "exported", attn_implementation="eager", output_loading_info=True)
        for kind in ("missing_keys", "mismatched_keys", "unexpected_keys"):
            assert not report[kind], (kind, report[kind])
        back = largest_difference(outputs(exported.eval(), batch), expected)
        exact = outputs(model.double(), batch)
        return (largest_difference(ours, expected), largest_difference(ours, exact),
                largest_difference(expected, exact), back)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["small", "mini"])
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    failures = seed = 0
    for size in options.sizes:
        for position in ("absolute", "relative_key", "relative_key_query"):
            for kind in KINDS if size == "small" else KINDS[:1]:
                seed += 1
                labels = 3 if kind == "BertForSequenceClassification" else 2
                model = trained_like(random_model(kind, seed, position_embedding_type=position,
                                                  num_labels=labels, **SIZES[size]))
                batch = random_batch(model.config, LENGTHS[size], seed)
                between, ours, theirs, back = compare(options.program, model, batch)
                good = between <= options.tolerance or ours <= 2 * theirs
                failures += not good or not back <= options.tolerance  # also if it is no number
                print(f"{size:6} {position:19} {kind:30} {between:.1e}  from fp64: dietmt {ours:.1e}, "
                      f"transformers {theirs:.1e}  exported {back:.1e}", flush=True)
    print(f"{failures} of {seed} cases differ; transformers {transformers.__version__}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
