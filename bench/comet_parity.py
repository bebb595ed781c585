#!/usr/bin/env python3
"""Compares COMET scores of the Python package unbabel-comet with those of dietmt evaluate.

    comet_parity.py --program build/bin/dietmt --source S --hypothesis H --reference R
                    [--lines 200] [--width 256] [--layers 4] [--tolerance 1e-4]

The package makes checkpoints of all its supported kinds with random weights, over an XLM-R of this
size whose sentencepiece model is trained on the three files (with the normalisation of XLM-R), and
scores the lines. dietmt imports the same checkpoints and scores the same lines. Prints the largest
difference and the spread of the scores of each kind; fails if a difference is above the tolerance. Without
the package it prints the reason and exits with 77.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/interchange"))
try:
    import make_comet_cases as maker
    import sentencepiece
    import transformers
except ImportError as error:
    print(f"skipped: {error}; install unbabel-comet")
    sys.exit(77)


def write_encoder(directory, texts, width, layers, vocabulary=4000):
    directory.mkdir()
    sentencepiece.SentencePieceTrainer.train(
        input=",".join(str(text) for text in texts), vocab_size=vocabulary - 2,
        model_prefix=str(directory / "model"), model_type="unigram", minloglevel=2,
        hard_vocab_limit=False, unk_id=0, bos_id=1, eos_id=2)
    (directory / "model.model").rename(directory / "sentencepiece.bpe.model")
    transformers.XLMRobertaConfig(
        vocab_size=vocabulary, hidden_size=width, num_hidden_layers=layers,
        num_attention_heads=width // 64, intermediate_size=4 * width, max_position_embeddings=514,
        type_vocab_size=1, layer_norm_eps=1e-5).save_pretrained(directory)


def dietmt_scores(program, root, encoder, texts, reads_reference):
    subprocess.run([program, "import", "--from", root / "checkpoint", "--encoder", encoder,
                    "--output", root / "model", "--quiet"], check=True)
    command = [program, "evaluate", "--metric", "comet", "--comet-model", root / "model",
               "--source", texts["src"], "--hypothesis", texts["mt"], "--json", "--sentence-level"]
    if reads_reference:
        command += ["--reference", texts["ref"]]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(result.stdout)[0]["sentence_scores"]


def compare(arguments, identifier, choices, files, rows, encoder):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        model = maker.random_metric(identifier, encoder, 1, **{"hidden_sizes": [96, 32], **choices})
        for key, parameter in model.named_parameters():  # of the size that training leaves
            if parameter.dim() == 2:
                parameter.data.mul_(0.05 / 0.3)
        maker.write_checkpoint(root / "checkpoint", identifier, model)
        expected = maker.scores(model, rows)
        ours = dietmt_scores(arguments.program, root, encoder, files,
                             identifier != "referenceless_regression_metric")
    spread = max(expected) - min(expected)
    return max(abs(a - b) for a, b in zip(ours, expected, strict=True)), spread


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    for name in ("source", "hypothesis", "reference"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    arguments = parser.parse_args()
    maker.silence()
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        files, rows = {}, [{} for _ in range(arguments.lines)]
        for key, path in (("src", arguments.source), ("mt", arguments.hypothesis),
                          ("ref", arguments.reference)):
            lines = [line.rstrip() for line in path.read_text().split("\n")[:arguments.lines]]
            files[key] = root / key
            files[key].write_text("\n".join(lines) + "\n")
            for row, line in zip(rows, lines, strict=True):
                row[key] = line
        encoder = root / "encoder"
        write_encoder(encoder, files.values(), arguments.width, arguments.layers)
        worst = 0.0
        for case, (identifier, choices) in maker.CASES.items():
            difference, spread = compare(arguments, identifier, choices, files, rows, encoder)
            if not difference <= worst:  # also if it is no number
                worst = difference
            print(f"{case:15} largest difference {difference:.1e}, scores spread over {spread:.3f}")
    sys.exit(not worst <= arguments.tolerance)


if __name__ == "__main__":
    main()
