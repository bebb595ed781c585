#!/usr/bin/env python3
"""Small files of torch.save, and the tensors in them.

    make_torch_cases.py DIR      needs torch and safetensors

zip.bin and zip_protocol4.bin are archives, as torch.save writes since version 1.6, old.bin is in
the format before that. All hold the tensors of expected.safetensors: every type, a transposed
tensor, parts of a shared storage, a scalar, an empty tensor, a parameter, an attribute on the
dictionary, and a number that is not a tensor.
"""

import argparse
import pathlib

import torch
from safetensors.torch import save_file


def state_dict():
    torch.manual_seed(1)
    module = torch.nn.Linear(3, 2)
    state = module.state_dict()  # an OrderedDict with the attribute _metadata
    table = torch.randn(6, 4)
    state["transposed"] = torch.randn(4, 3).t()
    state["rows"] = table[2:5]
    state["columns"] = table[:, 1:3]
    state["tied"] = state["weight"]
    for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32,
                  torch.int8, torch.uint8, torch.bool):
        state[str(dtype)] = (torch.randn(5) * 3).abs().to(dtype)
    state["scalar"] = torch.tensor(2.5)
    state["empty"] = torch.zeros(0, 3)
    state["position_ids"] = torch.arange(7).expand((1, -1))
    state["parameter"] = torch.nn.Parameter(torch.randn(2))
    state["steps"] = 3
    return state


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    directory = parser.parse_args().directory
    directory.mkdir(parents=True, exist_ok=True)
    state = state_dict()
    torch.save(state, directory / "zip.bin")
    torch.save(state, directory / "zip_protocol4.bin", pickle_protocol=4)
    torch.save(state, directory / "old.bin", _use_new_zipfile_serialization=False)
    tensors = {name: value.detach().clone().contiguous() for name, value in state.items()
               if isinstance(value, torch.Tensor)}
    save_file(tensors, directory / "expected.safetensors")


if __name__ == "__main__":
    main()
