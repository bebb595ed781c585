import os
from typing import Iterator, Sequence

version: str

class Error(RuntimeError): ...
class UsageError(Error, ValueError): ...
class InputError(Error, ValueError): ...
class ModelError(Error): ...

class Hypothesis:
    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def tokens(self) -> list[str]: ...
    @property
    def token_scores(self) -> list[float]: ...
    @property
    def missing_terms(self) -> list[str]: ...
    @property
    def missing_copies(self) -> list[str]: ...
    @property
    def alignment(self) -> list[tuple[int, int]]: ...
    @property
    def attention(self) -> list[list[float]]: ...

class Translation:
    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def tokens(self) -> list[str]: ...
    @property
    def token_scores(self) -> list[float]: ...
    @property
    def missing_terms(self) -> list[str]: ...
    @property
    def missing_copies(self) -> list[str]: ...
    @property
    def alignment(self) -> list[tuple[int, int]]: ...
    @property
    def attention(self) -> list[list[float]]: ...
    @property
    def hypotheses(self) -> list[Hypothesis]: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def source_tokens(self) -> list[str]: ...

class LineStream(Iterator[Translation]):
    def __next__(self) -> Translation: ...

class TranslatorOptions:
    device: str
    weights: str
    shortlist: str
    workers: int
    threads: int
    batch_tokens: int
    max_source_length: int

class TranslateOptions:
    source_tag: str
    source_tags: list[str]
    beam: int
    nbest: int
    length_penalty: float
    length_norm: str
    max_length_factor: float
    max_length_offset: int
    min_length: int
    no_repeat_ngram: int
    repetition_penalty: float
    patience: float
    diverse_groups: int
    diversity_strength: float
    coverage_penalty: float
    glossary: list[tuple[str, str]]
    alignment: str
    markup: bool
    check: str
    sample: bool
    top_k: int
    top_p: float
    temperature: float
    seed: int

class EvaluateOptions:
    metric: str
    lowercase: bool
    tokenize: str
    mecab_dictionary: str
    smooth: str
    smooth_value: float | None
    effective_order: bool
    max_order: int
    char_order: int
    word_order: int
    beta: int
    whitespace: bool
    eps_smoothing: bool
    normalized: bool
    no_punct: bool
    asian_support: bool
    case_sensitive: bool
    sentence_scores: bool
    confidence: bool
    confidence_samples: int
    paired: str
    paired_samples: int
    seed: int

class Translator:
    def __init__(self, model: str, options: TranslatorOptions) -> None: ...
    def translate(self, lines: Sequence[str], prefixes: Sequence[str],
                  options: TranslateOptions) -> list[Translation]: ...
    def stream(self, lines: Iterator[str], prefixes: Iterator[str] | None,
               options: TranslateOptions, line_by_line: bool) -> LineStream: ...
    def score(self, sources: list[str], targets: list[str],
              source_tag: str) -> list[Hypothesis]: ...
    def reload(self) -> None: ...

class Tokenizer:
    def __init__(self, file: str | os.PathLike[str]) -> None: ...
    def encode(self, line: str) -> list[int]: ...
    def pieces(self, line: str) -> list[str]: ...
    def decode(self, ids: Sequence[int]) -> str: ...
    def piece(self, id: int) -> str: ...
    def __len__(self) -> int: ...
    @property
    def unknown_id(self) -> int: ...
    @property
    def begin_id(self) -> int: ...
    @property
    def end_id(self) -> int: ...

class Score:
    @property
    def name(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def signature(self) -> str: ...
    @property
    def figures(self) -> dict[str, float]: ...
    @property
    def confidence_mean(self) -> float | None: ...
    @property
    def confidence_half_width(self) -> float | None: ...
    @property
    def p_value(self) -> float | None: ...
    @property
    def sentence_scores(self) -> list[float]: ...
    def __float__(self) -> float: ...

def evaluate(systems: list[list[str]], references: list[list[str]],
             options: EvaluateOptions) -> list[Score]: ...
