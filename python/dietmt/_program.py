"""Runs the program `dietmt` of this package, for what needs LibTorch."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import warnings
from typing import Any

from dietmt._dietmt import Error, UsageError

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "dietmt")
_PREFIX = re.compile(r"^(?:[-\d]+ [:\d]+ )?(?:error|warning): (?:dietmt \w+: )?", re.MULTILINE)
_USAGE = 2


def numpy() -> Any:
    """The module NumPy, which `import dietmt` does not need."""
    try:
        return importlib.import_module("numpy")
    except ModuleNotFoundError:
        raise Error("this needs NumPy; run: pip install 'dietmt[train]'") from None


def run(*words: str, text: str = "") -> str:
    """What the program prints. Its errors become exceptions, and its warnings Python's."""
    environment = {**os.environ, "DIETMT_PYTHON": sys.executable, "SPDLOG_LEVEL": "warning"}
    done = subprocess.run([PROGRAM, *words], input=text.encode(), capture_output=True,
                          env=environment, check=False)
    message = _PREFIX.sub("", done.stderr.decode(errors="replace")).strip()
    if done.returncode != 0:
        kind = UsageError if done.returncode == _USAGE else Error
        raise kind(message or f"{PROGRAM} ended with code {done.returncode}")
    for line in message.splitlines():
        warnings.warn(line, stacklevel=3)
    return done.stdout.decode()
