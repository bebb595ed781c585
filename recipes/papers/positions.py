"""Tables and figures of what positions do: indicators, correlations, heat maps, settings, BLEU."""
import json
import pathlib
import statistics
import tempfile

from jobs import DIETMT, MEDIUM, RECIPES, run
from tables import (dietmt_json, markdown, read_table, score_columns, task_values,
                    with_average)

WITHOUT = "wang-none"  # Wang et al. leave it out of correlations: its indicators are far from the others


def indicators(work, models):
    """For each model {"opr": .., "opr:20": .., "aiv": .., "sd": .., "db": ..}, as in table 2; {} for
    one that is not trained yet."""
    size = ["--length", 24, "--words", 20] if work.name == "tiny" else []
    trained = [model for model in models if work.encoder(model).exists()]
    if not trained:
        return [{}] * len(models)
    answer = dietmt_json("inspect", "compare", *map(work.encoder, trained), *size, "--json")
    found = {model: as_in_table_2(one["indicators"], one["by_reach"]) for model, one in zip(trained, answer)}
    return [found.get(model, {}) for model in models]


def as_in_table_2(values, by_reach):
    """Sentences stand between [CLS] and [SEP], as the paper's, if they were analysed so."""
    framed = "framed " if "framed aiv" in values else ""
    found = {name: values.get(framed + name) for name in ("opr", "sd", "db")}
    reach = by_reach.get(framed + "opr", [])
    if reach:
        found["opr:20"] = reach[min(20, len(reach)) - 1]
    if framed:
        found["aiv:with [CLS] and [SEP]"] = values["framed aiv"]
    found["aiv"] = values.get("framed inner_aiv", values.get("aiv"))
    return {name: value for name, value in found.items() if value is not None}


def number(value, digits=4):
    return "-" if value is None else f"{value:.{digits}f}"


def indicator_table(work, name):
    table = read_table(name)
    found = indicators(work, [row.model for row in table.rows])
    lines = []
    for row, values in zip(table.rows, found):
        lines += [[row.name, "paper", *row.figures],
                  ["", "here", *(number(values.get(column)) for column in table.columns)]]
    return markdown(table.title, table.columns, lines,
                    f"Here: scale {work.name}; means over the heads of the first layer.")


def papers_columns(model_rows):
    """The paper's own tables 2, 3 and 4 as {model: {column: figure}}."""
    found = {}
    for name in ("wang-2", "wang-3", "wang-4"):
        table = read_table(name)
        for row in table.rows:
            found.setdefault(row.model, {}).update(zip(table.columns, row.figures))
    return {model: values for model, values in found.items() if model in model_rows}


def our_columns(work, models):
    found = {}
    for model, values in zip(models, indicators(work, models)):
        scores = with_average(task_values(work, model, "glue-wang"), score_columns("glue-wang"))
        scores |= task_values(work, model, "squad-wang")
        found[model] = values | {name: statistics.mean(seeds) for name, seeds in scores.items()}
    return found


def correlated(values, indicator_names, score_names):
    """{(indicator, score): r and p} of a table of values by model, of three models or more."""
    values = {model: row for model, row in values.items() if row}
    names = [*indicator_names, *score_names]
    present = [name for name in names if any(name in row for row in values.values())]
    if len(values) < 3 or not set(present) & set(score_names):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "values.tsv")
        lines = ["\t".join(["model", *present])]
        for model, row in values.items():
            cells = (row.get(name) for name in present)
            lines.append("\t".join([model, *("-" if cell is None else str(cell) for cell in cells)]))
        path.write_text("\n".join(lines) + "\n")
        chosen = ",".join(name for name in indicator_names if name in present)
        answer = dietmt_json("inspect", "correlate", "--table", path, "--indicators", chosen, "--json")
    return {(one["indicator"], one["score"]): one for one in answer["correlations"]}


def correlation_table(work, name):
    table = read_table(name)
    models = [row.model for row in read_table("wang-2").rows if row.model != WITHOUT]
    names = [row.model for row in table.rows]
    theirs = correlated(papers_columns(models), names, table.columns)
    ours = our_columns(work, models)
    here = correlated(ours, names, table.columns)

    def cells(found, indicator, with_p):
        line = []
        for column in table.columns:
            one = found.get((indicator, column))
            text = "-" if one is None or one["pearson"] is None else f"{one['pearson']:.2f}"
            line.append(text + (f", p {one['pearson_p']:.3f}" if with_p and text != "-" else ""))
        return line

    lines = []
    for row in table.rows:
        lines += [[row.name, "paper", *row.figures],
                  ["", "its tables 2 to 4", *cells(theirs, row.model, False)],
                  ["", "here", *cells(here, row.model, True)]]
    return markdown(table.title, table.columns, lines,
                    f"Here: scale {work.name}, {sum(map(bool, ours.values()))} models; p is two-sided.")


def settings_of(name):
    lines = (RECIPES / f"bert/{name}.cfg").read_text().splitlines()
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return {key.strip(): value.strip() for key, value in pairs}


def hyperparameter_table(name):
    """The settings of tupe.cfg and glue-tupe.cfg, in the paper's units."""
    table = read_table(name)
    before, after = settings_of("tupe"), settings_of("glue-tupe")
    tokens = int(before["batch-tokens"]) * int(before["accumulate"])
    before |= {"batch": str(tokens // int(before["length"])),
               "warmup": f"{int(before['warmup']) / int(before['max-updates']):g}"}
    # What fine-tuning does without being told: epochs are in the table of tasks.
    after |= {"batch": after["batch-size"], "length": after["max-length"], "warmup": after["warmup-ratio"],
              "schedule": "linear", "epochs": "5 or 10", "dropout": before["dropout"], "adam-beta1": "0.9"}
    lines = []
    for row in table.rows:
        lines += [[row.name, "paper", *row.figures],
                  ["", "here", before.get(row.model, "-"), after.get(row.model, "-")]]
    return markdown(table.title, table.columns, lines, "Here: scale full.")


def translation_table(work, name):
    """BLEU, and p of paired randomization against the first row."""
    table = read_table(name)

    def bleu(row, column):
        path = work.output / "wmt18" / row.model / column.split(":")[0] / "bleu.json"
        return json.loads(path.read_text())[0]["score"] if path.exists() else None

    lines = []
    for i, row in enumerate(table.rows):
        cells = []
        for column in table.columns:
            score = bleu(row, column)
            text = number(score, 2)
            if i > 0 and score is not None:
                text += f", p {paired_p(work, column.split(':')[0], table.rows[0].model, row.model):.3f}"
            cells.append(text)
        lines += [[row.name, "paper", *row.figures], ["", "here", *cells]]
    return markdown(table.title, table.columns, lines,
                    f"Here: scale {work.name}; p: paired randomization against {table.rows[0].name}.")


def paired_p(work, direction, baseline, model):
    source, target = direction.split("-")
    folder = next(folder for folder in (work.data / direction, work.data / f"{target}-{source}")
                  if folder.is_dir())
    reference = next(path for path in (folder / f"test.{target}", folder / f"test.{target}.gz")
                     if path.exists())
    outputs = [work.output / "wmt18" / name / direction / f"newstest2018.{target}"
               for name in (baseline, model)]
    answer = dietmt_json("evaluate", "--reference", reference, "--hypothesis", *outputs, "--metric", "bleu",
                         "--paired", "randomization", "--json")
    return next(entry["p_value"] for entry in answer[1:] if "p_value" in entry)


WANG = [row.model for row in read_table("wang-2").rows]
APES = ["wang-ape", "wang-sinusoidal-ape", "wang-learnable-sinusoidal-ape"]
TUPE = ["bert-a", "bert-r", "tupe-a", "tupe-r"]
# Those that the text to figure 7 names: learned positions, and three that can grow longer.
MEDIUMS = [MEDIUM + model for model in ("wang-ape", "wang-learnable-sinusoidal-ape", "wang-rpe",
                                        "wang-learnable-sinusoidal-rpe")]
RPES = ["wang-rpe", "wang-ape+rpe", "wang-learnable-sinusoidal-ape+rpe"]

# Models of each figure, and the settings they are fine-tuned with.
FIGURES = {"diet-4": (["diet-abs"], []), "tupe-4": (TUPE, []), "tupe-5": (["tupe-a"], []),
           "wang-1": (APES + RPES, []), "wang-2": (WANG, []),
           "wang-5": ([model for model in WANG if model != WITHOUT], ["glue-wang", "squad-wang"]),
           "wang-6": (RPES, []), "wang-7": (MEDIUMS, ["squad-wang"]), "wang-11": (WANG, [])}


def after_epochs(work, model):
    """{epoch: name of the model after it}."""
    return {epoch: f"{model}@{epoch}" for epoch in range(1, sum(work.scale.epochs) + 1)}


def models_of_figure(work, name):
    models, settings = FIGURES[name]
    if name != "wang-7":
        return models, settings
    return [after for model in models for after in after_epochs(work, model).values()], settings


def draw(work, name):
    """Writes the pages of a figure; returns their paths."""
    folder = work.output / "figures" / name
    folder.mkdir(parents=True, exist_ok=True)
    models = FIGURES[name][0]
    runs = [work.output / "models" / model for model in models]
    size = ["--length", 24, "--words", 20] if work.name == "tiny" else ["--length", 128]
    if name == "tupe-4":
        pages = [folder / "losses.html"]
        run([DIETMT, "inspect", "runs", *runs, "--output", pages[0]])
        return pages
    if name == "wang-7":
        pages = [folder / "squad.html"]
        run([DIETMT, "inspect", "runs", *(curve(work, folder, model) for model in models),
             "--axis", "epoch", "--output", pages[0]])
        return pages
    if name == "wang-5":
        pages = [folder / "correlations.html"]
        run([DIETMT, "inspect", "correlate", *linked(work, folder, models), *size, "--output", pages[0]])
        return pages
    pages = []
    for model in models:
        pages.append(folder / f"{model}.html")
        run([DIETMT, "inspect", "positions", work.encoder(model), *size, "--output", pages[-1]])
    return pages


def curve(work, folder, model):
    """A directory with the scores of a model by epoch, as those of a training run."""
    first, lines, before = work.scale.epochs[0], [], 0
    for epoch, after in after_epochs(work, model).items():
        updates = json.loads((work.encoder(after) / "training.json").read_text())["update"]
        scores = task_values(work, after, "squad-wang")
        means = {name.replace(":", "_"): statistics.mean(values)
                 for name, values in scores.items() if name.endswith(":f1")}
        lines.append(json.dumps({"kind": "valid", "update": before + updates, "epoch": epoch, **means}))
        if epoch == first:  # the second part counts from 0
            before = updates
    output = folder / model.removeprefix(MEDIUM)
    output.mkdir(exist_ok=True)
    (output / "progress.jsonl").write_text("\n".join(lines) + "\n")
    return output


def linked(work, folder, models):
    """A directory for each model with its weights and the results of its tasks."""
    for model in models:
        both = folder / model
        both.mkdir(exist_ok=True)
        for name, target in (("best", work.encoder(model)), *(
                (settings, work.results(model, settings)) for settings in ("glue-wang", "squad-wang"))):
            link = both / name
            if link.is_symlink():
                link.unlink()
            link.symlink_to(pathlib.Path(target).resolve())
    return [folder / model for model in models]
