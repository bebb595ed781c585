#!/usr/bin/env python3
"""Speed of `dietmt translate` and of CTranslate2 on the same model and pieces, alternating.

    compare_ctranslate2.py --dietmt build/bin/dietmt --model DIR --source FILE [--reference FILE]

The model is exported once, and packed by `dietmt quantize` in each precision. For each precision
(fp32, int8) and search (beam 5, greedy, one line at a time), CTranslate2 first looks for its best
batch size and split of the threads on a part of the text; then both translate the whole text in
turn, --rounds times each. Prints sentences a second (medians), their ratio, the lines that are
equal among those that end by themselves, BLEU where there is a reference, the time to load and the
peak memory of the processes. --log FILE appends the figures of all rounds, a line of JSON for each
precision and search; --name is what it calls the model.

CTranslate2's time is that of its own calls on text that is cut into pieces already. dietmt's is
that of the whole process less that of one without text, so that it includes cutting the text,
putting words together, reading and writing. One line at a time: CTranslate2 in a loop of single
calls, `dietmt translate --flush`. Time to load: that process without text; there, only the model.
For a model that is not trained enough to end its sentences, --min-length N --max-length N+1 lets
both write N pieces. Needs ctranslate2 and sentencepiece.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recipes"))
from runs import append_to_log, measured  # noqa: E402

SEARCHES = {"beam 5": dict(beam=5, single=False), "greedy": dict(beam=1, single=False),
            "beam 5, single lines": dict(beam=5, single=True)}
PRECISIONS = {"fp32": "float32", "int8": "int8"}  # as CTranslate2 calls them
BATCH_SIZES = (16, 32, 64, 128, 256)
MAX_TOKENS = 250  # of a translation, end of sentence included


# ---- the process that runs CTranslate2 -----------------------------------------------------------

class Engine:
    """CTranslate2 with a split of the threads."""

    def __init__(self, directory, precision, inter, intra):
        import ctranslate2
        import sentencepiece
        start = time.perf_counter()
        self.translator = ctranslate2.Translator(
            str(directory), compute_type=PRECISIONS[precision], inter_threads=inter,
            intra_threads=intra)
        self.load_seconds = time.perf_counter() - start
        self.source, self.target = (
            sentencepiece.SentencePieceProcessor(model_file=str(directory / f"{side}.spm"))
            for side in ("source", "target"))

    def pieces(self, lines):
        return [self.source.encode(line, out_type=str) for line in lines]

    def translate(self, pieces, search, batch_size):
        """The pieces of the translations, and the seconds that they took."""
        options = dict(beam_size=search["beam"], length_penalty=1, max_input_length=0,
                       min_decoding_length=search["min_length"],
                       max_decoding_length=search["max_length"] - 1)
        start = time.perf_counter()
        if search["single"]:
            found = [self.translator.translate_batch([line], **options)[0] for line in pieces]
        else:
            found = self.translator.translate_batch(pieces, max_batch_size=batch_size, **options)
        return [one.hypotheses[0] for one in found], time.perf_counter() - start


def serve(directory):
    """Answers requests, one JSON object a line."""
    engines = {}
    for request in map(json.loads, sys.stdin):
        key = (request["precision"], request["inter"], request["intra"])
        if key not in engines:
            engines = {key: Engine(directory, *key)}
        engine = engines[key]
        pieces, seconds = engine.translate(engine.pieces(request["lines"]), request["search"],
                                           request["batch_size"])
        print(json.dumps(dict(
            seconds=seconds, load_seconds=engine.load_seconds,
            lines=[engine.target.decode(one) for one in pieces],
            cut=[len(one) >= request["search"]["max_length"] - 1 for one in pieces],
            peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)), flush=True)


class Peer:
    """A process with one engine, so that its memory is its own."""

    def __init__(self, directory, precision, inter, intra):
        self.setting = dict(precision=precision, inter=inter, intra=intra)
        environment = {**os.environ, "OMP_NUM_THREADS": str(intra)}
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", directory],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment)

    def translate(self, lines, search, batch_size):
        request = dict(self.setting, lines=lines, search=search, batch_size=batch_size)
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


# ---- the comparison ------------------------------------------------------------------------------

def best_setting(options, directory, precision, search, lines):
    """CTranslate2's fastest split of the threads and batch size on some of the lines."""
    threads = options.threads
    splits = sorted({(1, threads), (threads, 1)})
    batch_sizes = (1,) if search["single"] else BATCH_SIZES
    found = []
    for inter, intra in splits:
        with Peer(directory, precision, inter, intra) as peer:
            peer.translate(lines[:32], search, batch_sizes[0])  # warm
            for batch_size in batch_sizes:
                seconds = min(peer.translate(lines, search, batch_size)["seconds"]
                              for _ in range(2))
                found.append((seconds, inter, intra, batch_size))
    _, inter, intra, batch_size = min(found)
    return inter, intra, batch_size


def command_of_dietmt(options, precision, search):
    command = [options.dietmt, "translate", "--model", options.packed[precision],
               "--beam", search["beam"], "--max-length-factor", 0,
               "--max-length-offset", search["max_length"], "--min-length", search["min_length"],
               *options.dietmt_options]
    if search["single"]:
        command.append("--flush")
    return [str(word) for word in command]


def run_dietmt(options, precision, search, text):
    command = command_of_dietmt(options, precision, search)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    output = process.communicate(text.encode())[0]
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        sys.exit(f"dietmt translate failed: {' '.join(command)}")
    return seconds, output.decode().split("\n")[:-1]


def peak_of_dietmt(options, precision, search, text):
    """Peak memory in MB of one process."""
    command = command_of_dietmt(options, precision, search)
    return measured(command, input=text.encode(), stdout=subprocess.DEVNULL).memory_mb


def bleu(options, lines, root):
    hypothesis = root / "hypothesis"
    hypothesis.write_text("\n".join(lines) + "\n")
    output = subprocess.run([options.dietmt, "evaluate", "--reference", options.reference,
                             "--hypothesis", str(hypothesis), "--metric", "bleu"],
                            capture_output=True, text=True, check=True).stdout
    return output.strip().split("\n")[0].strip()


def equal_lines(translated, answer, search):
    """The share of equal lines, and how many were left out of it because CTranslate2 cut them at
    the longest length: it ranks what it cuts without an end of sentence, dietmt with one."""
    fixed = search["min_length"] >= search["max_length"] - 1
    ended = [a == b for a, b, cut in zip(translated, answer["lines"], answer["cut"])
             if fixed or not cut]
    return sum(ended) / max(1, len(ended)), len(translated) - len(ended)


def compare(options, directory, precision, name, lines, root):
    search = {**SEARCHES[name], "min_length": options.min_length, "max_length": options.max_length}
    if search["single"]:
        lines = lines[:options.single_lines]
    text = "\n".join(lines) + "\n"
    inter, intra, batch_size = best_setting(options, directory, precision, search,
                                            lines[:options.tuning_lines])
    theirs, ours = [], []
    empty = statistics.median(run_dietmt(options, precision, search, "")[0] for _ in range(3))
    with Peer(directory, precision, inter, intra) as peer:
        peer.translate(lines[:64], search, batch_size)  # warm
        for _ in range(options.rounds):
            answer = peer.translate(lines, search, batch_size)
            theirs.append(len(lines) / answer["seconds"])
            seconds, translated = run_dietmt(options, precision, search, text)
            if seconds < 1.5 * empty:
                sys.exit(f"{options.source}: too short to measure: --repeat it")
            ours.append(len(lines) / (seconds - empty))
    equal, cut = equal_lines(translated, answer, search)
    result = dict(
        model=options.name, source=pathlib.Path(options.source).name, precision=precision,
        search=name, lines=len(lines), dietmt=[round(speed, 1) for speed in ours],
        ctranslate2=[round(speed, 1) for speed in theirs],
        ratio=statistics.median(ours) / statistics.median(theirs), equal=equal, cut=cut,
        setting=dict(inter_threads=inter, intra_threads=intra, batch_size=batch_size),
        load_seconds=dict(dietmt=round(empty, 4), ctranslate2=round(answer["load_seconds"], 4)),
        peak_mb=dict(dietmt=round(peak_of_dietmt(options, precision, search, text), 1),
                     ctranslate2=round(answer["peak_mb"], 1)))
    if options.reference and not search["single"]:
        result["bleu"] = dict(dietmt=bleu(options, translated, root),
                              ctranslate2=bleu(options, answer["lines"], root))
    report(result)
    return result


def report(result):
    setting = result["setting"]
    print(f"{result['precision']} {result['search']}: dietmt "
          f"{statistics.median(result['dietmt']):.1f}, CTranslate2 "
          f"{statistics.median(result['ctranslate2']):.1f} sentences/s (its threads "
          f"{setting['inter_threads']} x {setting['intra_threads']}, batches of "
          f"{setting['batch_size']}): ratio {result['ratio']:.2f}; equal lines "
          f"{100 * result['equal']:.2f} % (without {result['cut']} that reached the longest length)")
    for what, unit in (("load_seconds", "s"), ("peak_mb", "MB")):
        values = result[what]
        print(f"  {what}: dietmt {values['dietmt']:.2f} {unit}, CTranslate2 "
              f"{values['ctranslate2']:.2f} {unit}")
    if "bleu" in result:
        print(f"  BLEU: dietmt {result['bleu']['dietmt']}")
        print(f"        CTranslate2 {result['bleu']['ctranslate2']}", flush=True)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--dietmt")
    parser.add_argument("--model")
    parser.add_argument("--source")
    parser.add_argument("--reference")
    parser.add_argument("--repeat", type=int, default=1, help="the text so many times over")
    parser.add_argument("--threads", type=int, default=2, help="cores for each side")
    parser.add_argument("--dietmt-options", type=str.split, default=None,
                        help="in place of '--threads N', e.g. '--workers 2 --threads 1'")
    parser.add_argument("--min-length", type=int, default=0,
                        help="tokens, for models so little trained that their lines are too short")
    parser.add_argument("--max-length", type=int, default=MAX_TOKENS,
                        help="tokens of the longest translation, with end of sentence")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tuning-lines", type=int, default=500)
    parser.add_argument("--single-lines", type=int, default=200)
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=list(PRECISIONS))
    parser.add_argument("--searches", nargs="+", choices=SEARCHES, default=list(SEARCHES))
    parser.add_argument("--name", help="of the model, for --log; default: that of its directory")
    parser.add_argument("--log", help="append lines of JSON to this file")
    options = parser.parse_args()
    if options.serve is None and not (options.dietmt and options.model and options.source):
        parser.error("--dietmt, --model and --source are needed")
    options.name = options.name or pathlib.Path(options.model or "").name
    if options.dietmt_options is None:
        options.dietmt_options = ["--threads", str(options.threads)]
    if options.reference and options.repeat > 1:
        parser.error("--reference goes with --repeat 1")
    return options


def main():
    options = parse_options()
    if options.serve is not None:
        serve(options.serve)
        return
    lines = pathlib.Path(options.source).read_text().split("\n")[:-1] * options.repeat
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        subprocess.run([options.dietmt, "export", "--model", options.model, "--to", "ctranslate2",
                        "--output", str(root / "exported")], check=True)
        options.packed = {}
        for precision in options.precisions:
            options.packed[precision] = str(root / f"packed-{precision}")
            command = [options.dietmt, "quantize", "--model", options.model,
                       "--type", precision, "--output", options.packed[precision]]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            for search in options.searches:
                append_to_log(options.log, compare(options, root / "exported", precision, search,
                                                   lines, root))


if __name__ == "__main__":
    main()
