#!/usr/bin/env python3
"""Compares MarianMT models of Hugging Face's transformers with what `dietmt import` makes of them:
logits, and translations by beam search and greedy search. Then compares what `dietmt export --to
huggingface` makes of that, which must load without a missing tensor and give the same logits.

    marian_parity.py --dietmt build/bin/dietmt --logits build/bin/marian_logits [--sizes tiny base]

Each case is a model with random weights and its own sentencepiece models. transformers computes
sentence by sentence, dietmt packed batches. Prints the largest difference of the logits, how far
each side is from transformers in fp64, lines that are translated otherwise, and the difference of
the logits after export. A line counts as different unless transformers itself, in fp64, translates
it as dietmt does. Fails if a difference is above the tolerance or a line differs. Needs torch,
transformers 4.x and sentencepiece.
"""

import argparse
import contextlib
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import transformers
from safetensors.torch import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/interchange"))
from make_cases import (TINY, logits_of, random_batch, random_model, source_lines,  # noqa: E402
                        translations, write_tokenizer)

SIZES = {
    "tiny": TINY,
    "small": dict(d_model=64, encoder_layers=3, decoder_layers=2, encoder_attention_heads=4,
                  decoder_attention_heads=4, encoder_ffn_dim=96, decoder_ffn_dim=96,
                  max_position_embeddings=128),
    "base": dict(d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8,
                 decoder_attention_heads=8, encoder_ffn_dim=2048, decoder_ffn_dim=2048,
                 max_position_embeddings=512),
}
TIES = {
    "all": dict(),
    "decoder": dict(share_encoder_decoder_embeddings=False),
    "none": dict(share_encoder_decoder_embeddings=False, tie_word_embeddings=False),
    "inputs": dict(tie_word_embeddings=False),
}
LENGTHS = [(5, 7), (1, 1), (33, 20), (12, 60), (2, 2)]
MAX_TOKENS = 24


def run(program, *arguments, **options):
    return subprocess.run([program, *map(str, arguments)], check=True, **options)


def largest_difference(ours, theirs):
    return (ours - theirs).abs().max().item()


@contextlib.contextmanager
def in_fp64(model):
    """A copy of the model; its masks need fp64 as the default."""
    torch.set_default_dtype(torch.float64)
    try:
        yield copy.deepcopy(model).double()
    finally:
        torch.set_default_dtype(torch.float32)


class Case:
    def __init__(self, options, root, size, ties, activation, seed):
        self.options, self.root = options, root
        self.directory = root / "theirs"
        separate = ties in ("decoder", "none")
        source, target = write_tokenizer(self.directory, separate)
        self.model = random_model(seed, source, target, activation_function=activation,
                                  **SIZES[size], **TIES[ties])
        self.tokenizer = transformers.MarianTokenizer.from_pretrained(self.directory)
        self.model.save_pretrained(self.directory)
        self.batch = random_batch(source, target, LENGTHS, seed)
        self.lines = source_lines(options.lines, seed, tags=not separate)
        save_file(self.batch, root / "batch")
        run(options.dietmt, "import", "--from", self.directory, "--output", root / "ours",
            stderr=subprocess.DEVNULL)

    def logits(self):
        """Largest differences: dietmt and transformers, and each of them and fp64."""
        run(self.options.logits, "--model", self.root / "ours", "--batch", self.root / "batch",
            "--output", self.root / "logits")
        ours = load_file(self.root / "logits")["logits"]
        theirs = logits_of(self.model, self.batch)
        with in_fp64(self.model) as model:
            exact = logits_of(model, self.batch)
        return (largest_difference(ours, theirs), largest_difference(ours, exact),
                largest_difference(theirs, exact))

    def different_lines(self, beams):
        found = run(self.options.dietmt, "translate", "--model", self.root / "ours", "--beam",
                    beams, "--max-length-factor", 0, "--max-length-offset", MAX_TOKENS,
                    "--threads", 1, input="\n".join(self.lines) + "\n",
                    capture_output=True, text=True)
        ours = found.stdout.split("\n")[:-1]
        assert len(ours) == len(self.lines), (len(ours), len(self.lines))
        theirs = translations(self.model, self.tokenizer, self.lines, beams, MAX_TOKENS)
        doubtful = [i for i in range(len(ours)) if ours[i] != theirs[i]]
        if not doubtful:
            return 0, 0
        with in_fp64(self.model) as model:
            exact = translations(model, self.tokenizer, [self.lines[i] for i in doubtful], beams,
                                 MAX_TOKENS)
        wrong = [i for i, line in zip(doubtful, exact) if ours[i] != line]
        for i in wrong[:3]:
            print(f"  '{self.lines[i]}': '{ours[i]}' in place of '{theirs[i]}'")
        return len(wrong), len(doubtful)

    def after_export(self):
        exported = self.root / "exported"
        run(self.options.dietmt, "export", "--model", self.root / "ours", "--to", "huggingface",
            "--output", exported, stderr=subprocess.DEVNULL)
        model, report = transformers.MarianMTModel.from_pretrained(
            exported, attn_implementation="eager", output_loading_info=True)
        for kind in ("missing_keys", "mismatched_keys", "unexpected_keys"):
            assert not report[kind], (kind, report[kind])
        tokenizer = transformers.MarianTokenizer.from_pretrained(exported)
        for line in self.lines:
            assert tokenizer(line).input_ids == self.tokenizer(line).input_ids, line
        return largest_difference(logits_of(model.eval(), self.batch),
                                  logits_of(self.model, self.batch))

    def round_trip(self):
        """Import of the export must be the first import."""
        run(self.options.dietmt, "import", "--from", self.root / "exported", "--output",
            self.root / "again", stderr=subprocess.DEVNULL)
        ours, again = (load_file(self.root / name / "model.safetensors")
                       for name in ("ours", "again"))
        assert ours.keys() == again.keys()
        assert all(torch.equal(ours[name], again[name]) for name in ours)
        configs = [json.loads((self.root / name / "config.json").read_text())
                   for name in ("ours", "again")]
        assert configs[0] == configs[1], configs


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dietmt", required=True)
    parser.add_argument("--logits", required=True)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["tiny", "small"])
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    warnings.filterwarnings("ignore")
    failures = cases = 0
    for size in options.sizes:
        for ties in TIES if size != "base" else ["all"]:
            for activation in ("swish", "relu", "gelu") if size != "base" else ["swish"]:
                cases += 1
                with tempfile.TemporaryDirectory() as root:
                    case = Case(options, pathlib.Path(root), size, ties, activation, cases)
                    between, ours, theirs = case.logits()
                    wrong = {beams: case.different_lines(beams) for beams in (1, 4)}
                    back = case.after_export()
                    case.round_trip()
                good = between <= options.tolerance and back <= options.tolerance  # a NaN is not
                good = good and not any(lines for lines, _ in wrong.values())
                failures += not good
                print(f"{size:6} {ties:8} {activation:6} logits {between:.1e}  from fp64: dietmt "
                      f"{ours:.1e}, transformers {theirs:.1e}  lines that differ (ties): greedy "
                      f"{wrong[1][0]} ({wrong[1][1]}), beam 4 {wrong[4][0]} ({wrong[4][1]}) of "
                      f"{options.lines}  exported {back:.1e}", flush=True)
    print(f"{failures} of {cases} cases differ; transformers {transformers.__version__}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
