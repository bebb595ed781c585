"""The package's types: mypy --strict accepts the package and a program that uses it."""
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

import dietmt
from support import main, needs

PROGRAM = """
import dietmt
from dietmt import SearchOptions, Translation, Translator, metrics

translator = Translator("model", weights="int8", workers=2)
one: Translation = translator.translate("red dog", beam=2, alignment="hard")
several: list[Translation] = translator.translate(["red dog"], glossary={"dog": "Hund"})
for translation in translator.translate(line for line in ["red dog"]):
    print(translation.text, metrics.bleu([one.text], ["rot"]).score)


options: SearchOptions = {"beam": 2, "length_norm": "gnmt"}
dietmt.metrics.chrf(["a"], ["a"], word_order=2)


async def later() -> str:
    return (await translator.translate_async("red dog")).text
"""
WRONG = [
    'Translator("model", weights="int9")',
    'translator.translate("red dog", alignment="x")',
    'translator.translate("red dog", length_norm="x")',
    'translator.translate("red dog", beams=2)',
    'translator.translate("red dog").texts',
    'metrics.bleu(["a"], ["a"], foo=1)',
    'metrics.bleu(["a"], ["a"], word_order=2)',
    'dietmt.Translater("model")',
]


@unittest.skipIf(sys.version_info < (3, 10), "Python 3.9 cannot evaluate the types: no X | Y")
class HintsTest(unittest.TestCase):
    def test_annotations_can_be_evaluated(self):
        public = [dietmt.Encoder.encode, dietmt.maps.attention, dietmt.maps.positions]
        public += [getattr(dietmt.metrics, name) for name in ("bleu", "chrf", "ter", "compare")]
        public += [call for name, call in vars(dietmt.Translator).items()
                   if inspect.isfunction(call)]
        for call in public:
            with self.subTest(call=call.__qualname__):
                self.assertIn("return", typing.get_type_hints(call))


@needs("mypy", "numpy")
class TypesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.cache.cleanup)

    def mypy(self, *arguments):
        environment = {**os.environ, "MYPYPATH": str(pathlib.Path(dietmt.__file__).parents[1])}
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir",
                               self.cache.name, *arguments], capture_output=True, text=True,
                              env=environment, cwd=self.cache.name)

    def test_the_package_is_strict(self):
        done = self.mypy("-p", "dietmt")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_right_calls_pass_and_wrong_ones_are_found(self):
        done = self.mypy("-c", PROGRAM)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.mypy("-c", PROGRAM + "\n".join(WRONG))
        first = PROGRAM.count("\n") + 1
        for line in range(first, first + len(WRONG)):
            self.assertIn(f"<string>:{line}: error", done.stdout)


if __name__ == "__main__":
    main()
