"""Records of runs, options of commands, the machine, and how several results are written."""
import collections
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

Use = collections.namedtuple("Use", "seconds processor_seconds memory_mb")

# Linux counts the memory of the process that starts another one as the other's: so a small one
# starts it, of about 9 MB.
MEASURE = """
import os, sys, time
start = time.monotonic()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(child, 0)
seconds = time.monotonic() - start
with open(sys.argv[1], "w") as file:
    print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=file)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def measured(command, **options):
    """Its Use; options are those of subprocess.run. Ends this program if the command fails."""
    with tempfile.NamedTemporaryFile("r") as figures:
        words = [sys.executable, "-I", "-S", "-c", MEASURE, figures.name, *map(str, command)]
        if subprocess.run(words, **options).returncode != 0:
            sys.exit(f"failed: {' '.join(map(str, command))}")
        return Use(*map(float, figures.read().split()))


def measured_answer(command):
    """The JSON object that it prints last, and its Use."""
    with tempfile.TemporaryFile("w+") as answer:
        used = measured(command, stdout=answer)
        answer.seek(0)
        return json.loads(answer.read().splitlines()[-1]), used


def scores(reference, translation):
    """BLEU and chrF2 by the program of the environment's DIETMT."""
    answer = subprocess.run(
        [os.environ["DIETMT"], "evaluate", "--reference", reference, "--hypothesis", translation,
         "--metric", "bleu,chrf", "--json"], check=True, capture_output=True, text=True).stdout
    return {entry["metric"]: round(entry["score"], 4) for entry in json.loads(answer)}


def entries(run):
    """Those of progress.jsonl, none if it is not there. A killed process may have cut the last one."""
    found = []
    path = pathlib.Path(run) / "progress.jsonl"
    for line in path.open() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def training_facts(run):
    """Encoding, size, last validation and time of the training in the directory `run`."""
    settings = json.loads((pathlib.Path(run) / "settings.json").read_text())["settings"]
    train = [entry for entry in entries(run) if entry["kind"] == "train"]
    valid = [entry for entry in entries(run) if entry["kind"] == "valid"]
    return {
        "encoding": settings["position"],
        "seed": int(settings["seed"]),
        "updates": train[-1]["update"],
        "batch_tokens": int(settings["batch-tokens"]) * int(settings["accumulate"]),
        "precision": settings["precision"],
        "validation": {key: round(value, 4) for key, value in valid[-1].items()
                       if key in ("bleu", "chrf", "valid_loss", "mlm_accuracy")},
        "hours": round(train[-1]["seconds"] / 3600, 3),
        "tokens_per_second": statistics.median(entry["tokens_per_second"] for entry in train),
        "memory_mb": max(entry["peak_memory_mb"] for entry in train),
    }


def spread(values, sign="", digits=2):
    """The mean, with the sample standard deviation of several."""
    mean = f"{statistics.mean(values):{sign}.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {statistics.stdev(values):.{digits}f}"


def encoding_of(result):
    """That of the encoder, with that of the decoder if it is another."""
    return "/".join(dict.fromkeys((result["encoding"], result["decoder_encoding"])))


def seeds_of(runs):
    return ", ".join(str(run["seed"]) for run in runs)


def quality(runs):
    """BLEU of the validation text, BLEU and chrF2 of the test set, of runs that record.py wrote."""
    return [spread([run[part][metric] for run in runs]) for part, metric in
            (("validation", "bleu"), ("test", "BLEU"), ("test", "chrF2"))]


def place():
    """Program, date and machine of this run."""
    today = datetime.date.today().isoformat()
    return {"date": today, "commit": commit(), "processor": processor()}


def append_to_log(log, *results):
    """Each with place() as a line of JSON at the end of the file, if there is to be one."""
    if log:
        here = place()
        with open(log, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(result | here) + "\n" for result in results)


def commit():
    """The commit of this checkout, with + if it was changed since; None outside of git."""
    git = ["git", "-C", str(pathlib.Path(__file__).resolve().parent)]
    shown = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    if shown.returncode != 0:
        return None
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD"], capture_output=True)
    return shown.stdout.strip() + ("+" if changed.returncode == 1 else "")


def processor():
    """Its name, family and model, after the number of its processing units."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    facts = collections.defaultdict(list)
    for line in lines:
        key, _, value = line.partition(":")
        facts[key.strip()].append(value.strip())
    names = facts["model name"]
    if not names:
        return platform.machine()
    # Virtual machines may hide the name.
    family, model = (facts[key][0] if facts[key] else "?" for key in ("cpu family", "model"))
    return f"{len(names)} x {names[0]}, family {family}, model {model}"
