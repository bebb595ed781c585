"""What needs LibTorch: models with full weights, and dietmt.Encoder and dietmt.maps, which run
dietmt-torch."""
import asyncio
import json
import os
import pathlib
import pickle
import tempfile
import unittest
import warnings

import dietmt
from support import ENCODER, FULL_MODEL, MODEL, main, needs, run_dietmt, toy_lines

LINES = [line for line in toy_lines(20) if line]


@needs(model=FULL_MODEL)
class TranslatorTest(unittest.TestCase):
    def test_full_weights_translate_like_packed_ones(self):
        full, packed = dietmt.Translator(FULL_MODEL), dietmt.Translator(MODEL)
        options = {"nbest": 2, "alignment": "hard"}
        found = full.translate(LINES, **options)
        self.assertEqual(found, packed.translate(LINES, **options))
        self.assertEqual(list(full.stream(iter(LINES), **options)), found)
        self.assertEqual(asyncio.run(full.translate_async(LINES, **options)), found)
        self.assertEqual(pickle.loads(pickle.dumps(found)), found)
        self.assertEqual(full.score(LINES[:2], [one.text for one in found[:2]]),
                         packed.score(LINES[:2], [one.text for one in found[:2]]))

    def test_errors_of_both_modules_are_the_same_types(self):
        full = dietmt.Translator(FULL_MODEL)
        with self.assertRaisesRegex(dietmt.UsageError, "beam is 0"):
            full.translate("dog", beam=0)
        with self.assertRaisesRegex(dietmt.InputError, "2 lines, but 1 prefixes"):
            full.translate(["a", "b"], prefix=["x"])
        with self.assertRaisesRegex(dietmt.UsageError, "cuda:64"):
            dietmt.Translator(FULL_MODEL, device="cuda:64")
        with self.assertRaisesRegex(dietmt.UsageError, "fp16"):
            dietmt.Translator(FULL_MODEL, weights="fp16")
        with self.assertRaisesRegex(dietmt.ModelError, "/nowhere"):
            dietmt.Translator("/nowhere")
        with self.assertRaises(TypeError):
            pickle.dumps(full)

    def test_a_call_can_be_cancelled(self):
        full = dietmt.Translator(FULL_MODEL)

        async def cancelled():
            task = asyncio.create_task(full.translate_async(LINES * 2000, beam=50))
            await asyncio.sleep(0.1)
            task.cancel()
            await task
        with self.assertRaises(asyncio.CancelledError):
            asyncio.run(cancelled())


@needs("numpy", model=ENCODER)
class EncoderTest(unittest.TestCase):
    def program(self, *flags):
        import numpy
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "vectors.npy")
            run_dietmt("bert", "embed", "--model", ENCODER, "--output", file, *flags,
                       text="".join(line + "\n" for line in LINES))
            return numpy.load(file)

    def test_vectors_are_those_of_the_program(self):
        import numpy
        for options, flags in [({}, ["--pool", "mean"]), ({"pool": "cls"}, ["--pool", "cls"]),
                               ({"layer": 0}, ["--pool", "mean", "--layer", "0"]),
                               ({"layer": "all"}, ["--pool", "mean", "--layer", "all"])]:
            numpy.testing.assert_array_equal(dietmt.Encoder(ENCODER, **options).encode(LINES),
                                             self.program(*flags))
        encoder = dietmt.Encoder(ENCODER)
        numpy.testing.assert_allclose(encoder.encode(LINES[1]), encoder.encode(LINES)[1], atol=1e-5)
        self.assertEqual(len(encoder.encode([])), 0)
        numpy.testing.assert_array_equal(encoder.encode(iter(LINES)), encoder.encode(LINES))

    def test_tokens(self):
        import numpy
        tokens = dietmt.Encoder(ENCODER).encode_tokens(LINES)
        self.assertEqual(len(tokens), len(LINES))
        means = [vectors.mean(axis=0) for vectors in tokens]
        numpy.testing.assert_allclose(means, dietmt.Encoder(ENCODER).encode(LINES), atol=1e-5)
        layers = dietmt.Encoder(ENCODER, layer="all").encode_tokens(LINES[:1])[0]
        self.assertEqual(layers.shape[1:], tokens[0].shape)
        numpy.testing.assert_allclose(layers[-1], tokens[0], atol=1e-5)
        self.assertEqual(dietmt.Encoder(ENCODER).encode_tokens([]), [])

    def test_a_cut_line_gives_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "cut to 4"):
            dietmt.Encoder(ENCODER, max_length=4).encode(["red dog sees the old house"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            dietmt.Encoder(ENCODER).encode(LINES)

    def test_errors_are_those_of_the_program(self):
        with self.assertRaisesRegex(dietmt.UsageError, "^--pool is 'max'; it must be none, cls"):
            dietmt.Encoder(ENCODER, pool="max").encode(LINES)
        with self.assertRaisesRegex(dietmt.Error, "^/nowhere"):
            dietmt.Encoder("/nowhere").encode(LINES)
        with self.assertRaisesRegex(dietmt.InputError, r"lines\[1\] has a line break"):
            dietmt.Encoder(ENCODER).encode(["red", "dog\ncat"])
        with self.assertRaisesRegex(TypeError, "a line must be str, not int"):
            dietmt.Encoder(ENCODER).encode([1])
        with self.assertRaisesRegex(TypeError, "lines must be several lines, not one str"):
            dietmt.Encoder(ENCODER).encode_tokens("red dog")


@needs("numpy", model=FULL_MODEL)
class MapsTest(unittest.TestCase):
    def test_attention(self):
        from dietmt import maps
        import numpy
        found = maps.attention(FULL_MODEL, "red dog", "hund rot")
        program = json.loads(run_dietmt("inspect", "attention", "--model", FULL_MODEL, "--text",
                                        "red dog", "--translation", "hund rot"))
        self.assertEqual(found.source_tokens, program["source_tokens"])
        source, target = len(found.source_tokens), len(found.target_tokens)
        for matrix, rows, columns in [(found.encoder, source, source),
                                      (found.decoder, target, target),
                                      (found.cross, target, source)]:
            self.assertEqual(matrix.shape[2:], (rows, columns))
            numpy.testing.assert_allclose(matrix.sum(axis=-1), 1, atol=0.005)
        numpy.testing.assert_array_equal(found.cross, program["attention"]["cross"])
        self.assertEqual(found.encoder_positions.shape, found.encoder.shape)
        self.assertTrue(maps.attention(FULL_MODEL, "red dog").target_tokens)
        self.assertTrue(maps.attention(FULL_MODEL, "-h", "--text").source_tokens)

    def test_positions(self):
        from dietmt import maps
        import numpy
        sites = {site.site: site for site in maps.positions(FULL_MODEL, length=8, words=5)}
        self.assertEqual(sorted(sites), ["cross", "decoder", "encoder"])
        for name in ("encoder", "decoder"):
            self.assertTrue(sites[name].scores, sites[name])
            for term in sites[name].scores:
                self.assertEqual(term.scores.shape, (8, 8))
                self.assertGreater(term.rank, 0)
            numpy.testing.assert_allclose(sites[name].attention.sum(axis=-1), 1, atol=1e-4)
        later = numpy.triu_indices(8, 1)
        self.assertTrue(numpy.isnan(sites["decoder"].scores[0].scores[later]).all())

    def test_errors(self):
        from dietmt import maps
        with self.assertRaisesRegex(dietmt.Error, "packed fp32 weights"):
            maps.attention(MODEL, "red dog")
        with self.assertRaisesRegex(dietmt.InputError, "translation is empty"):
            maps.attention(MODEL, "red dog", "")
        with self.assertRaisesRegex(dietmt.UsageError, "^--length is 1"):
            maps.positions(FULL_MODEL, length=1)


if __name__ == "__main__":
    main()
