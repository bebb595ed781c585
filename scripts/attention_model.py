#!/usr/bin/env python3
"""A model of the time of the CUDA attention kernels on an H200.

    scripts/attention_model.py [--write | --check] [PAGE]

Prints the table of PAGE (default: docs/architecture/gpu.md), writes it between the page's markers,
or checks that it is up to date. The page says what the model assumes.
"""
import argparse
import json
import os
import random
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

MULTIPROCESSORS = 132
CLOCK = 1.755e9
TENSOR = 990e12  # dense bf16 operations a second, which wgmma reaches
MMA_SYNC = 0.62  # of it that mma.sync reaches
MEMORY = 4.8e12 * 0.85  # bytes a second
SHARED = 128 * MULTIPROCESSORS * CLOCK  # bytes a second
EXPONENTIALS = 16 * MULTIPROCESSORS * CLOCK
INSTRUCTIONS = 128 * MULTIPROCESSORS * CLOCK  # of single threads a second
OVERLAP = 0.53  # plain forward of long sentences as published for FlashAttention-2: 324 TFLOP/s
# FlashAttention-3 without overlap of products and softmax within a warpgroup: 582 TFLOP/s, width 128
WARPGROUP_OVERLAP = 582e12 / TENSOR
LAUNCH = 3e-6
HEADS, WIDTH, ELEMENT = 8, 64, 2
ROWS, WARP_ROWS, STEP = 128, 32, 16
WARPGROUP_TILE = 64  # rows of a warpgroup, and columns
CLIP = 16  # of tables over offsets
BAND_ROWS = 16  # that have one band of offsets


def lengths(workload, tokens=25000):
    """Sentences of about `tokens` tokens."""
    if workload != '20-128':
        length = int(workload)
        return [length] * max(1, round(tokens / length))
    draw = random.Random(1)
    sentences = []
    while sum(sentences) < tokens:
        sentences.append(draw.randint(20, 128))
    return sentences


def up(value, step):
    return (value + step - 1) // step * step


def scores(sentences, rows=WARP_ROWS, columns=STEP):
    """Scores that are computed, in multiples of rows and columns; and tiles of rows."""
    computed = sum(up(n, rows) * up(n, columns) for n in sentences)
    return HEADS * computed, HEADS * sum(up(n, ROWS) // ROWS for n in sentences)


class Work:
    """Work of a kernel on each unit."""

    def __init__(self, count, columns, rows=WARP_ROWS):
        self.count = count  # of scores
        self.columns = columns  # of a tile
        self.rows = rows  # that share the reads of the other side
        self.operations = self.shared = self.instructions = self.exponentials = 0.0

    def score_product(self, times):
        """Rows times columns: both come from shared memory."""
        self.operations += times * self.count * 2 * WIDTH
        bytes_of_tile = (self.rows + self.columns) * WIDTH * ELEMENT
        self.shared += times * self.count / (self.rows * self.columns) * bytes_of_tile

    def sum_product(self, times, depth=1.0):
        """Scores in registers times columns; depth: products for each column."""
        self.operations += times * depth * self.count * 2 * WIDTH
        self.shared += times * depth * self.count / self.rows * WIDTH * ELEMENT

    def per_score(self, instructions, exponentials=0.0, shared=0.0):
        self.instructions += instructions * self.count
        self.exponentials += exponentials * self.count
        self.shared += shared * self.count

    def add(self, other):
        """Work of the blocks of another part."""
        self.operations += other.operations
        self.shared += other.shared
        self.instructions += other.instructions
        self.exponentials += other.exponentials

    def seconds(self, tensor=TENSOR * MMA_SYNC, overlap=OVERLAP):
        return max(self.operations / tensor, self.shared / SHARED,
                   self.instructions / INSTRUCTIONS, self.exponentials / EXPONENTIALS) / overlap


def offset_bias(work, gradient):
    diagonals = work.columns // 8 + 3
    loads = 4 * 2 * diagonals / work.columns  # bytes a score
    work.per_score(2 * diagonals / work.columns, shared=loads)
    if gradient:
        work.per_score(1 + 3 * 2 * diagonals / work.columns, shared=3 * loads)


def band_share(sentences, columns):
    """Share of the scores of 16 rows and a tile's columns that use several entries of a table."""
    near = total = 0
    for n in sentences:
        for row in range(0, up(n, WARP_ROWS), BAND_ROWS):
            for column in range(0, n, columns):
                width = up(min(columns, n - column), STEP)
                last = column - row - BAND_ROWS + 1 >= CLIP  # all meet the last entry
                first = row - column - columns + 1 >= CLIP
                total += width
                near += 0 if first or last else width
    return near / total


def relative_vectors(work, share, gathers, scatters, products, by_column):
    """`gathers` and `scatters` move scores through shared memory by offset, `products` are of 16
    rows with their offsets: for `share` of the scores. The others add one number for each gather,
    and sum their rows for each scatter. `by_column`: gathers whose numbers are computed for each
    tile."""
    window = (work.columns + BAND_ROWS) / work.columns
    moves = gathers + scatters
    work.per_score(4 * moves * share + (gathers + 1.5 * scatters) * (1 - share),
                   shared=(4 * moves + 4 * products * window) * share)
    work.operations += products * window * share * work.count * 2 * WIDTH
    work.shared += products * window * share * work.count / BAND_ROWS * WIDTH * ELEMENT
    work.operations += by_column * work.count * 16 / ROWS * 2 * WIDTH


def forward(sentences, terms):
    count, tiles = scores(sentences)
    work = Work(count, 32 if terms == 'shaw' else 64)
    work.score_product(1)
    work.sum_product(1)
    work.per_score(6.5, exponentials=1)
    launches = 1
    if terms == 'diet-rel':
        offset_bias(work, gradient=False)
    if terms == 'shaw':
        relative_vectors(work, band_share(sentences, work.columns), gathers=1, scatters=1,
                         products=2, by_column=0)
        launches = 2
    traffic = 4 * sum(sentences) * HEADS * WIDTH * ELEMENT
    return launches * LAUNCH + max(work.seconds(), traffic / MEMORY) + tail(tiles)


def warpgroup_forward(sentences, terms):
    """By wgmma and TMA."""
    count, tiles = scores(sentences, WARPGROUP_TILE, WARPGROUP_TILE)
    work = Work(count, WARPGROUP_TILE, WARPGROUP_TILE)
    work.score_product(1)
    work.sum_product(1)
    work.per_score(6.5, exponentials=1)
    if terms == 'diet-rel':
        offset_bias(work, gradient=False)
    traffic = 4 * sum(sentences) * HEADS * WIDTH * ELEMENT
    seconds = max(work.seconds(TENSOR, WARPGROUP_OVERLAP), traffic / MEMORY)
    return LAUNCH + seconds + tail(tiles)


def backward(sentences, terms):
    count, tiles = scores(sentences)
    traffic = 11 * sum(sentences) * HEADS * WIDTH * ELEMENT
    if terms == 'shaw':
        parts = 3  # that recompute the scores
        work = Work(count, 16)  # of queries and of keys
        work.score_product(4)
        work.sum_product(2)
        work.per_score(2 * 9, exponentials=2)
        relative_vectors(work, band_share(sentences, 16), gathers=4, scatters=2, products=7,
                         by_column=2)
        values = Work(count, 32)
        values.score_product(1)
        values.sum_product(1)
        values.per_score(9, exponentials=1)
        relative_vectors(values, band_share(sentences, 32), gathers=1, scatters=0, products=1,
                         by_column=1)
        work.add(values)
    else:
        parts = 2
        work = Work(count, 32)
        work.score_product(4)
        work.sum_product(3)
        work.per_score(2 * 9, exponentials=2)
    launches = 2 if terms == 'none' else 3
    if terms == 'diet-rel':
        offset_bias(work, gradient=True)
        offset_bias(work, gradient=False)
    return launches * LAUNCH + max(work.seconds(), traffic / MEMORY) + parts * tail(tiles)


def warpgroup_backward(sentences, terms):
    """By wgmma and TMA."""
    count, tiles = scores(sentences, WARPGROUP_TILE, WARPGROUP_TILE)
    work = Work(count, WARPGROUP_TILE, WARPGROUP_TILE)
    work.score_product(4)
    work.sum_product(3)
    work.per_score(2 * 9, exponentials=2)
    launches = 2
    if terms == 'diet-rel':
        offset_bias(work, gradient=True)
        offset_bias(work, gradient=False)
        launches = 3
    traffic = 11 * sum(sentences) * HEADS * WIDTH * ELEMENT
    seconds = max(work.seconds(TENSOR, WARPGROUP_OVERLAP), traffic / MEMORY)
    return launches * LAUNCH + seconds + 2 * tail(tiles)


def tail(tiles):
    """The time to fill and to empty the device: two memory latencies for each wave of blocks."""
    blocks = 2 * MULTIPROCESSORS
    return 2 * 0.8e-6 * min(4.0, max(1.0, tiles / blocks))


def measured():
    """Milliseconds of the forward pass and of a step, by sentence length and encoding."""
    times = {}
    with open(f'{ROOT}/bench/log/h200.jsonl', encoding='utf-8') as file:
        for row in map(json.loads, file):
            if (row['step'] == 'attention' and row['backend'] == 'auto' and row['dropout_of_step'] and
                    row.get('tiles') != 'single'):
                name = row['encoding'].split('(')[0]
                times[row['tokens_a_sentence'], name] = row['forward_ms'], row['step_ms']
    return times


def table():
    lines = ['| tokens a sentence | terms | forward | forward by wgmma | backward '
             '| backward by wgmma | measured: forward | measured: step |',
             '|---|---|---|---|---|---|---|---|']
    times = measured()
    for workload in ('20-128', '512', '2048'):
        for terms in ('none', 'diet-rel', 'shaw'):
            sentences = lengths(workload)
            cells = []
            for way in (forward, warpgroup_forward, backward, warpgroup_backward):
                missing = terms == 'shaw' and way in (warpgroup_forward, warpgroup_backward)
                cells.append('-' if missing else f'{way(sentences, terms) * 1e6:.0f} us')
            cells += (f'{milliseconds * 1e3:.0f} us' for milliseconds in times[workload, terms])
            lines.append(f'| {workload} | {terms} | {" | ".join(cells)} |')
    return '\n'.join(lines) + '\n'


BEGIN = '<!-- scripts/attention_model.py writes this table -->\n'
END = '<!-- end -->\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument('--write', action='store_true')
    mode.add_argument('--check', action='store_true')
    parser.add_argument('page', nargs='?', default=f'{ROOT}/docs/architecture/gpu.md')
    options = parser.parse_args()
    if not options.write and not options.check:
        print(table(), end='')
        return
    with open(options.page, encoding='utf-8') as file:
        before, rest = file.read().split(BEGIN)
    written, after = rest.split(END, 1)
    if options.check:
        if written != table():
            sys.exit(f'{options.page} is out of date: run scripts/attention_model.py --write')
        return
    with open(options.page, 'w', encoding='utf-8') as file:
        file.write(before + BEGIN + table() + END + after)


if __name__ == '__main__':
    main()
