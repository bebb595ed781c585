"""The model card of a student, and the summary page of the recipe."""
import html
import itertools
import os

from systems import result_table

STYLE = ("body{font:16px/1.5 sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
         "table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.2rem .6rem;"
         "text-align:left}")
SAMPLES = 20  # test lines on the page


def model_card(name, recipe):
    """Markdown. Says what a user must know before using or passing on the model."""
    best = recipe.results[-1]
    back = f" and {count(recipe.back[0][1]):,} lines translated back" if recipe.back else ""
    quality = ", ".join(f"{value:.2f} {metric}" for metric, value in best["test"].items())
    return f"""# {name}
Translates {recipe.source} to {recipe.target}. For `dietmt`, on a CPU.

    dietmt translate --model {name} --shortlist {name}/shortlist.bin --input text.{recipe.source}
    dietmt serve --model {recipe.source}-{recipe.target}={name} --shortlist auto

| | |
|---|---|
| licence | {recipe.settings["license"] or "not stated"} |
| training text | {best["training_pairs"]:,} pairs{back} |
| teacher | {best["teacher"]} |
| student | {" ".join(recipe.settings["student"]["options"]) or "default options"}; int8 weights |
| test text | {count(recipe.texts["test"][0]):,} lines: {quality} |
| speed | {best["lines_per_second"]:,.0f} lines a second on {best["processor"]} |
| size | {best["megabytes"]:,.1f} MB |
| made | {best["date"]} |

The student learned the teacher's translations of the training text, so it repeats what is wrong or
one-sided in that text. It was tested only on the text above. Numbers, names and negations can be
wrong: `--check copies` names copied items that are missing.
"""


def count(path):
    with open(path, "rb") as lines:
        return sum(1 for _ in lines)


def table_of(markdown):
    """HTML of a Markdown table."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]
    return rows_of([rows[0]], "th") + rows_of(rows[2:], "td")


def rows_of(rows, cell):
    return "".join("<tr>" + "".join(f"<{cell}>{html.escape(str(value))}</{cell}>" for value in row) +
                   "</tr>" for row in rows)


def links(recipe):
    """To the reports of cleaning and training that are there."""
    found = sorted(recipe.output.glob("*/report.html")) + sorted(recipe.output.glob("clean/*.html"))
    names = [os.path.relpath(path, recipe.output) for path in found]
    return "".join(f'<li><a href="{html.escape(name)}">{html.escape(name)}</a></li>' for name in names)


def samples(recipe):
    files = [*recipe.texts["test"], recipe.evaluated / f"test-{len(recipe.results) - 1}"]
    lines = [path.open(encoding="utf-8", errors="replace") for path in files]
    try:
        return [tuple(row) for row in itertools.islice(zip(*lines), SAMPLES)]
    finally:
        for file in lines:
            file.close()


def summary(recipe):
    """HTML: systems, steps, reports and translations."""
    title = f"{recipe.source} to {recipe.target}"
    archive = os.path.relpath(recipe.archive, recipe.output)
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>
<style>{STYLE}</style><h1>{html.escape(title)}</h1>
<p>The translator: <a href="{html.escape(archive)}">{html.escape(archive)}</a>. Its teacher:
{html.escape(recipe.teacher)}.</p>
<h2>Systems</h2><table>{table_of(result_table(recipe.results))}</table>
<h2>Steps</h2><table>{rows_of([("step", "seconds")], "th")}{rows_of(recipe.steps, "td")}</table>
<h2>Reports</h2><ul>{links(recipe)}</ul>
<h2>The first test lines</h2><table>{rows_of([("text", "reference", "student")], "th")}
{rows_of(samples(recipe), "td")}</table></html>
"""
