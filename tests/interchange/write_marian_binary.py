#!/usr/bin/env python3
"""Writes the arrays of Marian's .npz as its binary format, with only Python's standard library:

    write_marian_binary.py [--int8] MODEL.npz MODEL.bin

--int8: matrices as integers with a multiplier, as marian-conv --gemm-type intgemm8 does.
"""
import ast
import re
import struct
import sys
import zipfile

FLOAT, INTEGERS, BYTES = 0x404, 0x4101, 0x101


def arrays(path):
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            length, = struct.unpack_from("<H", data, 8)
            header = ast.literal_eval(data[10:10 + length].decode())
            yield name[:-len(".npy")], header["descr"], header["shape"], data[10 + length:]


def rounded(name, shape, data):
    """Embeddings are stored as they are, other matrices transposed."""
    values = struct.unpack("<%df" % (shape[0] * shape[1]), data)
    multiplier = 127 / max(abs(value) for value in values)
    rows, columns = shape
    if not name.endswith("Wemb"):
        values = [values[k * columns + n] for n in range(columns) for k in range(rows)]
    integers = [round(value * multiplier) for value in values]
    return struct.pack("<%db" % len(integers), *integers) + struct.pack("<f", multiplier)


def main():
    int8 = sys.argv[1] == "--int8"
    source, target = sys.argv[-2:]
    tensors = []
    for name, kind, shape, data in arrays(source):
        if kind == "<f4" and int8 and (name.endswith("Wemb") or re.search("_W[a-z0-9]+$", name)):
            tensors.append((name, INTEGERS, shape, rounded(name, shape, data)))
        else:
            tensors.append((name, FLOAT if kind == "<f4" else BYTES, shape, data))
    with open(target, "wb") as file:
        file.write(struct.pack("<QQ", 1, len(tensors)))
        for name, kind, shape, data in tensors:
            file.write(struct.pack("<QQQQ", len(name) + 1, kind, len(shape), len(data)))
        for name, _, _, _ in tensors:
            file.write(name.encode() + b"\0")
        for _, _, shape, _ in tensors:
            file.write(struct.pack("<%di" % len(shape), *shape))
        file.write(struct.pack("<Q", 0))
        for _, _, _, data in tensors:
            file.write(data)


if __name__ == "__main__":
    main()
