"""What dietmt's option tables say, from --help-json of the program and of each command."""
import concurrent.futures
import dataclasses
import json
import subprocess


@dataclasses.dataclass
class Command:
    name: str  # "train", "bert pretrain"; empty for dietmt itself
    summary: str
    description: str
    examples: list
    synopsis: str = "COMMAND [options]"
    positional: str = ""  # the option that words without a name belong to
    options: list = dataclasses.field(default_factory=list)
    commands: list = dataclasses.field(default_factory=list)  # those of a command like bert

    @property
    def words(self):
        return f"dietmt {self.name}".rstrip()

    @property
    def page(self):
        return self.words.replace(" ", "-")

    def groups(self):
        """(title, options) in the order of the table."""
        found = {}
        for option in self.options:
            found.setdefault(option["group"], []).append(option)
        return found.items()


def _describe(program, name):
    words = [program, *name.split(), "--help-json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def command_tree(program, name="", summary="machine translation with pluggable position encodings"):
    """The command `name` of the program, with all below it."""
    told = _describe(program, name)
    command = Command(name, summary, told["description"], told["examples"])
    if "commands" in told:
        # Most start LibTorch, which takes a moment.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            command.commands = list(pool.map(
                lambda entry: command_tree(program, f"{name} {entry['name']}".lstrip(), entry["summary"]),
                told["commands"]))
    else:
        command.synopsis = told["synopsis"] + " [options]"
        command.options = told["options"]
        command.positional = told["positional"]
    return command


def all_commands(command):
    """A command and all below it."""
    yield command
    for child in command.commands:
        yield from all_commands(child)


def spellings(option):
    """--name, after -l if the option has a letter."""
    short = [f"-{option['letter']}"] if "letter" in option else []
    return [*short, f"--{option['name']}"]


def value_kind(option):
    """How a shell completes the option's value: flag, word, file, directory, path or text."""
    placeholder = option["placeholder"]
    if option["type"] == "flag":
        return "flag"
    if option.get("choices"):
        return "word"
    for word, kind in (("FILE", "file"), ("DIR", "directory"), ("MODEL", "directory"),
                       ("PATH", "file")):
        if placeholder.split("]")[-1].startswith(word) or placeholder.startswith(word):
            return kind
    return "text"


def takes_several(option):
    return option["list"] and "..." in option["placeholder"]
