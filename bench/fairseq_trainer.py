#!/usr/bin/env python3
"""Training speed of fairseq 0.12.2, to compare dietmt with.

Trains fairseq's Transformer of one of dietmt's presets with fairseq's own criterion and optimiser
(label_smoothed_cross_entropy, adam) on a batch file of bench/training_speed, as
bench/pytorch_baseline.py does, in fp32: fairseq has no bf16 on a CPU. Its reading of data and its
logging are not part of the time. Prints one JSON object with the same keys.

fairseq 0.12.2 needs Python 3.10 or older:

    pip install torch numpy "omegaconf<2.1" "hydra-core<1.1" regex sacrebleu bitarray tqdm cython cffi
    pip install --no-deps fairseq==0.12.2
"""

import argparse
import json
import statistics
import time

import torch
from fairseq import utils
from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion
from fairseq.data import Dictionary, data_utils
from fairseq.models.transformer import TransformerModel, base_architecture
from fairseq.optim.adam import FairseqAdam

from pytorch_baseline import PRESETS


class Task:
    """The parts of a fairseq task that the model and the criterion use."""

    def __init__(self, vocabulary):
        self.source_dictionary = self.target_dictionary = Dictionary()
        self.first_piece = len(self.target_dictionary)
        for piece in range(vocabulary):
            self.target_dictionary.add_symbol(f"piece {piece}")


def sample_of(batch, task):
    """A padded sample. Pieces follow fairseq's special symbols; the end of a sentence is a piece."""
    pad, begin = task.target_dictionary.pad(), task.target_dictionary.eos()

    def pieces(sentences, left_pad):
        rows = [torch.tensor(row) for row in sentences]
        return data_utils.collate_tokens(rows, pad, left_pad=left_pad)

    source = [[piece + task.first_piece for piece in row] for row in batch["source"]]
    target = [[piece + task.first_piece for piece in row] for row in batch["target"]]
    return {
        "net_input": {
            "src_tokens": pieces(source, left_pad=True),
            "src_lengths": torch.tensor([len(row) for row in source]),
            "prev_output_tokens": pieces([[begin] + row[:-1] for row in target], left_pad=False),
        },
        "target": pieces(target, left_pad=False),
        "ntokens": sum(map(len, target)),
    }


def model_of(options, task):
    sizes = PRESETS[options.preset]
    settings = argparse.Namespace(
        dropout=options.dropout, share_all_embeddings=True, max_source_positions=1024,
        max_target_positions=1024)
    for side in ("encoder", "decoder"):
        setattr(settings, f"{side}_layers", sizes["layers"])
        setattr(settings, f"{side}_embed_dim", sizes["width"])
        setattr(settings, f"{side}_ffn_embed_dim", sizes["feed_forward"])
        setattr(settings, f"{side}_attention_heads", sizes["heads"])
    base_architecture(settings)
    return TransformerModel.build_model(settings, task)


def update(model, criterion, optimizer, sample, options):
    model.train()
    optimizer.zero_grad()
    loss, tokens, _ = criterion(model, sample)
    optimizer.backward(loss)
    optimizer.multiply_grads(1.0 / tokens)
    optimizer.clip_grad_norm(options.clip_norm)
    optimizer.step()
    return loss.item() / tokens


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", required=True, help="batch file (JSON lines)")
    parser.add_argument("--vocab", type=int, required=True, help="vocabulary size")
    parser.add_argument("--preset", choices=PRESETS, default="tiny")
    parser.add_argument("--updates", type=int, required=True, help="timed updates")
    parser.add_argument("--warmup", type=int, default=3, help="updates before the clock starts")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--label-smoothing", type=float, default=0.1)
    parser.add_argument("--clip-norm", type=float, default=25.0)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = parse_options()
    torch.set_num_threads(options.threads)
    utils.set_torch_seed(options.seed)
    task = Task(options.vocab)
    with open(options.batches, encoding="utf-8") as lines:
        samples = [sample_of(json.loads(line), task) for line in lines]
    model = model_of(options, task)
    criterion = LabelSmoothedCrossEntropyCriterion(task, False, options.label_smoothing)
    optimizer = FairseqAdam(argparse.Namespace(
        lr=[options.learning_rate], adam_betas="(0.9, 0.98)", adam_eps=1e-8, weight_decay=0.0,
        use_old_adam=False, tpu=False, fp16_adam_stats=False), list(model.parameters()))

    for i in range(options.warmup):
        update(model, criterion, optimizer, samples[i % len(samples)], options)
    seconds, speeds, tokens, processor = [], [], 0, time.process_time()
    for i in range(options.updates):
        sample = samples[(options.warmup + i) % len(samples)]
        start = time.perf_counter()
        loss = update(model, criterion, optimizer, sample, options)
        seconds.append(time.perf_counter() - start)
        speeds.append(sample["ntokens"] / seconds[-1])
        tokens += sample["ntokens"]
    processor = time.process_time() - processor

    print(json.dumps({
        "preset": options.preset,
        "parameters": sum(p.numel() for p in model.parameters()),
        "device": "cpu",
        "precision": "fp32",
        "threads": options.threads,
        "updates": len(seconds),
        "median_seconds_per_update": statistics.median(seconds),
        "target_tokens_per_second": statistics.median(speeds),
        "processor_seconds_per_million_tokens": processor / tokens * 1e6,
        "last_loss": loss,
        "torch": torch.__version__,
    }))


if __name__ == "__main__":
    main()
