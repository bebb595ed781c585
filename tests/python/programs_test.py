"""The commands that need no LibTorch, with a packed model."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

import dietmt
from support import DIETMT, MODEL, main, run_dietmt, toy_lines

LINES = [line for line in toy_lines(60) if line]


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.text = self.write("text", LINES)
        self.expected = [one.text for one in dietmt.Translator(MODEL).translate(LINES)]

    def write(self, name, lines):
        path = self.folder / name
        path.write_text("".join(line + "\n" for line in lines))
        return str(path)

    def translate(self, *flags):
        return run_dietmt("translate", "--input", self.text, *flags).splitlines()

    def test_version(self):
        self.assertIn(dietmt.__version__, run_dietmt("--version"))

    def test_translate(self):
        self.assertEqual(self.translate("--model", MODEL), self.expected)

    def test_quantize(self):
        int8 = str(self.folder / "int8")
        run_dietmt("quantize", "--model", MODEL, "--type", "int8", "--output", int8)
        self.assertEqual(self.translate("--model", int8),
                         [one.text for one in dietmt.Translator(int8).translate(LINES)])
        self.assertLess(pathlib.Path(int8, "model.safetensors").stat().st_size,
                        pathlib.Path(MODEL, "model.safetensors").stat().st_size / 2)

    def test_evaluate(self):
        other = self.write("other", [line.replace("dog", "cat") for line in LINES])
        [row] = json.loads(run_dietmt("evaluate", "--json", "--reference", self.text,
                                      "--hypothesis", other))
        self.assertLess(row["score"], 100)

    def test_tokenizer(self):
        model = str(self.folder / "tokenizer.model")
        run_dietmt("tokenizer", "--input", self.text, "--vocab-size", "50", "--output", model)
        tokenizer = dietmt.Tokenizer(model)
        self.assertEqual(len(tokenizer), 50)
        self.assertEqual(tokenizer.decode(tokenizer.encode("red dog")), "red dog")

    def test_shortlist(self):
        words = self.write("words", self.expected)
        shortlist = str(self.folder / "shortlist")
        run_dietmt("shortlist", "--model", MODEL, "--train-source", self.text, "--train-target",
                   words, "--output", shortlist)
        self.assertEqual(
            self.translate("--model", MODEL, "--shortlist", shortlist),
            [one.text for one in dietmt.Translator(MODEL, shortlist=shortlist).translate(LINES)])

    @unittest.skipIf(os.environ.get("DIETMT_SERVICE") == "0", "built without the service")
    def test_serve(self):
        server = subprocess.Popen([DIETMT, "serve", "--model", f"en-de={MODEL}", "--port", "0",
                                   "--guard", "off"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        address = ""
        for line in server.stderr:
            if "listening at " in line:
                address = line.split("listening at ")[1].strip()
                break
        self.assertTrue(address)
        fields = urllib.parse.urlencode({"q": LINES[0], "source": "en", "target": "de"})
        with urllib.request.urlopen(f"http://{address}/translate", fields.encode()) as answer:
            self.assertEqual(json.load(answer)["translatedText"], self.expected[0])
        with urllib.request.urlopen(f"http://{address}/languages") as answer:
            self.assertEqual([one["name"] for one in json.load(answer)], ["English", "German"])
        fields = urllib.parse.urlencode({"q": "A dog. A cat.", "source": "en", "target": "de"})
        with urllib.request.urlopen(f"http://{address}/translate", fields.encode()) as answer:
            self.assertEqual(answer.status, 200)
        server.send_signal(signal.SIGTERM)
        server.communicate()
        self.assertEqual(server.returncode, 0)


if __name__ == "__main__":
    main()
