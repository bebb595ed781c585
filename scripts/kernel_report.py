#!/usr/bin/env python3
"""Registers and stack of the CUDA kernels, from what the compiler wrote into their objects.

    scripts/kernel_report.py [--most-stack BYTES] OBJECT...

Prints a line for each kernel and architecture. With --most-stack, fails if a kernel has a larger
stack, which is where registers spill, or if the objects hold no kernel. Exits with 77 if an object
is missing.

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
    """Block, element type, width and terms of a kernel's mangled name; None for helpers."""
    match = re.search(r'\d+([A-Z]\w*?Block)(?:I|E)', symbol)
    if match is None or symbol.startswith('$'):
        return None
    element = re.search(r'(BFloat16|Half)E', symbol)
    width = re.search(r'Li(\d+)E', symbol)
    terms = re.search(r'TermClassE(\d)E', symbol)
    classes = ['plain', 'offset bias', 'pair bias', 'relative vectors', 'everything']
    parts = [match.group(1), element and element.group(1), width and width.group(1),
             terms and classes[int(terms.group(1))]]
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
                row[0 if attribute == REGISTERS else 1] = number
    return kernels


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--most-stack', type=int, metavar='BYTES')
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
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
