"""The programs in examples/python, if the packages that they use are installed."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import dietmt
from support import FULL_MODEL, MODEL, ROOT, main, needs, toy_lines

EXAMPLES = ROOT / "examples/python"
LINES = toy_lines(6)


class ExamplesTest(unittest.TestCase):
    def expected(self):
        return [one.text for one in dietmt.Translator(MODEL).translate(LINES)]

    @needs("pandas")
    def test_a_column_of_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "in.csv"), pathlib.Path(folder, "out.csv")
            source.write_text("id,text\n" + "".join(f"{i},{line}\n" for i, line in enumerate(LINES)))
            subprocess.run([sys.executable, EXAMPLES / "translate_column.py", MODEL, source, "text",
                            target], check=True)
            with open(target) as file:
                self.assertEqual([row["text_translated"] for row in csv.DictReader(file)],
                                 self.expected())

    @needs("fastapi", "httpx")
    def test_a_web_service(self):
        from fastapi.testclient import TestClient
        os.environ["MODEL"] = MODEL
        sys.path.insert(0, str(EXAMPLES))
        import web_service
        client = TestClient(web_service.app)
        self.assertEqual(client.post("/translate", json={"lines": LINES}).json(), self.expected())
        answer = client.post("/translate", json={"lines": LINES, "beam": 0})
        self.assertEqual(answer.status_code, 422)
        self.assertIn("beam is 0", answer.json()["detail"])
        answer = client.post("/translate", content=rb'{"lines": ["\ud800"]}',
                             headers={"content-type": "application/json"})
        self.assertEqual(answer.status_code, 422)
        self.assertIn("lone surrogate", answer.json()["detail"])

    @needs("numpy", "matplotlib", model=FULL_MODEL)
    def test_a_notebook(self):
        cells = json.loads((EXAMPLES / "position_maps.ipynb").read_text())["cells"]
        code = "\n\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "code")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-c", code], check=True, cwd=folder, env={
                **os.environ, "MODEL": FULL_MODEL, "TEXT": "red dog", "MPLBACKEND": "Agg"})
            for name in ("position_scores", "identical_words", "cross_attention"):
                self.assertGreater(pathlib.Path(folder, name + ".png").stat().st_size, 1000)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
