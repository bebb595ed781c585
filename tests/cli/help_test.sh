#!/usr/bin/env bash
# Every command describes all its options, with ranges of numbers, defaults that satisfy its rules,
# and examples that it accepts: help_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

commands=(clean tokenizer train translate distill score rerank evaluate serve import export quantize
  average merge shortlist align "inspect params" "inspect model" "inspect positions"
  "inspect attention"
  "bert pretrain" "bert finetune" "bert predict" "bert embed" "bert retrieve" "bert import" "bert export"
  "bert params" "models list" "models fetch" "models argos" "models remove")
for command in "${commands[@]}"; do
  [ "$command" = serve ] && ! has_service && continue
  [[ $command == models* ]] && ! has_models && continue
  # shellcheck disable=SC2086  # a command may be two words
  expect_code 0 "$dietmt" $command --help
  expect_text "usage: dietmt $command" "$out"
  expect_text "Example" "$out"
  cp "$work/out" "$work/help"
  # shellcheck disable=SC2086
  expect_code 0 "$dietmt" $command --help-all
  cp "$work/out" "$work/help-all"
  # shellcheck disable=SC2086
  expect_code 0 "$dietmt" $command --help-json
  python3 - "$dietmt" "$command" "$work" <<'PYTHON' || fail "$command: see above"
import json, re, shlex, subprocess, sys

dietmt, command, work = sys.argv[1:]
described = json.load(open(f"{work}/out"))
help_text, help_all = (open(f"{work}/{name}").read() for name in ("help", "help-all"))
problems = []
if described["command"] != command:
    problems.append(f"the description is of {described['command']}")
names = [option["name"] for option in described["options"]]
if len(names) != len(set(names)):
    problems.append("an option is there twice")
for option in described["options"]:
    name = option["name"]
    if not re.search(f"^  (-[a-z], )?--{name}( |$)", help_all, re.M):
        problems.append(f"--{name} is not in --help-all")
    if bool(re.search(f"^  (-[a-z], )?--{name}( |$)", help_text, re.M)) != option["basic"]:
        problems.append(f"--{name} is wrongly in or not in --help")
    if option["required"] and not option["basic"]:
        problems.append(f"--{name} is required but not basic")
    if option["type"] in ("integer", "number"):
        if not {"least", "above"} & option.keys() or not {"most", "below"} & option.keys():
            problems.append(f"--{name} has no range")
    if not option["help"] or option["help"].endswith("."):
        problems.append(f"--{name}: the help line is empty or a sentence")
    if option["type"] != "flag" and not option["placeholder"]:
        problems.append(f"--{name} has no placeholder")
    for value in option["default"]:
        if option["type"] in ("integer", "number"):
            number = float(value)
            allowed = (number >= option.get("least", number) and number <= option.get("most", number)
                       and not number <= option.get("above", number - 1)
                       and not number >= option.get("below", number + 1))
        else:
            allowed = value in option.get("choices", [value])
        if not allowed:
            problems.append(f"--{name}: its default {value} is not allowed")
basics = sum(option["basic"] for option in described["options"])
if len(described["options"]) > 25 and basics > 25:
    problems.append(f"--help shows {basics} options")
for example in described["examples"]:
    # The example's last command, if it is one of this program's; it only needs to parse.
    words = shlex.split(example.split("|")[-1].replace("\\\n", " "))
    tried = subprocess.run([dietmt, *words[1:], "--dump-config"], capture_output=True, text=True)
    if tried.returncode != 0:
        problems.append(f"example {example}: {tried.stderr}")
if not described["examples"]:
    problems.append("no example")
print("\n".join(problems), file=sys.stderr)
sys.exit(bool(problems))
PYTHON
done

# Each command names every required option and what it needs. Those of evaluate depend on others.
for command in tokenizer train translate distill score rerank import export quantize average \
  "inspect model" "inspect attention" "bert pretrain" "bert finetune" "bert predict" "bert embed" \
  "bert import" "bert export"; do
  # shellcheck disable=SC2086
  required=$("$dietmt" $command --help-json | python3 -c '
import json, sys
print(*(option["name"] for option in json.load(sys.stdin)["options"] if option["required"]))')
  # shellcheck disable=SC2086
  expect_code 2 "$dietmt" $command
  for option in $required; do
    expect_text "--$option is missing: give --$option " "$err"
  done
  [ -n "$required" ] || fail "$command requires nothing"
done
finish
