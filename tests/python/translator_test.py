"""dietmt.Translator and dietmt.Tokenizer."""
import asyncio
import copy
import json
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

import dietmt
from support import (DIETMT, LANGUAGES_MODEL, MODEL, SLOWNESS, main, needs, pairs, run_dietmt,
                     toy_lines)

# The last line of the second window says that the program is about to wait for the first.
INTERRUPTED = """
import signal, sys, dietmt
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
translator = dietmt.Translator(sys.argv[1])
def lines():
    for place in range(256 + 512):
        if place == 256 + 511:
            print("ready", flush=True)
        yield "red dog sees the old house " * 5
try:
    list(translator.stream(lines(), beam=100))
    print("translated")
except KeyboardInterrupt:
    print("interrupted", flush=True)
    print(translator.translate("red dog").text is not None)
"""


class TranslatorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.translator = dietmt.Translator(MODEL, workers=2)

    def texts(self, lines, **options):
        return [translation.text for translation in self.translator.translate(lines, **options)]

    def test_lines_are_those_of_the_program(self):
        lines = toy_lines(700)  # more than one window
        text = "".join(line + "\n" for line in lines)
        for flags, options in [([], {}), (["--beam", "2", "--length-penalty", "0.5"],
                                         {"beam": 2, "length_penalty": 0.5}),
                               (["--sample", "--top-k", "5", "--seed", "9"],
                                {"sample": True, "top_k": 5, "seed": 9}),
                               (["--no-repeat-ngram", "1", "--repetition-penalty", "1.5",
                                 "--patience", "2", "--min-length", "20"],
                                {"no_repeat_ngram": 1, "repetition_penalty": 1.5, "patience": 2.0,
                                 "min_length": 20}),
                               (["--beam", "6", "--diverse-groups", "3",
                                 "--diversity-strength", "2"],
                                {"beam": 6, "diverse_groups": 3, "diversity_strength": 2.0}),
                               (["--coverage-penalty", "1"], {"coverage_penalty": 1.0})]:
            expected = run_dietmt("translate", "--model", MODEL, *flags, text=text).splitlines()
            self.assertEqual(self.texts(lines, **options), expected, flags)
            self.assertEqual([t.text for t in self.translator.stream(iter(lines), **options)],
                             expected, flags)

    def test_scores_and_tokens_are_those_of_the_program(self):
        lines = [line for line in toy_lines(40) if line]
        rows = run_dietmt("translate", "--model", MODEL, "--json", "--nbest", "3",
                          text="\n".join(lines) + "\n").splitlines()
        for row, translation in pairs(map(json.loads, rows),
                                      self.translator.translate(lines, nbest=3)):
            self.assertEqual([one["text"] for one in row["translations"]],
                             [one.text for one in translation.hypotheses])
            for one, found in zip(row["translations"], translation.hypotheses):
                self.assertAlmostEqual(one["score"], found.score, places=6)
                self.assertEqual(len(found.tokens), len(found.token_scores))
                self.assertEqual(found.tokens[-1], "</s>")
            self.assertEqual(translation.text, translation.hypotheses[0].text)

    def test_repeats_no_ngram(self):
        lines = [line for line in toy_lines(40) if line]

        def repeating(**options):
            found = self.translator.translate(lines, min_length=25, **options)
            return sum(len(set(one.tokens)) < len(one.tokens) for one in found)
        self.assertEqual(repeating(), len(lines))
        self.assertEqual(repeating(no_repeat_ngram=1), 0)

    def test_a_glossary_is_that_of_the_program(self):
        lines = [line for line in toy_lines(40) if line]
        glossary = {"dog": "katze", "old tree": "vogel|haus"}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "terms.tsv")
            file.write_text("".join(f"{a}\t{b}\n" for a, b in glossary.items()))
            expected = run_dietmt("translate", "--model", MODEL, "--glossary", str(file),
                                  text="\n".join(lines) + "\n").splitlines()
        self.assertEqual(self.texts(lines, glossary=glossary), expected)
        self.assertEqual(self.texts(lines, glossary=list(glossary.items())), expected)
        self.assertEqual(self.texts(lines, glossary=types.MappingProxyType(glossary)), expected)
        self.assertNotEqual(self.texts(lines), expected)
        lacking = self.translator.translate("red dog", glossary={"dog": "漢字"})
        self.assertEqual(lacking.missing_terms, ["漢字"])
        for wrong in ["dog", {"dog": 1}]:
            with self.assertRaises(TypeError):
                self.translator.translate("red dog", glossary=wrong)

    def test_texts_to_avoid(self):
        lines = [line for line in toy_lines(40) if line]
        usual = self.texts(lines)
        word = usual[0].split()[0]
        avoided = self.texts(lines, avoid=[word])
        self.assertFalse([text for text in avoided if word in text.split()])
        with self.assertRaises(dietmt.InputError):
            self.translator.translate("red dog", avoid=[""])

    def test_missing_copies(self):
        both = self.translator.translate("red dog. Old tree!", split_sentences="en")
        self.assertEqual(both.text, " ".join(
            self.translator.translate(one).text for one in ("red dog.", "Old tree!")))
        capitals = self.translator.translate("RED DOG", letter_case="auto")
        self.assertEqual(capitals.restored_case, "capitals")
        self.assertEqual(capitals.text, self.translator.translate("red dog").text.upper())
        long = {"min_length": 70, "max_length_offset": 90}
        self.assertTrue(self.translator.translate("red dog", guard="report", **long).problem)
        self.assertEqual(self.translator.translate("red dog", **long).problem, "")
        with self.assertRaisesRegex(dietmt.UsageError, "unknown guard"):
            self.translator.translate("red dog", guard="on")
        self.assertIn("1,234", self.translator.translate("red dog 1,234").text)
        lacking = self.translator.translate("red dog 1,234", check="copies", keep="none")
        self.assertEqual(lacking.missing_copies, ["1,234"])
        self.assertEqual(lacking.hypotheses[0].missing_copies, ["1,234"])
        self.assertEqual(
            self.translator.translate("red dog 1,234", keep="none").missing_copies, [])

    def test_alignment_and_markup_are_those_of_the_program(self):
        lines = [line for line in toy_lines(20) if line]
        text = "\n".join(lines) + "\n"
        hard = run_dietmt("translate", "--model", MODEL, "--alignment", "hard", text=text)
        found = self.translator.translate(lines, alignment="hard")
        self.assertEqual([t.text + " ||| " + " ".join(f"{a}-{b}" for a, b in t.alignment)
                          for t in found], hard.splitlines())
        soft = run_dietmt("translate", "--model", MODEL, "--alignment", "soft", "--json", text=text)
        for line, one in pairs(soft.splitlines(),
                               self.translator.translate(lines, alignment="soft")):
            expected = json.loads(line)["translations"][0]["alignment"]
            self.assertEqual(one.source_tokens, expected["source_tokens"])
            self.assertEqual(one.tokens, expected["target_tokens"])
            for row, weights in pairs(one.attention, expected["weights"]):
                for value, weight in pairs(row, weights):
                    self.assertAlmostEqual(value, weight, places=4)
        marked = [f'"{{0}}": <b>{line}</b> &amp; %s' for line in lines]
        expected = run_dietmt("translate", "--model", MODEL, "--markup",
                              text="\n".join(marked) + "\n").splitlines()
        self.assertEqual(self.texts(marked, markup=True), expected)

    def test_sixteen_threads_get_the_same_lines(self):
        lines = toy_lines(400, seed=2)
        expected = self.texts(lines)
        found = [None] * 16

        def work(place):
            found[place] = self.texts(lines)

        threads = [threading.Thread(target=work, args=(place,)) for place in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 16)

    def test_other_threads_run_during_a_translation(self):
        steps = 0
        done = threading.Event()

        def translate():
            self.texts(toy_lines(2000))
            done.set()

        thread = threading.Thread(target=translate)
        thread.start()
        while not done.is_set():
            steps += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(steps, 3)

    def test_one_model_can_translate_what_another_translates(self):
        lines = ["red dog", "", "dog red dog"]
        chained = self.translator.translate(t.text for t in self.translator.translate(iter(lines)))
        self.assertEqual([t.text for t in chained], self.texts(self.texts(lines)))

    def test_a_string_and_an_iterable(self):
        self.assertEqual(self.translator.translate("red dog").text, self.texts(["red dog"])[0])
        self.assertEqual(self.texts(iter(["red dog\n", "\n"])), self.texts(["red dog", ""]))
        self.assertEqual(self.texts([]), [])

    def test_a_line_has_no_line_break(self):
        text = "red dog\nblue cat"
        with self.assertRaisesRegex(dietmt.InputError, "line 1 has a line break inside"):
            self.translator.translate(text)
        lines = self.translator.translate(text.splitlines(keepends=True))
        self.assertEqual(len(lines), 2)

    def test_line_by_line_answers_before_the_next_line_is_read(self):
        read = []

        def lines():
            for line in ["red dog", "old tree"]:
                read.append(line)
                yield line

        stream = self.translator.stream(lines(), line_by_line=True)
        next(stream)
        self.assertEqual(read, ["red dog"])
        next(stream)
        self.assertRaises(StopIteration, next, stream)

    def test_prefixes(self):
        self.assertTrue(self.texts(["red dog", "dog"], prefix=["katze", ""])[0].startswith("katze"))
        self.assertTrue(self.translator.translate("dog", prefix="rot").text.startswith("rot"))
        problems = [one.prefix_problem for one in self.translator.translate(
            ["red dog", "red dog", "", "1:30"], prefix=["katze", "漢", "rot", "rot"])]
        self.assertEqual(problems, ["", "the vocabulary cannot write all of it",
                                    "the line has no text",
                                    "the line has no letters and is copied"])
        streamed = self.translator.stream(["red dog", "dog"], prefix=["katze", ""])
        self.assertTrue(next(streamed).text.startswith("katze"))
        with self.assertRaisesRegex(dietmt.InputError, "fewer prefixes"):
            list(self.translator.stream(["a", "b"], prefix=["x"]))
        with self.assertRaisesRegex(dietmt.InputError, "2 lines, but 1 prefixes"):
            self.translator.translate(["a", "b"], prefix=["x"])
        with self.assertRaisesRegex(dietmt.InputError, "2 lines, but 0 prefixes"):
            self.translator.translate(["a", "b"], prefix=[])

    def test_an_ensemble(self):
        with tempfile.TemporaryDirectory() as folder:
            int8 = os.path.join(folder, "int8")
            run_dietmt("quantize", "--model", MODEL, "--type", "int8", "--output", int8)
            lines = [line for line in toy_lines(30) if line]
            rows = run_dietmt("translate", "--model", f"{MODEL},{int8}", "--json",
                              text="".join(line + "\n" for line in lines)).splitlines()
            both = dietmt.Translator([MODEL, pathlib.Path(int8)]).translate(lines)
            for row, one in pairs(map(json.loads, rows), both):
                self.assertEqual(row["translations"][0]["text"], one.text)
                self.assertAlmostEqual(row["translations"][0]["score"], one.score, places=6)
            self.assertNotEqual([one.score for one in both],
                                [one.score for one in self.translator.translate(lines)])
            self.assertEqual(dietmt.Translator([MODEL]).translate("red dog").text,
                             self.texts(["red dog"])[0])
        for wrong in [[], ["a,b", "c"]]:
            with self.assertRaisesRegex(dietmt.UsageError, "directories without commas"):
                dietmt.Translator(wrong)

    def test_scores_are_those_of_the_program(self):
        sources = [line for line in toy_lines(60) if line]
        targets = toy_lines(len(sources), seed=3)
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "source"), pathlib.Path(folder, "target")
            source.write_text("\n".join(sources) + "\n")
            target.write_text("\n".join(targets) + "\n")
            # Scoring with tensors needs full weights: those of the training test.
            full = pathlib.Path(MODEL, "../../cli/train/model").resolve()
            if not full.exists() or not os.path.exists(
                    os.path.join(os.path.dirname(DIETMT), "dietmt-torch")):
                self.skipTest("dietmt score needs LibTorch and the training's model")
            expected = run_dietmt("score", "--model", str(full), "--source", str(source),
                                  "--target", str(target), "--threads", "1").split()
        for line, score in pairs(expected, self.translator.score(sources, targets)):
            self.assertAlmostEqual(float(line), score.score, delta=2e-3)
            self.assertEqual(len(score.tokens), len(score.token_scores))

    def test_options_have_the_ranges_of_the_program(self):
        told = json.loads(run_dietmt("translate", "--help-json"))["options"]
        options = {one["name"].replace("-", "_"): one for one in told}
        needs = {"nbest": {"beam": 1000}, "diverse_groups": {"beam": 1000},
                 "diversity_strength": {"beam": 4, "diverse_groups": 2}, "top_k": {"sample": True},
                 "top_p": {"sample": True}, "epsilon": {"sample": True},
                 "temperature": {"sample": True}}

        def check(kind, accept, refuse):
            checked = 0
            for name, usual, _ in dietmt._documented(kind):
                if isinstance(usual, (str, bool)):
                    continue
                option, step = options[name], 1 if isinstance(usual, int) else 1e-4
                inside = [option[end] for end in ("least", "most") if end in option]
                outside = [option["least"] - step if "least" in option else option["above"]]
                if option["most"] < 2 ** 63 - 1:
                    outside.append(option["most"] + step)
                for value in inside:
                    accept(**{name: value}, **needs.get(name, {}))
                for value in outside:
                    with self.assertRaisesRegex(dietmt.UsageError, f"^{name} is "):
                        refuse(**{name: value}, **needs.get(name, {}))
                checked += 1
            return checked

        def translate(**options):
            self.translator.translate("", **options)
        self.assertEqual(check(dietmt._dietmt.TranslateOptions, translate, translate), 17)
        # Loading a model with the largest values would start a thousand workers.
        self.assertEqual(check(dietmt._dietmt.TranslatorOptions, lambda **_: None,
                               lambda **options: dietmt.Translator(MODEL, **options)), 4)

    def test_stub_and_help_list_the_options(self):
        stub = pathlib.Path(dietmt.__file__).with_name("_options.pyi").read_text()
        for owner, kind in ((dietmt.Translator, dietmt._dietmt.TranslatorOptions),
                            (dietmt.Translator.translate, dietmt._dietmt.TranslateOptions)):
            for name, usual, text in dietmt._documented(kind):
                choices = dietmt._dietmt.search_choices.get(name)
                kind_of_value = f"Literal{choices}" if choices else type(usual).__name__
                self.assertIn(f"    {name}: {kind_of_value}\n", stub)
                self.assertIn(f"{name} ({usual!r}): {text}\n", owner.__doc__)

    def test_a_model_of_one_pair_has_no_choice_of_languages(self):
        for call in (lambda **options: self.translator.translate("red dog", **options),
                     lambda **options: self.translator.score(["red dog"], ["Hund"], **options)):
            with self.assertRaisesRegex(dietmt.InputError, "one pair of languages"):
                call(target_language="de")

    @needs(model=LANGUAGES_MODEL)
    def test_each_line_can_have_its_languages(self):
        translator = dietmt.Translator(LANGUAGES_MODEL)
        lines, targets = ["red dog", "old tree", "red dog"], ["de", "French", "fra_Latn"]
        options = {"source_language": "en", "max_length_offset": 8}
        single = [translator.translate(line, target_language=target, **options)
                  for line, target in zip(lines, targets)]
        self.assertNotEqual(single[0].tokens, single[2].tokens)
        for found in (translator.translate(lines, target_language=targets, **options),
                      translator.translate(lines, target_language=tuple(targets),
                                           **{**options, "source_language": ["en"] * 3}),
                      list(translator.stream(iter(lines), target_language=targets, **options)),
                      asyncio.run(translator.translate_async(lines, target_language=targets,
                                                             **options))):
            self.assertEqual(found, single)
        self.assertEqual(translator.translate([], target_language=[]), [])
        for wrong, problem in ((["de"] * 2, "2 target languages, but 3 lines"),
                               ([], "target_language is empty, but there are 3 lines"),
                               (["de", "xx", "fr"], "line 2: .* target language 'xx'"),
                               (["de", "", "fr"], "line 2: .* target language is needed")):
            with self.assertRaisesRegex(dietmt.InputError, problem):
                translator.translate(lines, target_language=wrong, **options)
        with self.assertRaisesRegex(TypeError, "must be str, not int"):
            translator.translate(lines, target_language=["de", 1, "fr"], **options)

    def test_results_can_be_pickled_copied_and_compared(self):
        for options in ({"nbest": 2}, {"alignment": "hard"}, {"alignment": "soft"},
                        {"check": "copies"}, {"guard": "report"}):
            first, second = self.translator.translate(["red dog", "old tree 7"], **options)
            for copied in (pickle.loads(pickle.dumps(first)), copy.copy(first),
                           copy.deepcopy(first)):
                self.assertEqual(copied, first)
                self.assertEqual(repr(copied.hypotheses), repr(first.hypotheses))
                self.assertEqual(copied.alignment, first.alignment)
                self.assertEqual(copied.attention, first.attention)
            self.assertNotEqual(first, second)
            self.assertEqual(len({first, copy.copy(first), second}), 2)
        score = self.translator.score(["red dog"], ["hund rot"])[0]
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            self.assertEqual(pickle.loads(pickle.dumps(score, protocol)), score)
            self.assertEqual(pickle.loads(pickle.dumps(first, protocol)), first)
            with self.assertRaisesRegex(TypeError, "cannot pickle"):
                pickle.dumps(self.translator, protocol)

    def test_a_task_of_asyncio_can_be_cancelled(self):
        async def run():
            one = await self.translator.translate_async("red dog", beam=2)
            self.assertEqual(one, self.translator.translate("red dog", beam=2))
            several = await self.translator.translate_async(["red dog", "old tree"])
            self.assertEqual(several, self.translator.translate(["red dog", "old tree"]))
            with self.assertRaises(TypeError):
                await self.translator.translate_async(iter(["red dog"]))
            long = self.translator.translate_async(["red dog sees the old house " * 5] * 100_000)
            task = asyncio.create_task(long)
            await asyncio.sleep(0.2)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            return time.monotonic()

        cancelled = asyncio.run(run())  # waits for the thread of the call
        self.assertLess(time.monotonic() - cancelled, 10 * SLOWNESS)

    def test_wrong_types_are_errors_of_the_call(self):
        for call, message in [
            (lambda: self.translator.translate(b"abc"), "str or several of them, not bytes"),
            (lambda: self.translator.translate(5), "str or several of them, not int"),
            (lambda: self.translator.translate(["a"], glossary={1: 2}), r"two str, not \(1, 2\)"),
            (lambda: self.translator.translate(["a"], glossary=[("a",)]), "two str"),
            (lambda: dietmt.Translator(None), "a path or a list of paths, not None"),
            (lambda: dietmt.Translator(b"model"), "a path or a list of paths, not b'model'"),
            (lambda: dietmt.Translator([MODEL, None]), "a path or a list of paths"),
            (lambda: dietmt.Translator(MODEL, shortlist=None), "shortlist must be a path, not None"),
            (lambda: self.translator.translate("a", glossary=None), "must be a dict or pairs of str"),
            (lambda: self.translator.translate("a", glossary="a"), "must be a dict or pairs of str"),
            (lambda: self.translator.translate("a", avoid=[1]), "avoid must be a list of str"),
            (lambda: self.translator.translate("a", prefix=["b"]), "must be str for one line"),
            (lambda: self.translator.translate("a", split_sentences=True), "must be str or None"),
            (lambda: self.translator.translate("a", split_sentences=b"en"), "must be str or None"),
            (lambda: dietmt.Tokenizer(None), "file must be a path, not None"),
            (lambda: dietmt.Encoder(None), "model must be a path, not None"),
        ]:
            with self.assertRaisesRegex(TypeError, message):
                call()
        for model in ("", [""], [MODEL, ""]):
            with self.assertRaisesRegex(dietmt.UsageError, "model is empty"):
                dietmt.Translator(model)
        with self.assertRaises(dietmt.UsageError) as raised:
            self.translator.translate("a", beam=0)
        self.assertEqual(str(raised.exception), "beam is 0; it must be from 1 to 1000")
        with self.assertRaisesRegex(dietmt.UsageError, "beam is 1000.*, which is out of range"):
            self.translator.translate("a", beam=10**20)
        with self.assertRaisesRegex(dietmt.UsageError, "split_sentences is 'xx', which is no lang"):
            self.translator.translate("a", split_sentences="xx")
        with self.assertRaisesRegex(dietmt.UsageError, "has no NUL"):
            dietmt.Translator("a\0b")
        with self.assertRaisesRegex(dietmt.ModelError, r"/\\xff: no such directory"):
            dietmt.Translator(os.fsdecode(b"/\xff"))

    def test_errors_name_the_option(self):
        with self.assertRaisesRegex(dietmt.UsageError, "^beam is 0; it must be from 1 to 1000"):
            self.translator.translate("dog", beam=0)
        with self.assertRaisesRegex(TypeError, "there is no option 'beem'; did you mean 'beam'"):
            self.translator.translate("dog", beem=3)
        with self.assertRaisesRegex(TypeError, "beam must be int, not 'many'"):
            self.translator.translate("dog", beam="many")
        with self.assertRaisesRegex(TypeError, "a line must be str, not bytes"):
            self.translator.translate([b"dog"])
        with self.assertRaisesRegex(TypeError, "a line must be str, not int"):
            list(self.translator.translate(iter([1])))
        for call in (lambda: self.translator.translate(["dog", "\udcff"]),
                     lambda: list(self.translator.stream(["dog", "\udcff"]))):
            with self.assertRaisesRegex(dietmt.InputError, "lone surrogate"):
                call()
        for name, value in {"glossary": {"\ud800": "x"}, "source_tag": "\ud800",
                            "avoid": ["\ud800"], "keep": "\ud800"}.items():
            with self.assertRaisesRegex(dietmt.InputError, name + " has a lone surrogate"):
                self.translator.translate("dog", **{name: value})
        for call in (lambda: self.translator.score("ab", ["c", "d"]),
                     lambda: self.translator.score(["c", "d"], "ab"),
                     lambda: self.translator.translate(["a", "b"], prefix="xy"),
                     lambda: self.translator.stream("ab")):
            with self.assertRaisesRegex(TypeError, "must be several lines, not one str"):
                call()
        with self.assertRaisesRegex(dietmt.ModelError, "/nowhere"):
            dietmt.Translator("/nowhere")
        with self.assertRaisesRegex(dietmt.Error, "cuda:64|package torch"):
            dietmt.Translator(MODEL, device="cuda:64")
        with self.assertRaisesRegex(dietmt.UsageError, "device is 'gpu'; it must be cpu"):
            dietmt.Translator(MODEL, device="gpu")
        with self.assertRaisesRegex(dietmt.UsageError, "weights 'fp16' need a GPU"):
            dietmt.Translator(MODEL, weights="fp16")
        self.assertTrue(issubclass(dietmt.UsageError, (dietmt.Error, ValueError)))

    def test_an_error_of_the_iterable_passes_through(self):
        def lines():
            yield "dog"
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            list(self.translator.translate(lines()))

    def test_an_error_of_the_iterable_comes_after_the_lines_before_it(self):
        class Lines:
            rest = ["red dog", "dog", LookupError("mine"), "old tree"]

            def __iter__(self):
                return self

            def __next__(self):
                if not self.rest:
                    raise StopIteration
                line = self.rest.pop(0)
                if isinstance(line, LookupError):
                    raise line
                return line

        stream = self.translator.stream(Lines())
        texts = [next(stream).text, next(stream).text]
        with self.assertRaisesRegex(LookupError, "mine"):
            next(stream)
        texts += [one.text for one in stream]
        self.assertEqual(texts, self.texts(["red dog", "dog", "old tree"]))

    def test_a_model_that_cannot_be_read_is_a_model_error(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("config.json", "tokenizer.model"):
                copy = os.path.join(folder, "without-" + name)
                shutil.copytree(MODEL, copy)
                os.remove(os.path.join(copy, name))
                with self.assertRaisesRegex(dietmt.ModelError, name):
                    dietmt.Translator(copy)
            config = pathlib.Path(shutil.copytree(MODEL, os.path.join(folder, "type")), "config.json")
            config.write_text(config.read_text().replace('"fp32"', '"int3"'))
            os.remove(config.with_name("manifest.json"))
            with self.assertRaisesRegex(dietmt.ModelError, "config.json: unknown weight type 'int3'"):
                dietmt.Translator(config.parent)
            loop = os.path.join(folder, "loop")
            os.symlink(loop, loop)
            for directory in (loop, "x" * 5000):
                self.assertRaises(dietmt.ModelError, dietmt.Translator, directory)

    def test_reload_keeps_the_old_weights_if_it_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "model")
            shutil.copytree(MODEL, copy)
            translator = dietmt.Translator(copy)
            before = translator.translate("red dog").text
            translator.reload()
            shutil.rmtree(copy)
            self.assertRaises(dietmt.ModelError, translator.reload)
            self.assertEqual(translator.translate("red dog").text, before)

    def test_control_c_ends_a_long_translation(self):
        with subprocess.Popen([sys.executable, "-c", INTERRUPTED, MODEL], text=True,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGINT)
            begin = time.monotonic()
            self.assertEqual(process.stdout.readline(), "interrupted\n")
            self.assertLess(time.monotonic() - begin, 30 * SLOWNESS)
            self.assertEqual(process.stdout.readline(), "True\n")
        self.assertEqual(process.returncode, 0)

    def test_a_forked_process_is_told_to_load_the_model(self):
        stream = self.translator.stream(["dog"] * 1000)
        next(stream)
        for call in (lambda: self.translator.translate("dog"), lambda: next(stream)):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    call()
                except dietmt.Error as error:
                    code = 0 if "forked" in str(error) else 2
                os._exit(code)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_tokenizer(self):
        tokenizer = dietmt.Tokenizer(pathlib.Path(MODEL, "tokenizer.model"))
        ids = tokenizer.encode("red dog")
        self.assertEqual(tokenizer.decode(ids), "red dog")
        self.assertEqual([tokenizer.piece(one) for one in ids], tokenizer.pieces("red dog"))
        self.assertEqual(tokenizer.piece(tokenizer.end_id), "</s>")
        self.assertRaises(dietmt.InputError, tokenizer.piece, len(tokenizer))
        self.assertRaises(dietmt.InputError, dietmt.Tokenizer, "/nowhere")


if __name__ == "__main__":
    main()
