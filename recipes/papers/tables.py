"""The papers' tables: their figures (tables/*.tsv), ours, and both in Markdown."""
import collections
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from jobs import DIETMT, RECIPES

Table = collections.namedtuple("Table", "title settings columns rows")
Row = collections.namedtuple("Row", "name model figures")


def read_table(name):
    lines = (pathlib.Path(__file__).parent / "tables" / f"{name}.tsv").read_text().splitlines()
    title, settings = lines[0].removeprefix("# "), lines[1].split("\t")[1].split()
    columns = lines[3].split("\t")[2:]
    rows = [Row(cells[0], cells[1], cells[2:]) for cells in (line.split("\t") for line in lines[4:])]
    return Table(title, settings, columns, rows)


def table_names():
    return sorted(path.stem for path in (pathlib.Path(__file__).parent / "tables").glob("*.tsv"))


def dietmt_json(*words):
    answer = subprocess.run([DIETMT, *map(str, words), "--quiet"], stdout=subprocess.PIPE, text=True)
    if answer.returncode != 0:
        sys.exit(answer.returncode)
    return json.loads(answer.stdout)


def task_values(work, model, settings):
    """{"TASK:metric": scores of the seeds}, at the best learning rate of each task."""
    values = {}
    for path in sorted(work.results(model, settings).glob("*/results.json")):
        results = json.loads(path.read_text())
        best = next(rate for rate in results["rates"]
                    if rate["learning_rate"] == results["best_learning_rate"])
        for metric in best["scores"]:
            values[f"{path.parent.name}:{metric}"] = [run["scores"][metric] for run in best["runs"]]
    return values


def with_average(values, columns):
    """Adds the mean of the columns, seed by seed. The papers leave out WNLI."""
    counted = [name for name in columns if ":" in name and not name.startswith("WNLI:")]
    if counted and all(name in values for name in counted):
        values["average"] = [statistics.mean(seed) for seed in zip(*(values[name] for name in counted))]
    return values


def score_columns(settings):
    """Columns of the first table with these settings."""
    for name in table_names():
        table = read_table(name)
        if table.settings == [settings]:
            return table.columns
    return []


def ours(work, table):
    """For each row {column: scores of the seeds}."""
    rows = []
    for row in table.rows:
        if len(table.settings) > 1:
            values = sizes_and_averages(work, row.model, table)
        else:
            values = with_average(task_values(work, row.model, table.settings[0]), table.columns)
        rows.append(values)
    return rows


def sizes_and_averages(work, model, table):
    """The columns of Chen et al.'s table 6, English and multilingual."""
    values = {}
    for settings, name, column in (("glue-diet", model, "parameters"),
                                   ("xtreme-diet", f"{model}-multilingual", "multilingual parameters")):
        about = work.output / "models" / name / "settings.json"
        if about.exists():
            values[column] = [json.loads(about.read_text())["run"]["parameters"] / 1e6]
        own = with_average(task_values(work, name, settings), score_columns(settings))
        if "average" in own:
            values[f"average:{settings}"] = own["average"]
    return values


def compared(rows, columns):
    """Mean, deviation and p against the first row with a value: {(row, column): object}."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for column in columns:
            present = [i for i, values in enumerate(rows) if column in values]
            if not present:
                continue
            for i in present:
                path = pathlib.Path(folder, f"{len(found)}-{i}", "score")
                path.mkdir(parents=True)
                runs = [{"scores": {"score": value}} for value in rows[i][column]]
                (path / "results.json").write_text(json.dumps({
                    "best_learning_rate": 1, "rates": [
                        {"learning_rate": 1, "scores": {"score": 0}, "runs": runs}]}))
            paths = [pathlib.Path(folder, f"{len(found)}-{i}") for i in present]
            for i, model in zip(present, dietmt_json("inspect", "compare", *paths, "--json")):
                found[i, column] = model["scores"][0]
    return found


def statistic_of(settings):
    config = (RECIPES / f"bert/{settings}.cfg").read_text() if settings else ""
    return statistics.mean if "statistic = mean" in config else statistics.median


def cell_of(values, facts, is_baseline, statistic, digits):
    if facts is None:
        return "-"
    text = f"{statistic(values):.{digits}f}"
    if facts["deviation"] is not None:
        text += f" ± {facts['deviation']:.{digits}f}"
    if not is_baseline:
        text += f", p {facts['p']:.3f}" if facts.get("p") is not None else ", p -"
    return text


def markdown(title, columns, lines, note):
    head = [f"{title}\n", f"| row | of | {' | '.join(columns)} |", "|---" * (len(columns) + 2) + "|"]
    return "\n".join(head + [f"| {' | '.join(line)} |" for line in lines] + ["", note])


def score_table(work, name):
    table = read_table(name)
    rows = ours(work, table)
    facts = compared(rows, table.columns)
    lines = []
    for i, row in enumerate(table.rows):
        lines.append([row.name, "paper", *row.figures])
        cells = []
        for column in table.columns:
            statistic = statistics.mean if "parameters" in column else statistic_of(table.settings[0])
            cells.append(cell_of(rows[i].get(column, []), facts.get((i, column)), i == 0, statistic, 2))
        lines.append(["", "here", *cells])
    return markdown(table.title, table.columns, lines,
                    f"Here: scale {work.name}; ± sample standard deviation over the seeds of fine-tuning; "
                    f"p: two-sided Welch's t-test against {table.rows[0].name}.")
