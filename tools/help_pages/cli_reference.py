"""docs/reference/cli.md."""
from command_tables import all_commands, spellings

HEAD = """# Commands and options

Made from the option tables of the program; change it with `scripts/reference`. `dietmt COMMAND --help`
prints the same for the options that most users need, `--help-all` for all, and `--help-json` everything
on this page for programs. Give an option as `--name value` or `--name=value`; `...` after a
placeholder means one value or more. `[--input]` in the usage line means that the name can be left out.
`--no-name` switches a flag off. If an option is given twice, the last value counts; values of lists add
up. Options may be in a file too (`--config FILE`, lines `name = value`).
In it, a `#` at the start of a line or after white space begins a comment. Put a value in quotes (`"..."`) to
keep white space at its ends or such a `#`; inside quotes, `\\"`, `\\\\` and `\\n` stand for a quote, a backslash
and a new line. `--dump-config` does this by itself.

Exit codes: 0 done, 1 failed, 2 wrong usage, 75 stopped after saving (the same command continues).
"""


def _cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _head(option):
    value = "" if option["type"] == "flag" else " " + option["placeholder"]
    *short, name = (f"`{spelling}`" for spelling in spellings(option))
    return ", ".join([*short, f"{name[:-1]}{value}`"]).replace("|", "\\|")


def _anchor(command):
    return command.words.replace(" ", "-")


def _table(options):
    yield "| option | meaning | |"
    yield "|---|---|---|"
    for option in options:
        yield f"| {_head(option)} | {_cell(option['help'])} | {_cell(option['facts'])} |"


def _section(command):
    yield f"## {command.words}"
    yield command.description
    yield ""
    yield "```"
    yield f"{command.words} {command.synopsis}"
    yield "```"
    for title, options in command.groups():
        if title == "Every command":
            continue
        yield ""
        if title != "Options":
            yield f"**{title}**"
            yield ""
        yield from _table(options)
    yield ""
    yield "```"
    yield from command.examples
    yield "```"
    yield ""


def cli_reference(tree):
    leaves = [command for command in all_commands(tree) if command.options]
    lines = [HEAD, "| command | |", "|---|---|"]
    lines += [f"| [`{command.words}`](#{_anchor(command)}) | {_cell(command.summary)} |"
              for command in leaves]
    lines.append("")
    for command in leaves:
        lines += _section(command)
    lines += ["## Every command", *_table(dict(leaves[0].groups())["Every command"])]
    return "\n".join(lines) + "\n"
