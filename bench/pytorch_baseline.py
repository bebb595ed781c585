#!/usr/bin/env python3
"""Training speed of a plain PyTorch Transformer, to compare dietmt with.

The model is the encoder-decoder Transformer that dietmt's presets describe (post-norm, ReLU,
sinusoidal positions, one embedding for source, target and output), written the way a PyTorch user
writes it: padded batches, scaled_dot_product_attention, fused Adam. --packed is for the user who
knows better: sentences end to end without padding, and variable-length Flash attention
(torch.nn.attention.varlen). --compile adds torch.compile. Both programs read the same batch file,
one JSON object a line:

    {"source": [[ids...], ...], "target": [[ids...], ...]}

with sentences that end in the end-of-sentence id. Padding or packing the batches is not part of the
time; on a GPU, copying them there is, from pinned memory. Prints one JSON object: seconds per
update and target tokens per second without padding (medians, until the device is idle).
"""

import argparse
import copy
import json
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

IGNORED = -100  # target id of padding, left out of the loss
PRESETS = {
    "tiny": dict(layers=4, width=128, feed_forward=256, heads=4),
    "base": dict(layers=6, width=512, feed_forward=2048, heads=8),
    "big": dict(layers=6, width=1024, feed_forward=4096, heads=16),
}


def pad(sentences, value):
    return nn.utils.rnn.pad_sequence([torch.tensor(s) for s in sentences], True, value)


class Batch:
    """What both layouts share: tensors that move to a device together."""

    def __init__(self, batch):
        self.target_tokens = sum(map(len, batch["target"]))
        self.longest = max(map(len, batch["source"] + batch["target"]))

    def map(self, work):
        for name, value in vars(self).items():
            if torch.is_tensor(value):
                setattr(self, name, work(value))
        return self


class PaddedBatch(Batch):
    """Ids [B, T], of the longest sentence; queries, keys and values [B, T, H, Dh]."""

    def __init__(self, batch, begin_id):
        super().__init__(batch)
        lengths = torch.tensor([len(s) for s in batch["source"]])
        self.source = pad(batch["source"], 0)
        self.mask = None
        if lengths.min() < self.source.shape[1]:
            self.mask = (torch.arange(self.source.shape[1]) < lengths[:, None])[:, None, None]
        self.target = pad(batch["target"], IGNORED)
        self.target_in = pad([[begin_id] + s[:-1] for s in batch["target"]], 0)

    def positions(self, table, ids, side):
        return table[: ids.shape[1]]

    def attend(self, q, k, v, site, dropout):
        # Padding stands at the end, where the causal mask hides it from every real position.
        causal = site == "decoder"
        q, k, v = (x.transpose(1, 2) for x in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, None if causal else self.mask, dropout,
                                           is_causal=causal)
        return y.transpose(1, 2)


class PackedBatch(Batch):
    """Ids [N] of the sentences end to end; queries, keys and values [N, H, Dh]."""

    def __init__(self, batch, begin_id):
        super().__init__(batch)
        self.source = torch.tensor(sum(batch["source"], []))
        self.target = torch.tensor(sum(batch["target"], []))
        self.target_in = torch.tensor(sum(([begin_id] + s[:-1] for s in batch["target"]), []))
        for side in ("source", "target"):
            lengths = torch.tensor([len(s) for s in batch[side]])
            ends = lengths.cumsum(0)
            setattr(self, f"{side}_ends", F.pad(ends, (1, 0)).to(torch.int32))
            setattr(self, f"{side}_longest", int(lengths.max()))
            setattr(self, f"{side}_positions", torch.cat([torch.arange(n) for n in lengths]))

    def positions(self, table, ids, side):
        return table[getattr(self, f"{side}_positions")]

    def attend(self, q, k, v, site, dropout):
        queries = "source" if site == "encoder" else "target"
        keys = "target" if site == "decoder" else "source"
        sides = [getattr(self, f"{side}_ends") for side in (queries, keys)]
        if not q.is_cuda:
            return self.attend_one_by_one(q, k, v, *sides, causal=site == "decoder")
        from torch.nn.attention.varlen import varlen_attn
        longest = [getattr(self, f"{side}_longest") for side in (queries, keys)]
        return varlen_attn(q, k, v, *sides, *longest,
                           window_size=(-1, 0) if site == "decoder" else (-1, -1))

    @staticmethod
    def attend_one_by_one(q, k, v, query_ends, key_ends, causal):
        """On the CPU, to check the layout: Flash attention needs a GPU."""
        parts = []
        for b in range(len(query_ends) - 1):
            rows = slice(int(query_ends[b]), int(query_ends[b + 1]))
            others = slice(int(key_ends[b]), int(key_ends[b + 1]))
            y = F.scaled_dot_product_attention(
                *(x.transpose(0, 1) for x in (q[rows], k[others], v[others])), is_causal=causal)
            parts.append(y.transpose(0, 1))
        return torch.cat(parts)


class SelfAttention(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.project_in = nn.Linear(width, 3 * width)
        self.project_out = nn.Linear(width, width)

    def forward(self, x, batch, site):
        # [..., 3 D] -> 3 x [..., H, Dh]
        q, k, v = self.project_in(x).unflatten(-1, (3, self.heads, -1)).unbind(-3)
        dropout = self.dropout if self.training else 0.0
        return self.project_out(batch.attend(q, k, v, site, dropout).flatten(-2))


class CrossAttention(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.project_query = nn.Linear(width, width)
        self.project_memory = nn.Linear(width, 2 * width)
        self.project_out = nn.Linear(width, width)

    def forward(self, x, memory, batch):
        q = self.project_query(x).unflatten(-1, (self.heads, -1))
        k, v = self.project_memory(memory).unflatten(-1, (2, self.heads, -1)).unbind(-3)
        dropout = self.dropout if self.training else 0.0
        return self.project_out(batch.attend(q, k, v, "cross", dropout).flatten(-2))


class FeedForward(nn.Sequential):
    def __init__(self, width, hidden):
        super().__init__(nn.Linear(width, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, width))


class EncoderLayer(nn.Module):
    def __init__(self, width, feed_forward, heads, dropout, attention_dropout):
        super().__init__()
        self.attention = SelfAttention(width, heads, attention_dropout)
        self.feed_forward = FeedForward(width, feed_forward)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, batch):
        x = self.norms[0](x + self.dropout(self.attention(x, batch, "encoder")))
        return self.norms[1](x + self.dropout(self.feed_forward(x)))


class DecoderLayer(nn.Module):
    def __init__(self, width, feed_forward, heads, dropout, attention_dropout):
        super().__init__()
        self.attention = SelfAttention(width, heads, attention_dropout)
        self.cross_attention = CrossAttention(width, heads, attention_dropout)
        self.feed_forward = FeedForward(width, feed_forward)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, batch):
        x = self.norms[0](x + self.dropout(self.attention(x, batch, "decoder")))
        x = self.norms[1](x + self.dropout(self.cross_attention(x, memory, batch)))
        return self.norms[2](x + self.dropout(self.feed_forward(x)))


def sinusoidal_table(length, width):
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    angle = torch.arange(length)[:, None] * rate
    return torch.cat([angle.sin(), angle.cos()], dim=1)  # [T, D]


class Transformer(nn.Module):
    def __init__(self, vocabulary, max_length, layers, width, feed_forward, heads, dropout,
                 attention_dropout):
        super().__init__()
        sizes = (width, feed_forward, heads, dropout, attention_dropout)
        self.embedding = nn.Embedding(vocabulary, width)
        self.encoder = nn.ModuleList(EncoderLayer(*sizes) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderLayer(*sizes) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)
        self.scale = math.sqrt(width)
        self.register_buffer("positions", sinusoidal_table(max_length, width), persistent=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)

    def embed(self, ids, batch, side):
        positions = batch.positions(self.positions, ids, side)
        return self.dropout(self.embedding(ids) * self.scale + positions)

    def forward(self, batch):
        memory = self.embed(batch.source, batch, "source")
        for layer in self.encoder:
            memory = layer(memory, batch)
        y = self.embed(batch.target_in, batch, "target")
        for layer in self.decoder:
            y = layer(y, memory, batch)
        return F.linear(y, self.embedding.weight)  # [..., V]


def load_batches(options):
    layout = PackedBatch if options.packed else PaddedBatch
    with open(options.batches, encoding="utf-8") as lines:
        batches = [layout(json.loads(line), options.begin_id) for line in lines]
    return [b.map(torch.Tensor.pin_memory) for b in batches] if on_gpu(options) else batches


def on_gpu(options):
    return options.device != "cpu"


def wait(options):
    if on_gpu(options):
        torch.cuda.synchronize()


def update(model, optimizer, batch, options):
    if on_gpu(options):
        batch = copy.copy(batch).map(lambda x: x.to(options.device, non_blocking=True))
    optimizer.zero_grad(set_to_none=True)
    kind = options.device.split(":")[0]
    with torch.autocast(kind, torch.bfloat16, enabled=options.precision == "bf16"):
        logits = model(batch)
    loss = F.cross_entropy(
        logits.flatten(0, -2).float(), batch.target.flatten(), ignore_index=IGNORED,
        label_smoothing=options.label_smoothing,
    )
    loss.backward()
    if options.clip_norm > 0:
        nn.utils.clip_grad_norm_(model.parameters(), options.clip_norm)
    optimizer.step()
    return loss


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--batches", required=True, help="batch file (JSON lines)")
    parser.add_argument("--vocab", type=int, required=True, help="vocabulary size")
    parser.add_argument("--preset", choices=PRESETS, default="tiny")
    parser.add_argument("--begin-id", type=int, default=1, help="id of begin of sentence")
    parser.add_argument("--updates", type=int, help="timed updates (default: each batch once)")
    parser.add_argument("--warmup", type=int, default=3, help="updates before the clock starts")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dropout", type=float, default=0.3, help="residual and embedding")
    parser.add_argument("--attention-dropout", type=float, default=0.0)
    parser.add_argument("--label-smoothing", type=float, default=0.1)
    parser.add_argument("--clip-norm", type=float, default=25.0, help="0: no clipping")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:I")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32",
                        help="of matrix products, by autocast")
    parser.add_argument("--packed", action="store_true",
                        help="no padding; on a GPU variable-length Flash attention, with bf16")
    parser.add_argument("--compile", action="store_true", help="torch.compile the model")
    options = parser.parse_args()
    if options.packed and options.attention_dropout > 0:
        parser.error("--packed has no attention dropout")
    if options.packed and on_gpu(options) and options.precision == "fp32":
        parser.error("--packed on a GPU needs --precision bf16")
    return options


def main():
    options = parse_options()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    batches = load_batches(options)
    model = Transformer(
        options.vocab, max(b.longest for b in batches), dropout=options.dropout,
        attention_dropout=options.attention_dropout, **PRESETS[options.preset],
    ).to(options.device)
    optimizer = torch.optim.Adam(
        model.parameters(), lr=options.learning_rate, betas=(0.9, 0.98), eps=1e-8, fused=True
    )
    if options.compile:
        model.compile(dynamic=True)

    # Batches of other shapes may make torch.compile compile again: none of that is timed.
    for i in range(len(batches) if options.compile else options.warmup):
        update(model, optimizer, batches[i % len(batches)], options)
    seconds, speeds, tokens, processor = [], [], 0, time.process_time()
    for i in range(options.updates or len(batches)):
        batch = batches[(options.warmup + i) % len(batches)]
        wait(options)
        start = time.perf_counter()
        loss = update(model, optimizer, batch, options)
        wait(options)
        seconds.append(time.perf_counter() - start)
        speeds.append(batch.target_tokens / seconds[-1])
        tokens += batch.target_tokens
    processor = time.process_time() - processor

    print(json.dumps({
        "preset": options.preset,
        "parameters": sum(p.numel() for p in model.parameters()),
        "device": options.device,
        "precision": options.precision,
        "packed": options.packed,
        "compiled": options.compile,
        "threads": options.threads,
        "updates": len(seconds),
        "median_seconds_per_update": statistics.median(seconds),
        "target_tokens_per_second": statistics.median(speeds),
        "processor_seconds_per_million_tokens": processor / tokens * 1e6,
        "peak_megabytes": torch.cuda.max_memory_allocated() / 2**20 if on_gpu(options) else 0,
        "last_loss": loss.item(),
        "torch": torch.__version__,
    }))


if __name__ == "__main__":
    main()
