"""Man pages: one for dietmt, one for each command."""
from command_tables import all_commands, spellings

EXIT_CODES = (("0", "Done."), ("1", "Failed."), ("2", "Wrong usage."),
              ("75", "Stopped, and saved what is needed: the same command continues."))


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def line(text):
    """A line of text that no macro call can begin."""
    return ("\\&" if text[:1] in ".'" else "") + escaped(text)


def options(command):
    yield ".SH OPTIONS"
    for title, group in command.groups():
        yield f".SS {line(title)}"
        for option in group:
            yield ".TP"
            name = ", ".join(f"\\fB{escaped(spelling)}\\fR" for spelling in spellings(option))
            if option["placeholder"] and option["type"] != "flag":
                name += f" \\fI{escaped(option['placeholder'])}\\fR"
            yield name
            yield line(option["help"] + (f" ({option['facts']})" if option["facts"] else ""))


def commands(command):
    yield ".SH COMMANDS"
    for child in command.commands:
        yield ".TP"
        yield f"\\fB{escaped(child.words)}\\fR"
        yield f"{line(child.summary)}; see"
        yield f".BR {escaped(child.page)} (1)."


def examples(command):
    yield ".SH EXAMPLES"
    yield ".nf"
    for example in command.examples:
        yield from map(line, example.split("\n"))
    yield ".fi"


def see_also(command, others):
    pages = [other.page for other in others if other.page != command.page]
    yield ".SH SEE ALSO"
    for place, page in enumerate(pages):
        yield f".BR {escaped(page)} (1){',' if place + 1 < len(pages) else ''}"


def man_page(command, others, version, date):
    lines = [f".TH {escaped(command.page.upper())} 1 {date} \"dietmt {version}\" \"User Commands\"",
             ".SH NAME", f"{escaped(command.page)} \\- {escaped(command.summary)}",
             ".SH SYNOPSIS", f"\\fB{escaped(command.words)}\\fR {escaped(command.synopsis)}",
             ".SH DESCRIPTION", line(command.description)]
    lines += options(command) if command.options else commands(command)
    if not command.name:
        lines += [".PP", line("dietmt --version prints the version, dietmt COMMAND --help the options "
                              "of a command.")]
    lines += examples(command)
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXIT_CODES:
        lines += [".TP", f".B {code}", line(meaning)]
    lines += see_also(command, others)
    return "\n".join(lines) + "\n"


def man_pages(tree, version, date):
    """The pages by file name."""
    pages = {}
    for command in all_commands(tree):
        related = [tree] + [other for other in all_commands(tree)
                            if command in other.commands or other in command.commands]
        unique = {other.page: other for other in related}
        if command is tree:
            unique = {child.page: child for child in tree.commands}
        pages[f"{command.page}.1"] = man_page(command, unique.values(), version, date)
    return pages
