"""Vectors of text from a BERT encoder.

    import dietmt
    vectors = dietmt.Encoder("bert").encode(["Good morning.", "Good night."])

Needs NumPy and the package torch: pip install 'dietmt[train]'.
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Literal, Sequence

from dietmt import InputError, _lines, _path, _program

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    Array = numpy.typing.NDArray[numpy.float32]
else:
    Array = object  # NumPy is optional

__all__ = ["Encoder"]


class Encoder:
    """A BERT encoder of `dietmt bert pretrain`, `finetune` or `import`.

    model: its directory.
    pool: the vector of a line: the "mean" over its tokens, or "cls" for the state of [CLS].
    layer: "last", a number (0: the embeddings), or "all".
    max_length: the most tokens of a line, with [CLS] and [SEP]; longer lines are cut, with a
        warning. None: what the model takes, at most 512.
    device: "cpu", "cuda" or "cuda:I"; threads: 0 for one per core.
    batch_tokens: tokens that go through the model at once; changes speed, not results.

    Each call starts the program and loads the model, so pass many lines at once. The calls raise
    UsageError, InputError and Error.
    """

    def __init__(self, model: str | os.PathLike[str], *, pool: Literal["mean", "cls"] = "mean",
                 layer: int | Literal["last", "all"] = "last",
                 max_length: int | None = None, device: str = "cpu", threads: int = 0,
                 batch_tokens: int = 4096) -> None:
        self._pool = pool
        self._options = ["--model", os.fsdecode(_path(model, "model")), "--layer", str(layer), "--device", device,
                         "--threads", str(threads), "--batch-tokens", str(batch_tokens)]
        if max_length is not None:
            self._options += ["--max-length", str(max_length)]

    def encode(self, lines: str | Sequence[str]) -> Array:
        """A vector for each line: fp32, [lines, D], or [D] for one line (str). With layer="all",
        [L + 1, lines, D]."""
        if isinstance(lines, str):
            return self.encode([lines])[..., 0, :]
        return self._run(_lines(lines, "lines"), self._pool)[0]

    def encode_tokens(self, lines: Sequence[str]) -> list[Array]:
        """An array for each line, with a vector for each of its tokens: fp32, [tokens, D], or
        [L + 1, tokens, D] with layer="all"."""
        numpy = _program.numpy()
        lines = _lines(lines, "lines")
        vectors, offsets = self._run(lines, "none")
        return numpy.split(vectors, offsets[1:-1], axis=-2) if lines else []

    def _run(self, lines: Sequence[str], pool: str) -> list[Array]:
        """The arrays that `dietmt bert embed` writes."""
        numpy = _program.numpy()
        for place, line in enumerate(lines):
            if "\n" in line:
                raise InputError(f"lines[{place}] has a line break")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "vectors.npy")
            _program.run("bert", "embed", *self._options, "--pool", pool, "--output", file,
                         text="".join(line + "\n" for line in lines))
            files = [file] if pool != "none" else [file, os.path.join(folder, "vectors.offsets.npy")]
            return [numpy.load(one) for one in files]
