"""LibTorch from the package torch: for the module _dietmt_torch and, run as a script, for the program
dietmt-torch. The script must start without the rest of this package."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import re
import sys
from typing import Any

INSTALL = "run: pip install 'dietmt[train]'"
HERE = os.path.dirname(os.path.abspath(__file__))
LIBEXEC = os.path.join(HERE, "libexec")  # only in a wheel; the build's own files find LibTorch


class Missing(Exception):
    """There is no LibTorch, or another one."""


def supported_version() -> str:
    """The x.y of the package torch that this wheel was built with."""
    for requirement in importlib.metadata.requires("dietmt") or []:
        if match := re.match(r"torch~=(\d+\.\d+)\.", requirement):
            return match[1]
    raise Missing("this dietmt was built without LibTorch")


def libraries() -> str:
    """The folder of LibTorch's libraries."""
    wanted = supported_version()
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.origin:
        raise Missing("training, conversion, GPUs and models that are not packed need the Python "
                      f"package torch {wanted}; {INSTALL}")
    found = importlib.metadata.version("torch")
    if not found.startswith(wanted + "."):
        raise Missing(f"this needs torch {wanted}, but {found} is installed; {INSTALL}")
    return os.path.join(os.path.dirname(spec.origin), "lib")


def is_found(folder: str) -> bool:
    """Whether the files of this package find it: it is next to the package, and in no other site
    directory."""
    usual = os.path.join(HERE, "..", "torch", "lib")
    return os.path.isdir(usual) and os.path.samefile(folder, usual)


def module(device: str) -> Any:
    """The module _dietmt_torch, to use on this device. Raises Missing."""
    if os.path.isdir(LIBEXEC):
        folder = libraries()
        names = [] if is_found(folder) else os.listdir(folder)
        for name in ["libtorch_cpu.so"] + ["libtorch_cuda.so"] * (device != "cpu"):
            if name in names:
                import ctypes

                ctypes.CDLL(os.path.join(folder, name), ctypes.RTLD_GLOBAL)
    try:
        return importlib.import_module("dietmt._dietmt_torch")
    except ImportError as error:
        raise Missing(f"this needs LibTorch, which does not load: {error}") from None


def main() -> None:
    # Python puts this folder there, whose names are not those of other packages, unless told not to.
    if sys.path and os.path.realpath(sys.path[0]) == os.path.realpath(HERE):
        sys.path.pop(0)
    try:
        folder = libraries()
    except Missing as error:
        sys.exit(f"error: {error}")
    if not is_found(folder):
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(
            filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
    program = os.path.join(LIBEXEC, "dietmt-torch")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
