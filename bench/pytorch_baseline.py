#!/usr/bin/env python3
"""Training speed of a plain padded PyTorch Transformer, to compare dietmt with.

The model is the encoder-decoder Transformer that dietmt's presets describe (post-norm, ReLU,
sinusoidal positions, one embedding for source, target and output), written the way a PyTorch user
writes it: padded batches, scaled_dot_product_attention, fused Adam. Both programs read the same
batch file, one JSON object a line:

    {"source": [[ids...], ...], "target": [[ids...], ...]}

with sentences that end in the end-of-sentence id. Padding the batches is not part of the time.
Prints one JSON object: seconds per update (median) and target tokens per second without padding.
"""

import argparse
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
}


class SelfAttention(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.project_in = nn.Linear(width, 3 * width)
        self.project_out = nn.Linear(width, width)

    def forward(self, x, mask=None, causal=False):
        batch, length, width = x.shape
        # [B, T, 3 D] -> 3 x [B, H, T, Dh]
        q, k, v = (
            self.project_in(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        )
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, mask, dropout, is_causal=causal)
        return self.project_out(y.transpose(1, 2).reshape(batch, length, width))


class CrossAttention(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.project_query = nn.Linear(width, width)
        self.project_memory = nn.Linear(width, 2 * width)
        self.project_out = nn.Linear(width, width)

    def forward(self, x, memory, mask=None):
        batch, length, width = x.shape
        q = self.project_query(x).view(batch, length, self.heads, -1).transpose(1, 2)
        k, v = (
            self.project_memory(memory)
            .view(batch, memory.shape[1], 2, self.heads, -1)
            .permute(2, 0, 3, 1, 4)
            .unbind(0)
        )
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, mask, dropout)
        return self.project_out(y.transpose(1, 2).reshape(batch, length, width))


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

    def forward(self, x, mask):
        x = self.norms[0](x + self.dropout(self.attention(x, mask)))
        return self.norms[1](x + self.dropout(self.feed_forward(x)))


class DecoderLayer(nn.Module):
    def __init__(self, width, feed_forward, heads, dropout, attention_dropout):
        super().__init__()
        self.attention = SelfAttention(width, heads, attention_dropout)
        self.cross_attention = CrossAttention(width, heads, attention_dropout)
        self.feed_forward = FeedForward(width, feed_forward)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask):
        # Padding stands at the end, where the causal mask hides it from every real position.
        x = self.norms[0](x + self.dropout(self.attention(x, causal=True)))
        x = self.norms[1](x + self.dropout(self.cross_attention(x, memory, memory_mask)))
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

    def embed(self, ids):
        return self.dropout(self.embedding(ids) * self.scale + self.positions[: ids.shape[1]])

    def forward(self, source, source_mask, target_in):
        memory = self.embed(source)
        for layer in self.encoder:
            memory = layer(memory, source_mask)
        y = self.embed(target_in)
        for layer in self.decoder:
            y = layer(y, memory, source_mask)
        return F.linear(y, self.embedding.weight)  # [B, T, V]


def pad(sentences, value):
    return nn.utils.rnn.pad_sequence([torch.tensor(s) for s in sentences], True, value)


def load_batches(path, begin_id):
    """Padded tensors of every line: source, its mask or None, decoder input, target, tokens."""
    batches = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            batch = json.loads(line)
            lengths = torch.tensor([len(s) for s in batch["source"]])
            source = pad(batch["source"], 0)
            mask = None
            if lengths.min() < source.shape[1]:
                mask = (torch.arange(source.shape[1]) < lengths[:, None])[:, None, None]  # [B,1,1,S]
            target = pad(batch["target"], IGNORED)
            target_in = pad([[begin_id] + s[:-1] for s in batch["target"]], 0)
            batches.append((source, mask, target_in, target, sum(map(len, batch["target"]))))
    return batches


def update(model, optimizer, batch, options):
    source, mask, target_in, target, tokens = batch
    optimizer.zero_grad(set_to_none=True)
    logits = model(source, mask, target_in)
    loss = F.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=IGNORED,
        label_smoothing=options.label_smoothing,
    )
    loss.backward()
    if options.clip_norm > 0:
        nn.utils.clip_grad_norm_(model.parameters(), options.clip_norm)
    optimizer.step()
    return loss.item()


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
    return parser.parse_args()


def main():
    options = parse_options()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    batches = load_batches(options.batches, options.begin_id)
    model = Transformer(
        options.vocab, max(max(b[0].shape[1], b[3].shape[1]) for b in batches),
        dropout=options.dropout, attention_dropout=options.attention_dropout,
        **PRESETS[options.preset],
    )
    optimizer = torch.optim.Adam(
        model.parameters(), lr=options.learning_rate, betas=(0.9, 0.98), eps=1e-8, fused=True
    )

    for i in range(options.warmup):
        update(model, optimizer, batches[i % len(batches)], options)
    seconds, tokens = [], 0
    for i in range(options.updates or len(batches)):
        batch = batches[i % len(batches)]
        start = time.perf_counter()
        loss = update(model, optimizer, batch, options)
        seconds.append(time.perf_counter() - start)
        tokens += batch[4]

    print(json.dumps({
        "preset": options.preset,
        "parameters": sum(p.numel() for p in model.parameters()),
        "threads": options.threads,
        "updates": len(seconds),
        "median_seconds_per_update": statistics.median(seconds),
        "target_tokens_per_second": tokens / sum(seconds),
        "last_loss": loss,
        "torch": torch.__version__,
    }))


if __name__ == "__main__":
    main()
