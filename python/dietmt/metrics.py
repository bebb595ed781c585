"""BLEU, chrF and TER as `dietmt evaluate` computes them, equal to sacreBLEU for equal options.

    from dietmt import metrics
    score = metrics.bleu(hypotheses, references)
    print(score.score, score.signature)

Hypotheses are a list of lines. References are a list of lines, or a list of such lists for several
references of each sentence.
"""

from __future__ import annotations

from dietmt import _dietmt, _filled, _lines
from dietmt._dietmt import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, Sequence, TypedDict

    from typing_extensions import Unpack

    Lines = Sequence[str]

    class MetricOptions(TypedDict, total=False):
        """The options of every metric."""
        confidence: bool
        confidence_samples: int
        seed: int
        sentence_scores: bool

    class BleuOptions(MetricOptions, total=False):
        tokenize: Literal["13a", "intl", "char", "none", "zh", "ja-mecab", "ko-mecab"]
        lowercase: bool
        smooth: Literal["exp", "floor", "add-k", "none"]
        smooth_value: float | None
        max_order: int
        effective_order: bool
        mecab_dictionary: str

    class ChrfOptions(MetricOptions, total=False):
        char_order: int
        word_order: int
        beta: int
        lowercase: bool
        whitespace: bool
        eps_smoothing: bool

    class TerOptions(MetricOptions, total=False):
        normalized: bool
        no_punct: bool
        asian_support: bool
        case_sensitive: bool
else:  # what typing.get_type_hints() needs
    from collections.abc import Sequence

    from dietmt import Any, Unpack

    Lines = Sequence[str]
    BleuOptions = ChrfOptions = TerOptions = dict

__all__ = ["Score", "bleu", "chrf", "compare", "ter"]


def _reference_sets(references: Lines | Sequence[Lines]) -> list[list[str]]:
    if isinstance(references, str):
        return [_lines(references, "references")]  # an error
    given = list(references)  # of any iterable
    sets: list[Any] = [given] if all(isinstance(one, str) for one in given) else given
    return [_lines(one, "references") for one in sets]


def _evaluate(metric: str, systems: Sequence[Lines], references: Lines | Sequence[Lines],
              options: Any) -> list[Score]:
    if "metric" in options:
        raise TypeError("metric is an option of compare() only")
    filled = _filled(_dietmt.EvaluateOptions(), {"metric": metric, **options})
    return _dietmt.evaluate([_lines(lines, "hypotheses") for lines in systems],
                            _reference_sets(references), filled)


def bleu(hypotheses: Lines, references: Lines | Sequence[Lines],
         **options: Unpack[BleuOptions]) -> Score:
    """BLEU. Options: tokenize ("13a", "intl", "char", "none", "zh", "ja-mecab", "ko-mecab"),
    lowercase, smooth ("exp", "floor", "add-k", "none"), smooth_value, max_order, effective_order,
    mecab_dictionary; of all metrics: confidence, confidence_samples, seed, sentence_scores."""
    return _evaluate("bleu", [hypotheses], references, options)[0]


def chrf(hypotheses: Lines, references: Lines | Sequence[Lines],
         **options: Unpack[ChrfOptions]) -> Score:
    """chrF; chrF++ with word_order=2. Options: char_order, word_order, beta, lowercase, whitespace,
    eps_smoothing, and those of all metrics (see bleu)."""
    return _evaluate("chrf", [hypotheses], references, options)[0]


def ter(hypotheses: Lines, references: Lines | Sequence[Lines],
        **options: Unpack[TerOptions]) -> Score:
    """TER. Options: normalized, no_punct, asian_support, case_sensitive, and those of all metrics
    (see bleu)."""
    return _evaluate("ter", [hypotheses], references, options)[0]


def compare(systems: Sequence[Lines], references: Lines | Sequence[Lines], *, metric: str = "bleu",
            paired: str = "bootstrap", **options: Any) -> list[Score]:
    """Scores of several systems, each with the p-value of its difference from the first.

    metric: "bleu", "chrf", "chrf++" or "ter". paired: "bootstrap" (which also gives 95 %
    intervals) or "randomization". paired_samples: 0 for 1000 and 10000. More options as above.
    """
    return _evaluate(metric, systems, references, {"paired": paired, **options})
