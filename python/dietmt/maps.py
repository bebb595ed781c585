"""Attention and position maps of models with full weights, as NumPy arrays.

    from dietmt import maps
    found = maps.attention("run", "Good morning.")
    print(found.cross.shape, found.source_tokens, found.target_tokens)

Needs NumPy and the package torch: pip install 'dietmt[train]'. L is the number of layers, H that of
heads; S and T count tokens, with end of sentence.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from dietmt import InputError, _program

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    Array = numpy.typing.NDArray[numpy.float64]
else:
    Array = object  # NumPy is optional

__all__ = ["Attention", "PositionScores", "SitePositions", "attention", "positions"]


class Attention(NamedTuple):
    """The attention of a model in a sentence and its translation.

    encoder [L, H, S, S], decoder [L, H, T, T], cross [L, H, T, S]: probabilities, with queries in
        rows. Target position i predicts target token i.
    encoder_positions, decoder_positions: what positions add to the scores, in the same shapes;
        without elements if the encodings have no such part.
    """
    source_tokens: list[str]
    target_tokens: list[str]
    encoder: Array
    decoder: Array
    cross: Array
    encoder_positions: Array
    decoder_positions: Array


class PositionScores(NamedTuple):
    """What positions add to the scores of attention, without content.

    layers: the first and the last layer that share it; head: None for all heads.
    scores: [n, n], NaN where causal attention does not look; rank: of this matrix.
    """
    layers: tuple[int, int]
    head: int | None
    rank: int
    scores: Array


class SitePositions(NamedTuple):
    """The positions of "encoder", "decoder" or "cross".

    position: the encoding, as --position takes it.
    scores: empty if positions act only through words; notes name these terms.
    attention: [H, n, n], of the first layer in sentences that repeat one word, the mean over random
        words; without elements for "cross".
    """
    site: str
    position: str
    notes: list[str]
    scores: list[PositionScores]
    attention: Array


def _array(values: Any) -> Array:
    import numpy
    return numpy.array(values, dtype=numpy.float64)  # null becomes NaN


def attention(model: str | os.PathLike[str], text: str,
              translation: str | None = None) -> Attention:
    """The attention of all layers and heads in a sentence and its translation, by default the
    model's own. At most 128 tokens a side; numbers have four decimals."""
    for name, given in (("text", text), ("translation", translation)):
        if given is not None and not given.strip():
            raise InputError(f"{name} is empty")
    words = ["--model", os.fspath(model), f"--text={text}"]
    if translation is not None:
        words.append(f"--translation={translation}")
    found = json.loads(_program.run("inspect", "attention", *words))
    return Attention(found["source_tokens"], found["target_tokens"],
                     *(_array(found["attention"][part]) for part in ("encoder", "decoder", "cross")),
                     *(_array(found["position"][part]) for part in ("encoder", "decoder")))


def positions(model: str | os.PathLike[str], *, length: int = 64, words: int = 100,
              seed: int = 1) -> list[SitePositions]:
    """What the position encodings of a translation model or BERT do among `length` positions.

    words, seed: how many random words the sentences of SitePositions.attention repeat.
    """
    report = json.loads(_program.run(
        "inspect", "positions", "--json", "--model", os.fspath(model), "--length", str(length),
        "--words", str(words), "--seed", str(seed)))
    return [
        SitePositions(
            site["site"], site["position"], site["notes"],
            [PositionScores(tuple(term["layers"]), None if term["head"] == "all" else term["head"],
                            term["rank"], _array(term["scores"]))
             for term in site["position_scores"]],
            _array([head["attention"] for head in site["identical_words"]]))
        for site in report["sites"]
    ]
