"""The jobs that train the models of a table: what they run, and what they leave.

    OUTPUT/scale                      the scale of everything in OUTPUT
    OUTPUT/tokenizer.model            of all models at the scales tiny and small
    OUTPUT/models/MODEL               pre-training (recipes/bert/pretrain.sh)
    OUTPUT/models/MODEL/SETTINGS/TASK fine-tuning (recipes/bert/SETTINGS.cfg)
    OUTPUT/models/medium-MODEL/epochs/N a medium BERT after N epochs (Wang et al. 2021, appendix F)
    OUTPUT/wmt18/ENCODING             translation (recipes/wmt18/run.sh)
"""
import collections
import os
import pathlib
import shutil
import subprocess
import sys

RECIPES = pathlib.Path(__file__).resolve().parents[1]
DIETMT = os.environ.get("DIETMT", str(RECIPES.parent / "build/bin/dietmt"))

Scale = collections.namedtuple("Scale", "tokenizer pretrain second finetune spans translate updates epochs")

SCALES = {
    # A test: seconds for each model, on toy text.
    "tiny": Scale(
        tokenizer="--type unigram --vocab-size 40",
        pretrain="--layers 1 --width 24 --feed-forward 24 --heads 2 --length 32 --batch-tokens 600 "
                 "--accumulate 1 --warmup 1 --valid-interval 5 --log-interval 5 --save-interval 3 "
                 "--keep-last 10 --threads 1",
        second="",
        finetune="--seeds 2 --epochs 1 --learning-rates 1e-3 --batch-size 4 --max-length 32 --threads 1",
        spans="--seeds 2 --epochs 1 --learning-rates 1e-3 --batch-size 4 --max-length 48 --stride 8 "
              "--max-question 12 --threads 1",
        translate="--vocab-size 90 --tokenizer-type bpe --encoder-layers 1 --decoder-layers 1 --width 32 "
                  "--feed-forward 32 --heads 2 --batch-tokens 500 --accumulate 1 --save-interval 2 "
                  "--valid-interval 4 --no-valid-translation --threads 1 --max-updates 4",
        updates=10, epochs=(2, 1)),
    # A night on two cores for a table: recipes/bert/small.cfg's model and schedule.
    "small": Scale(
        tokenizer="--type unigram --vocab-size 8000",
        pretrain="--preset mini --length 128 --batch-tokens 4096 --accumulate 1 --schedule inverse-sqrt "
                 "--learning-rate 1e-3 --warmup 300 --adam-beta2 0.98 --valid-interval 500 "
                 "--save-interval 1000 --keep-last 10",
        second="--length 256 --batch-tokens 4096",
        finetune="--seeds 3 --learning-rates 1e-4",
        spans="--seeds 3 --learning-rates 1e-4",
        translate="--preset tiny --vocab-size 8000 --batch-tokens 4096 --accumulate 1 --max-updates 20000",
        updates=10000, epochs=(10, 2)),
    # The papers' settings, as in the recipes.
    "full": Scale("", "", "", "", "", "", 1000000, epochs=(10, 2)),
}

TASKS = {
    "glue-diet": "MNLI QQP QNLI SST-2 CoLA STS-B",
    "glue-tupe": "CoLA SST-2 MRPC STS-B QQP MNLI QNLI RTE",
    "glue-wang": "CoLA SST-2 MNLI MRPC QNLI QQP RTE STS-B WNLI",
    "squad-wang": "SQuAD1.1 SQuAD2.0",
    "xtreme-diet": "XNLI XQuAD MLQA TyDiQA-GoldP",
}


MEDIUM = "medium-"


class Work:
    """Data, output and scale of a call."""

    def __init__(self, data, output, scale, options):
        self.data, self.output = pathlib.Path(data), pathlib.Path(output)
        self.name, self.scale, self.options = scale, SCALES[scale], options

    def check(self):
        """Refuses an output of another scale."""
        note = self.output / "scale"
        if note.exists() and note.read_text().strip() != self.name:
            sys.exit(f"{self.output} has the scale {note.read_text().strip()}; give another OUTPUT")
        if not note.exists():  # whole at once: other jobs may start now
            self.output.mkdir(parents=True, exist_ok=True)
            draft = note.with_name(f"scale.{os.getpid()}")
            draft.write_text(self.name + "\n")
            draft.replace(note)

    def text(self, model):
        return self.data / ("text-multilingual" if model.endswith("-multilingual") else "text")

    def tokenizer(self, model):
        many = "-multilingual" if model.endswith("-multilingual") else ""
        return self.output / f"tokenizer{many}.model"

    def encoder(self, model):
        """The directory of weights. NAME@30 is the model after 30 % of its updates, medium-NAME@3
        that after the third epoch."""
        name, _, percent = model.partition("@")
        run = self.output / "models" / name
        if name.startswith(MEDIUM):
            return run / "epochs" / percent
        if name.startswith("wang-"):
            run = run / "512"
        if not percent:
            return run / "last"
        update = self.scale.updates * int(percent) // 100
        return run / "checkpoints" / f"update-{update:08}"

    def results(self, model, settings):
        return self.output / "models" / model / settings


def run(command):
    """On standard error; ends this program if the command fails or is stopped."""
    code = subprocess.run([str(word) for word in command], stdout=sys.stderr,
                          env=os.environ | {"DIETMT": DIETMT}).returncode
    if code != 0:
        sys.exit(code if code > 0 else 1)


def finished(mark, commands):
    """Runs the commands unless `mark` says that they have run."""
    if mark.exists():
        return
    for command in commands:
        run(command)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()


def files_in(folder):
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    if not found:
        sys.exit(f"{folder}: there is no text")
    return found


def tokenizer(work, model):
    path = work.tokenizer(model)
    lower = [] if model.endswith("-multilingual") else ["--lowercase"]
    finished(path.with_suffix(".done"), [[
        DIETMT, "tokenizer", "--input", *files_in(work.text(model) / "train"), "--special", "bert", *lower,
        *work.scale.tokenizer.split(), "--output", path]])


def pretrain_by_epochs(work, model):
    """Both parts of a medium BERT from random weights; keeps the model after each epoch. At the
    scales tiny and small, an epoch is an equal share of the updates."""
    output, text = work.output / "models" / model, work.text(model)
    first, second = work.scale.epochs
    for epoch in range(1, first + second + 1):
        kept = output / "epochs" / str(epoch)
        if kept.exists():
            continue
        part, done, all_of_part = (128, epoch, first) if epoch <= first else (512, epoch - first, second)
        if work.scale.tokenizer:
            options = [*work.scale.pretrain.split(), "--tokenizer", work.tokenizer(model), "in-512",
                       *work.scale.second.split(), f"in-{part}",
                       "--max-updates", work.scale.updates * done // all_of_part]
        else:  # 128 examples an update (table 6)
            options = ["--preset", "medium", "in-128", "--batch-tokens", 16384, f"in-{part}",
                       "--max-epochs", done]
        run([RECIPES / "bert/pretrain.sh", model.removeprefix(MEDIUM), text / "train", text / "valid",
             output, *work.options, *options, f"only-{part}"])
        draft = kept.with_name(f"{epoch}.draft")
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(output / str(part) / "last", draft,
                        ignore=shutil.ignore_patterns("training.safetensors"))
        draft.rename(kept)


def pretrain(work, model):
    if model.startswith(MEDIUM):
        pretrain_by_epochs(work, model)
        return
    output = work.output / "models" / model
    options = work.scale.pretrain.split() + list(work.options)
    if work.scale.tokenizer:
        options += ["--tokenizer", work.tokenizer(model), "--max-updates", work.scale.updates]
        if model.startswith("wang-") and work.scale.second:
            options += ["in-512", *work.scale.second.split()]
    elif model.startswith("wang-") and (work.data / "bert-base-uncased").exists():
        options += ["--init-from", work.data / "bert-base-uncased"]
    text = work.text(model)
    finished(output / "pretrained", [[RECIPES / "bert/pretrain.sh", model, text / "train", text / "valid",
                                      output, *options]])


def finetune(work, model, settings):
    present = [task for task in TASKS[settings].split() if (work.data / task).is_dir()]
    if not present:
        sys.exit(f"{work.data} has none of the tasks {TASKS[settings]}")

    def options(task):
        of_pairs = task == "XNLI" or settings.startswith("glue")
        return (work.scale.finetune if of_pairs else work.scale.spans).split()

    output = work.results(model, settings)
    finished(output / "finetuned", [[
        DIETMT, "bert", "finetune", "--config", RECIPES / f"bert/{settings}.cfg", "--model",
        work.encoder(model), "--data", work.data / task, "--task", task, "--output", output / task,
        *options(task), *work.options] for task in present])


def translate(work, encoding):
    output = work.output / "wmt18" / encoding
    finished(output / "translated", [[RECIPES / "wmt18/run.sh", encoding, work.data, output,
                                      *work.scale.translate.split(), *work.options]])


JOBS = {"tokenizer": tokenizer, "pretrain": pretrain, "finetune": finetune, "translate": translate}


def stages(work, models, settings):
    """Jobs by stage; those of a stage need those of the stages before."""
    trained = list(dict.fromkeys(model.partition("@")[0] for model in models))
    first = [f"tokenizer {kind[0]}" for kind in
             ([m for m in trained if m.endswith("-multilingual")],
              [m for m in trained if not m.endswith("-multilingual")]) if kind]
    return [stage for stage in (
        first if work.scale.tokenizer else [],
        [f"pretrain {model}" for model in trained],
        [f"finetune {model} {kind}" for kind in settings for model in models]) if stage]


def do(work, job):
    kind, *arguments = job.split()
    if kind not in JOBS:
        sys.exit(f"there is no job '{job}'; --jobs lists them")
    JOBS[kind](work, *arguments)
