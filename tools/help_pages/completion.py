"""Completion for bash and zsh: commands, options, choices, files and directories."""
from command_tables import all_commands, spellings, takes_several, value_kind

BASH = r"""# bash completion of dietmt, made from its option tables

# Sets kind (none, text, flag, word, file, directory), several and words of an option of a command, or
# of the values that need no option: positional.
_dietmt_option() {
  kind=none several= words=
  case "$1 $2" in
OPTIONS
  esac
}

# Prints the commands below a command, or nothing.
_dietmt_commands() {
  case $1 in
COMMANDS
  esac
}

# Prints the options of a command.
_dietmt_options() {
  case $1 in
NAMES
  esac
}

_dietmt() {
  local word=${COMP_WORDS[COMP_CWORD]} command=dietmt place=1 kind several words start head=
  COMPREPLY=()
  while [[ -n $(_dietmt_commands "$command") ]]; do
    if ((place == COMP_CWORD)); then
      mapfile -t COMPREPLY < <(compgen -W "$(_dietmt_commands "$command") --help" -- "$word")
      return
    fi
    command+=" ${COMP_WORDS[place++]}"
  done
  [[ $word == = ]] && word=
  # The last option before the word, and how many values stand between them.
  local values=0
  for ((start = COMP_CWORD - 1; start >= place; --start)); do
    [[ ${COMP_WORDS[start]} == -[a-z-]* ]] && break
    [[ ${COMP_WORDS[start]} == = ]] || ((++values))
  done
  if [[ $word != -* ]]; then
    ((start >= place)) && _dietmt_option "$command" "${COMP_WORDS[start]}"
    if ((start < place)) || [[ $kind == flag ]] || { ((values > 0)) && [[ ! $several ]]; }; then
      _dietmt_option "$command" positional
    fi
    if [[ $kind != none ]]; then
      # The last of several paths between commas.
      if [[ $kind == directory && $word == *,* ]]; then head=${word%,*},; fi
      case $kind in
        word) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
        file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        directory) mapfile -t COMPREPLY < <(compgen -P "$head" -d -- "${word#"$head"}") ;;
      esac
      [[ $kind == file || $kind == directory ]] && compopt -o filenames 2>/dev/null
      return 0
    fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$(_dietmt_options "$command")" -- "$word")
}
complete -F _dietmt dietmt
"""


def bash_completion(tree):
    options, commands, names = [], [], []
    for command in all_commands(tree):
        if command.commands:
            children = " ".join(child.name.split()[-1] for child in command.commands)
            commands.append(f"    '{command.words}') echo '{children}' ;;")
            continue
        listed = " ".join(spelling for option in command.options for spelling in spellings(option))
        names.append(f"    '{command.words}') echo '{listed}' ;;")
        for option in command.options:
            kind = value_kind(option)
            settings = f"kind={kind}" + (" several=1" if takes_several(option) else "")
            if kind == "word":
                settings += f" words='{' '.join(option['choices'])}'"
            words = spellings(option) + ["positional"] * (option["name"] == command.positional)
            patterns = "|".join(f"'{command.words} {word}'" for word in words)
            options.append(f"    {patterns}) {settings} ;;")
    return (BASH.replace("OPTIONS", "\n".join(options)).replace("COMMANDS", "\n".join(commands))
            .replace("NAMES", "\n".join(names)))


def _quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def _bracketed(text):
    for character in "\\[]:":
        text = text.replace(character, "\\" + character)
    return text


def _zsh_values(option):
    """What follows the name of an option in an argument of _arguments, or is one by itself."""
    kind = value_kind(option)
    action = {"file": "_files", "directory": "_files -/", "text": " ",
              "word": f"({' '.join(option.get('choices', []))})"}[kind]
    return f":{_bracketed(option['placeholder'])}:{action}"


def _zsh_options(command):
    """The arguments of _arguments."""
    for option in command.options:
        names = spellings(option)
        values = ""
        if value_kind(option) != "flag":
            values = (":*-*" if takes_several(option) else "") + _zsh_values(option)
        for name in names:
            others = f"({' '.join(names)})" if len(names) > 1 else ""
            yield _quoted(f"{others}{name}[{_bracketed(option['help'])}]{values}")
        if option["name"] == command.positional:
            yield _quoted(("*" if takes_several(option) else "") + _zsh_values(option))


def _zsh_function(command):
    yield f"_{command.page}() {{"
    if command.commands:
        yield "  local -a commands=("
        for child in command.commands:
            yield "    " + _quoted(f"{child.name.split()[-1]}:{child.summary}")
        yield "  )"
        yield "  if ((CURRENT == 2)); then"
        yield f"    _describe {_quoted(command.words + ' command')} commands"
        yield "    return"
        yield "  fi"
        yield "  local name=$words[2]"
        yield "  shift words"
        yield "  ((--CURRENT))"
        yield f"  (($+functions[_{command.page}-$name])) && _{command.page}-$name"
    else:
        yield "  _arguments \\"
        lines = ["    " + line for line in _zsh_options(command)]
        yield " \\\n".join(lines)
    yield "}"
    yield ""


def zsh_completion(tree):
    lines = ["#compdef dietmt", "# zsh completion of dietmt, made from its option tables", ""]
    for command in list(all_commands(tree))[::-1]:
        lines += _zsh_function(command)
    lines.append('_dietmt "$@"')
    return "\n".join(lines) + "\n"
