"""Writes _options.pyi next to the built module: the types of the options of its calls.

    write_options_stub.py FOLDER    FOLDER: where the package dietmt is
"""
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
import dietmt  # noqa: E402
from dietmt import _dietmt  # noqa: E402



def type_of(name: str, usual: object) -> str:
    choices = _dietmt.search_choices.get(name)
    return f"Literal{choices}" if choices else type(usual).__name__


lines = ["# Made from the module.", "from typing import Literal, TypedDict"]
for kind in (_dietmt.TranslatorOptions, _dietmt.TranslateOptions):
    lines += ["", f"class {kind.__name__}(TypedDict, total=False):"]
    for name, usual, text in dietmt._documented(kind):
        lines += [f"    {name}: {type_of(name, usual)}", f'    """{text}"""']
pathlib.Path(dietmt.__file__).with_name("_options.pyi").write_text("\n".join(lines) + "\n")
