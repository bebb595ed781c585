"""Translates text with models that `dietmt quantize` has written.

    import dietmt
    translator = dietmt.Translator("model")
    print(translator.translate("Good morning.").text)

Metrics are in dietmt.metrics, attention and position maps in dietmt.maps.
"""

from __future__ import annotations

import os

from dietmt._dietmt import (Error, Hypothesis, InputError, LineStream, ModelError, Tokenizer,
                            Translation, UsageError)
from dietmt import _dietmt

TYPE_CHECKING = False  # typing costs milliseconds at import
if TYPE_CHECKING:
    from typing import Any, Iterable, Iterator, Literal, Mapping, Sequence, TypeVar, overload

    from typing_extensions import Unpack

    from dietmt import _options  # a stub that the build writes
    from dietmt import maps as maps, metrics as metrics
    from dietmt.encoder import Encoder

    Options = TypeVar("Options")

    class ModelOptions(_options.TranslatorOptions, total=False):
        """The options of Translator()."""
        device: str
        weights: Literal["auto", "fp32", "bf16", "fp16", "int8"]

    class SearchOptions(_options.TranslateOptions, total=False):
        """The options of Translator.translate()."""
        source_tag: str | Sequence[str]
        source_language: str | Sequence[str]
        target_language: str | Sequence[str]
        glossary: Mapping[str, str] | Sequence[tuple[str, str]]
        avoid: Sequence[str]
        alignment: Literal["none", "hard", "soft"]
        markup: bool
        keep: str
        check: Literal["none", "copies"]
        guard: Literal["off", "report", "retry"]
        letter_case: Literal["keep", "auto"]
        split_sentences: str | None
else:  # what typing.get_type_hints() needs
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Any = object
    ModelOptions = SearchOptions = dict

    class Unpack:
        def __class_getitem__(cls, options):
            return options

    def overload(function):
        return function

    def __getattr__(name: str) -> Any:
        """What few programs need: import dietmt stays fast."""
        import importlib

        if name == "Encoder":
            return importlib.import_module("dietmt.encoder").Encoder
        if name in ("maps", "metrics"):
            return importlib.import_module("dietmt." + name)
        raise AttributeError(f"module 'dietmt' has no attribute '{name}'")

__version__ = _dietmt.version
__all__ = ["Encoder", "Error", "Hypothesis", "InputError", "LineStream", "ModelError",
           "ModelOptions", "SearchOptions", "Tokenizer", "Translation", "Translator", "UsageError"]


def _path(path: object, name: str, expected: str = "a path") -> bytes:
    """The bytes of a path."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name} must be {expected}, not {path!r}")
    if b"\0" in os.fsencode(path):
        raise UsageError(f"{name} is {path!r}; a path has no NUL character")
    return os.fsencode(path)


def _models(model: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> bytes:
    """One word for a directory, or for several."""
    given = list(model) if isinstance(model, (list, tuple)) else [model]
    names = [_path(one, "model", "a path or a list of paths") for one in given]
    if b"" in names:
        raise UsageError("model is empty; it must name a directory")
    if not names or (len(names) > 1 and any(b"," in name for name in names)):
        raise UsageError(f"model is {given}; it must name directories without commas")
    return b",".join(names)


def _filled(options: Options, values: Mapping[str, object]) -> Options:
    """Sets the fields of `options`; a wrong name or type is a TypeError."""
    for name, value in values.items():
        if name.startswith("_") or not hasattr(options, name):
            raise TypeError(f"there is no option '{name}'{_similar(name, dir(options))}")
        try:
            if isinstance(value, bytes):
                raise TypeError
            setattr(options, name, value)
        except TypeError:
            raise _wrong_value(name, value, getattr(options, name)) from None
    return options


def _similar(name: str, known: Iterable[str]) -> str:
    """A question for an option that may be misspelt."""
    import difflib

    names = [one for one in known if not one.startswith("_")]
    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def _wrong_value(name: str, value: object, usual: object) -> Exception:
    """The error for a value that the option cannot have."""
    if _has_surrogate(value):
        return InputError(f"{name} has a lone surrogate, which is no text")
    usual = _dietmt.search_defaults.get(name, usual)
    if type(usual) is int and type(value) is int:
        return UsageError(f"{name} is {value}, which is out of range")
    expected = {"avoid": "a list of str", "split_sentences": "str or None"}.get(
        name, "float" if usual is None else type(usual).__name__)
    return TypeError(f"{name} must be {expected}, not {value!r}")


def _documented(kind: type) -> Iterator[tuple[str, object, str]]:
    """Name, default and help of the options that are those of `dietmt translate`."""
    usual = kind()
    for name, option in vars(kind).items():
        if isinstance(option, property) and option.__doc__:
            yield name, _dietmt.search_defaults.get(name, getattr(usual, name)), option.__doc__


def _search_options(values: Mapping[str, Any],
                    lines: Sequence[str] = ()) -> _dietmt.TranslateOptions:
    if "glossary" in values:
        values = {**values, "glossary": _terms(values["glossary"])}
    for name in ("source_tag", "source_language", "target_language"):
        if not isinstance(values.get(name, ""), str):
            items = _lines(values[name], name)
            if lines and not items:
                raise InputError(f"{name} is empty, but there are {len(lines)} lines")
            values = {**values, name: "", name + "s": items}
    return _filled(_dietmt.TranslateOptions(), values)


def _has_surrogate(value: object) -> bool:
    if isinstance(value, str):
        return any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, (list, tuple)) and any(map(_has_surrogate, value))


def _terms(glossary: Any) -> list[tuple[str, str]]:
    """The pairs of a glossary."""
    if isinstance(glossary, (str, bytes)) or not hasattr(glossary, "__iter__"):
        raise TypeError(f"glossary must be a dict or pairs of str, not {glossary!r}")
    terms = list(glossary.items() if hasattr(glossary, "items") else glossary)
    for term in terms:
        if (not isinstance(term, (tuple, list)) or len(term) != 2
                or not all(isinstance(word, str) for word in term)):
            raise TypeError(f"a term of the glossary must be two str, not {term!r}")
        _lines(term, "glossary")
    return [(term[0], term[1]) for term in terms]


def _lines(lines: Iterable[str], name: str) -> list[str]:
    """A list of them; one str, which is an iterable of its characters, is a TypeError."""
    _require_lines(lines, name)
    found = list(lines)
    for line in found:
        if not isinstance(line, str):
            raise TypeError(f"a line must be str, not {type(line).__name__}")
        try:
            line.encode()
        except UnicodeEncodeError:
            what = "a line" if name in ("lines", "sources", "targets") else name
            raise InputError(f"{what} has a lone surrogate, which is no text") from None
    return found


def _prefix_of_line(prefix: object) -> list[str] | None:
    if prefix is not None and not isinstance(prefix, str):
        raise TypeError(f"prefix must be str for one line, not {prefix!r}")
    return None if prefix is None else [prefix]


def _require_lines(lines: object, name: str) -> None:
    if isinstance(lines, str):
        raise TypeError(f"{name} must be several lines, not one str")
    if isinstance(lines, (bytes, bytearray)) or not hasattr(lines, "__iter__"):
        raise TypeError(f"{name} must be str or several of them, not {type(lines).__name__}")


def _loaded(model: bytes, options: _dietmt.TranslatorOptions) -> _dietmt.Translator:
    """With LibTorch if it needs that: for a GPU, and for a model that is not packed."""
    from_model = None
    if options.device.partition(":")[0] != "cuda":
        try:
            return _dietmt.Translator(model, options)
        except ModelError as error:
            from_model = error
    from dietmt import _torch  # not at the start: it needs the slow importlib.metadata

    try:
        with_libtorch = _torch.module(options.device)
    except _torch.Missing as error:
        raise from_model or Error(str(error)) from None
    translator: _dietmt.Translator = with_libtorch.Translator(model, options)
    return translator


class Translator:
    """A model, loaded once, for any number of threads.

    model: a directory that `dietmt quantize` has written, or a list of directories with one
        vocabulary, which form an ensemble and average their probabilities. With the package torch
        (pip install 'dietmt[train]'), any model of dietmt.
    device: "cpu", or with the package torch "cuda", "cuda:1", or "cuda:0,cuda:1" for a copy of the
        model on each.
    weights: "fp32", "bf16", "int8" (only on the CPU), "fp16" (only on a GPU), or "auto" for the
        type that the directory has, and for bf16 on a GPU.
    shortlist: a file of `dietmt shortlist`; only on the CPU.

    Raises UsageError and ModelError. Load it in the process that uses it: a forked process cannot
    use the threads of its parent.
    """

    def __init__(self, model: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *,
                 shortlist: str | os.PathLike[str] = "",
                 **options: Unpack[ModelOptions]) -> None:
        filled = _filled(_dietmt.TranslatorOptions(), options)
        filled.shortlist = _path(shortlist, "shortlist")
        self._translator = _loaded(_models(model), filled)

    @overload  # a str is an iterable of str, too: the first that fits counts
    def translate(self, lines: str, *, prefix: str | None = None,  # type: ignore[overload-overlap]
                  **options: Unpack[SearchOptions]) -> Translation: ...
    @overload
    def translate(self, lines: list[str] | tuple[str, ...], *,  # type: ignore[overload-overlap]
                  prefix: Sequence[str] | None = None,
                  **options: Unpack[SearchOptions]) -> list[Translation]: ...
    @overload
    def translate(self, lines: Iterable[str], *, prefix: Iterable[str] | None = None,
                  **options: Unpack[SearchOptions]) -> LineStream: ...

    def translate(self, lines: Any, *, prefix: Any = None, **options: Any) -> Any:
        """Translates one line (str), a list or tuple of lines, or any other iterable.

        Returns a Translation, a list of them, or an iterator, which reads two windows ahead:
        of 256 lines at first, of 8192 later. stream() can also go line by line. Raises UsageError
        and InputError.

        prefix: what the translations must start with: one for each line, "" for none.
            `prefix_problem` of a result says why it does not start with all of it, for example
            because the vocabulary lacks a character.
        source_tag: a word to put before each line that has text, such as <2de>; or a list with one
            for each line, "" for none.
        source_language, target_language: of the lines, for a model of several languages such as
            NLLB: codes ("en", "pt-BR", "eng_Latn") or English names; or a list with one for each
            line.
        glossary: target terms by source term, or pairs of both, by the rules of `dietmt translate
            --glossary`: a line that has a source term must have its target term in the
            translation; "a|b": either. `missing_terms` of a result lists those that it lacks.
        avoid: words and phrases that no translation may contain, by the rules of `dietmt translate
            --avoid`.
        alignment: "hard" gives pairs of words in `alignment`, counted from 0; "soft" gives the
            attention of each token to each of the `source_tokens` in `attention`.
        markup: tags and placeholders move with their words, by the rules of `dietmt translate
            --markup`; `tokens` are those of the text without them.
        keep: what a translation must contain as its line does, by the rules of `dietmt translate
            --keep`: "plain" (default), "all", "none", or kinds separated by commas.
        check: "copies" lists numbers, addresses and names that a translation lacks in
            `missing_copies`, by the rules of `dietmt translate --check`.
        split_sentences: the language of the lines, such as "en", whose rules split them into
            sentences that are translated one by one. Without it, only lines longer than
            max_source_length are split.
        letter_case: "auto" translates lines in CAPITALS or Title Case in the usual case and writes
            the translation in theirs, which `restored_case` names.
        guard: "report" says in `problem` if a translation repeats itself or is too long, too short
            or empty; "retry" also translates such a line again, more carefully.
        """
        if isinstance(lines, str):
            return self._translate([lines], _prefix_of_line(prefix), options)[0]
        if isinstance(lines, (list, tuple)):
            return self._translate(lines, prefix, options)
        return self.stream(lines, prefix=prefix, **options)

    def _translate(self, lines: Sequence[str], prefixes: Sequence[str] | None,
                   options: Mapping[str, object],
                   stop: _dietmt.Stop | None = None) -> list[Translation]:
        lines = _lines(lines, "lines")
        filled = _search_options(options, lines)
        if prefixes is None:
            return self._translator.translate(lines, [], filled, stop)
        prefixes = _lines(prefixes, "prefix")
        if len(prefixes) != len(lines):
            raise InputError(f"{len(lines)} lines, but {len(prefixes)} prefixes")
        return self._translator.translate(lines, prefixes, filled, stop)

    @overload
    async def translate_async(self, lines: str, *, prefix: str | None = None,
                              **options: Unpack[SearchOptions]) -> Translation: ...
    @overload
    async def translate_async(self, lines: list[str] | tuple[str, ...], *,
                              prefix: Sequence[str] | None = None,
                              **options: Unpack[SearchOptions]) -> list[Translation]: ...

    async def translate_async(self, lines: Any, *, prefix: Any = None, **options: Any) -> Any:
        """translate() for asyncio: one line (str), or a list or tuple of lines. If the task is
        cancelled, the translation ends within about half a second."""
        import asyncio

        one_line = isinstance(lines, str)
        if not isinstance(lines, (str, list, tuple)):
            raise TypeError(f"lines must be str, list or tuple, not {type(lines).__name__}")
        if one_line:
            lines, prefix = [lines], _prefix_of_line(prefix)
        stop = _dietmt.Stop()
        try:
            found = await asyncio.to_thread(self._translate, lines, prefix, options, stop)
        except asyncio.CancelledError:
            stop.set()
            raise
        return found[0] if one_line else found

    def stream(self, lines: Iterable[str], *, prefix: Iterable[str] | None = None,
               line_by_line: bool = False, **options: Unpack[SearchOptions]) -> LineStream:
        """Translates lines while they are read; the options are those of translate().

        line_by_line: translate each line when it comes, for dialogue, instead of in windows.
        """
        filled = _search_options(options)
        _require_lines(lines, "lines")
        if prefix is not None:
            _require_lines(prefix, "prefix")
        prefixes = None if prefix is None else iter(prefix)
        return self._translator.stream(iter(lines), prefixes, filled, line_by_line)

    def score(self, sources: Sequence[str], targets: Sequence[str], *,
              source_tag: str = "", source_language: str = "",
              target_language: str = "") -> list[Hypothesis]:
        """log p(target | source) of given translations: each `score` is the sum over the tokens of
        the target and its end of sentence (natural logarithm).

        source_tag: a word to put before each source, such as <2de>.
        source_language, target_language: as in translate()."""
        return self._translator.score(_lines(sources, "sources"), _lines(targets, "targets"),
                                      source_tag, source_language, target_language)

    def reload(self) -> None:
        """Reads the model again. Calls that run end with the old weights; if reading fails, the
        old ones stay."""
        self._translator.reload()


# python -OO leaves no text to add to.
for _owner, _kind in ((Translator, _dietmt.TranslatorOptions),
                      (Translator.translate, _dietmt.TranslateOptions)):
    _owner.__doc__ = (_owner.__doc__ or "").rstrip() + "\n\n" + "".join(
        f"        {name} ({usual!r}): {text}\n" for name, usual, text in _documented(_kind))
