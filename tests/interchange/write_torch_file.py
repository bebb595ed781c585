#!/usr/bin/env python3
"""The tensors of a safetensors file as torch.save writes them; needs no torch.

    write_torch_file.py [--old] MODEL.safetensors OUT.bin

Classes with the same names replace torch's. --old: the format before version 1.6.
"""

import argparse
import collections
import io
import json
import pathlib
import pickle
import struct
import sys
import types
import zipfile

STORAGES = {"F32": "FloatStorage", "F16": "HalfStorage", "BF16": "BFloat16Storage",
            "I64": "LongStorage"}
MAGIC = 0x1950a86a20f9469cfc6c
PROTOCOL = 1001


def rebuild(*arguments):
    """Replaces torch._utils._rebuild_tensor_v2; only its name is pickled."""


def make_modules():
    rebuild.__module__, rebuild.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    utils._rebuild_tensor_v2 = rebuild
    for name in STORAGES.values():
        setattr(torch, name, type(name, (), {"__module__": "torch"}))
    sys.modules.update({"torch": torch, "torch._utils": utils})
    return torch


class Storage:
    def __init__(self, kind, key, count, data):
        self.kind, self.key, self.count, self.data = kind, key, count, data


class Tensor:
    def __init__(self, storage, shape):
        self.storage, self.shape = storage, shape

    def __reduce__(self):
        strides, step = [], 1
        for size in reversed(self.shape):
            strides.insert(0, step)
            step *= size
        return rebuild, (self.storage, 0, tuple(self.shape), tuple(strides), False,
                         collections.OrderedDict())


class Pickler(pickle.Pickler):
    def __init__(self, file, old):
        super().__init__(file, protocol=2)
        self.view = (None,) if old else ()

    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        return ("storage", value.kind, value.key, "cpu", value.count, *self.view)


def read_tensors(path, torch):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    state = collections.OrderedDict()
    for name, entry in json.loads(data[8:8 + length]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        count = 1
        for size in entry["shape"]:
            count *= size
        kind = getattr(torch, STORAGES[entry["dtype"]])
        state[name] = Tensor(Storage(kind, str(len(state)), count, data[begin:end]),
                             entry["shape"])
    return state


def write(path, state, old=False, value=None):
    """The tensors of `state`, as `value` has them."""
    pickled = io.BytesIO()
    Pickler(pickled, old).dump(value or state)
    storages = [tensor.storage for tensor in state.values()]
    if not old:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("archive/data.pkl", pickled.getvalue())
            for storage in storages:
                archive.writestr(f"archive/data/{storage.key}", storage.data)
            archive.writestr("archive/version", "3\n")
        return
    machine = dict(protocol_version=PROTOCOL, little_endian=True,
                   type_sizes=dict(short=2, int=4, long=4))
    with open(path, "wb") as file:
        for value in (MAGIC, PROTOCOL, machine):
            pickle.dump(value, file, protocol=2)
        file.write(pickled.getvalue())
        pickle.dump([storage.key for storage in storages], file, protocol=2)
        for storage in storages:
            file.write(struct.pack("<q", storage.count) + storage.data)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", action="store_true")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    arguments = parser.parse_args()
    write(arguments.output, read_tensors(arguments.model, make_modules()), arguments.old)


if __name__ == "__main__":
    main()
