#!/usr/bin/env python3
"""Registers and stack of the CUDA kernels, from their object files.

    scripts/kernel_report.py [--most-stack BYTES] [--check PAGE | --write PAGE] OBJECT...

Prints a line for each kernel and architecture. With --most-stack, fails if a kernel has a larger
stack, which is where registers spill, or if the objects hold no kernel. --write puts the
kernels of sm_90 into the table of PAGE: attention in bf16, or row kernels or those of a decoding
step in bf16 and fp32. --check fails if that table differs. Exits with 77 if an object is missing.

A CUDA object embeds an ELF file for each architecture. Its section .nv.info lists attributes of
functions: format, attribute, size, then a symbol and a number (CUDA Binary Utilities; attribute
numbers as in the output of `cuobjdump -elf`).
"""
import argparse
import os
import re
import struct
import sys

REGISTERS = 0x2f
FRAME_BYTES = 0x11
SIZED_VALUE = 4
CLASSES = ['plain', 'offset bias', 'pair bias', 'relative vectors', 'everything']
ACTIVATIONS = ['no activation', 'relu', 'gelu', 'silu', 'swiglu']  # kernels/device_kernels.h
ROW_KERNELS = {'norm, forward': 'AddNormBlock', 'norm, backward': 'AddNormBackwardBlock',
               'activation, forward': 'ActivateBlock',
               'activation, backward': 'ActivateBackwardBlock', 'column sums': 'ColumnSumsBlock',
               'embedding, forward': 'EmbedBlock', 'embedding, backward': 'EmbedBackwardBlock',
               'embedding, backward, long runs': 'EmbedCrossingBlock',
               'loss': 'CrossEntropyBlock', 'rotary positions': 'RotateBlock'}
STEP_KERNELS = {'attention of one query': 'StepAttentionBlock {} [0-9]+ 1',
                'attention of several queries': 'StepAttentionBlock {} [0-9]+ [2-9]',
                'best tokens of a row': 'BeamRowBlock {}', 'choice of a sentence': 'BeamMergeBlock'}
BEGIN = '<!-- scripts/kernel_report.py writes this table -->\n'
END = '<!-- end -->\n'


class Elf:
    """The little of a 64-bit little-endian ELF file that the report needs."""

    def __init__(self, data):
        self.data = data
        offset, flags = struct.unpack_from('<Q', data, 40)[0], struct.unpack_from('<I', data, 48)[0]
        self.architecture = flags >> 8 & 0xff
        size, count, names = struct.unpack_from('<HHH', data, 58)
        self.sections = [struct.unpack_from('<IIQQQQIIQQ', data, offset + i * size)
                         for i in range(count)]
        self.names = self.sections[names]

    def string(self, table, offset):
        start = table[4] + offset
        return self.data[start:self.data.index(b'\0', start)].decode()

    def section(self, name):
        return next((s for s in self.sections if self.string(self.names, s[0]) == name), None)

    def symbol(self, index):
        table = next(s for s in self.sections if s[1] == 2)
        name = struct.unpack_from('<I', self.data, table[4] + 24 * index)[0]
        return self.string(self.sections[table[6]], name)

    def attributes(self):
        """(attribute, symbol, number) of the functions."""
        section = self.section('.nv.info')
        if section is None:
            return
        at, end = section[4], section[4] + section[5]
        while at < end:
            form, attribute, size = struct.unpack_from('<BBH', self.data, at)
            at += 4
            if form != SIZED_VALUE:
                continue
            if size == 8:
                symbol, number = struct.unpack_from('<II', self.data, at)
                yield attribute, self.symbol(symbol), number
            at += size


def embedded(data):
    """The CUDA ELF files within an object."""
    machine = 190
    at = data.find(b'\x7fELF', 1)
    while at >= 0:
        if struct.unpack_from('<H', data, at + 18)[0] == machine:
            yield Elf(data[at:])
        at = data.find(b'\x7fELF', at + 1)


def kernel_name(symbol):
    """Block, element type, sizes, and terms or activation of a mangled name; None for helpers."""
    match = re.search(r'\d+([A-Z]\w*?Block)(?:I|E)', symbol)
    if match is None or symbol.startswith('$'):
        return None
    named = re.search(r'(BFloat16|Half)E', symbol)
    element = named.group(1) if named else 'float' if 'BlockIf' in symbol else None
    sizes = re.findall(r'Li(\d+)E', symbol)
    terms = re.search(r'TermClassE(\d)E', symbol)
    activation = re.search(r'10ActivationE(\d)E', symbol)
    parts = [match.group(1), element, *sizes,
             terms and CLASSES[int(terms.group(1))],
             activation and ACTIVATIONS[int(activation.group(1))]]
    return ' '.join(part for part in parts if part)


def report(paths):
    """{(kernel, architecture): [registers, stack bytes]}."""
    kernels = {}
    for path in paths:
        with open(path, 'rb') as file:
            data = file.read()
        for elf in embedded(data):
            for attribute, symbol, number in elf.attributes():
                name = kernel_name(symbol)
                if name is None or attribute not in (REGISTERS, FRAME_BYTES):
                    continue
                row = kernels.setdefault((name, elf.architecture), [0, 0])
                which = 0 if attribute == REGISTERS else 1
                row[which] = max(row[which], number)
    return kernels


def attention_table(kernels):
    """Registers and stack of the attention kernels by terms and head width."""
    lines = ['| terms | width | forward: registers, stack | backward: registers, stack '
             '| single pass: registers, stack |', '|---|---|---|---|---|']
    for terms in CLASSES:
        for width in (32, 64, 96, 128):
            names = [f'{block}Block BFloat16 {width} {terms}' for block in
                     ('AttentionForward', 'AttentionBackward', 'SinglePassBackward')]
            found = [kernels.get((name, 90)) for name in names]
            cells = [f'{row[0]}, {row[1]}' if row else '-' for row in found]
            lines.append(f'| {terms} | {width} | {" | ".join(cells)} |')
    return '\n'.join(lines) + '\n'


def registers_table(kernels, patterns):
    """Registers of kernels in bf16 and fp32, over all instances whose names match."""
    lines = ['| kernel | bf16 | fp32 |', '|---|---|---|']
    for title, pattern in patterns.items():
        cells = []
        for element in ('BFloat16', 'float'):
            found = [registers for (name, architecture), (registers, _) in kernels.items()
                     if re.fullmatch(pattern.format(element), name) and architecture == 90]
            low, high = min(found), max(found)
            cells.append(str(low) if low == high else f'{low}-{high}')
        lines.append(f'| {title} | {cells[0]} | {cells[1]} |')
    return '\n'.join(lines) + '\n'


def table(kernels):
    """The table of the kernels that the objects hold."""
    if ('RotateBlock float', 90) in kernels:
        return registers_table(kernels, {title: f'{block} {{}}.*'
                                         for title, block in ROW_KERNELS.items()})
    if ('BeamMergeBlock', 90) in kernels:
        return registers_table(kernels, STEP_KERNELS)
    return attention_table(kernels)


def update(page, wanted, write):
    """Whether the page has the wanted table, now or after writing it."""
    with open(page, encoding='utf-8') as file:
        before, rest = file.read().split(BEGIN)
    written, after = rest.split(END, 1)
    if write:
        with open(page, 'w', encoding='utf-8') as file:
            file.write(before + BEGIN + wanted + END + after)
    return write or written == wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--most-stack', type=int, metavar='BYTES')
    page = parser.add_mutually_exclusive_group()
    page.add_argument('--check', metavar='PAGE')
    page.add_argument('--write', metavar='PAGE')
    parser.add_argument('objects', nargs='+')
    options = parser.parse_args()
    missing = [path for path in options.objects if not os.path.exists(path)]
    if missing:
        print(f'SKIPPED: {missing[0]} is not built')
        sys.exit(77)
    kernels = report(options.objects)
    failures = 0 if kernels else 1
    for (name, architecture), (registers, stack) in sorted(kernels.items()):
        failures += options.most_stack is not None and stack > options.most_stack
        print(f'{name}: sm_{architecture}, {registers} registers, {stack} bytes of stack'
              + ('  <-- spills' if stack > 0 else ''))
    if not kernels:
        print('the objects hold no kernel')
    page = options.check or options.write
    if page and not update(page, table(kernels), options.write is not None):
        print(f'{page} is out of date: run scripts/kernel_report.py --write {page} OBJECT...')
        failures += 1
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
