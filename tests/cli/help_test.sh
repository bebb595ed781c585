#!/usr/bin/env bash
# Every command describes all its options, with defaults that its own rules allow: help_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

commands=(tokenizer train translate distill score evaluate serve import export quantize average
  shortlist "inspect params" "inspect model" "inspect positions" "inspect attention"
  "bert pretrain" "bert finetune" "bert predict" "bert embed" "bert import" "bert export"
  "bert params")
has_service() { "$dietmt" --help | grep -q '^  serve '; }  # a build may leave it out
for command in "${commands[@]}"; do
  [ "$command" = serve ] && ! has_service && continue
  # shellcheck disable=SC2086  # a command may be two words
  expect_code 0 "$dietmt" $command --help
  expect_text "usage: dietmt $command" "$out"
  cp "$work/out" "$work/help"
  # shellcheck disable=SC2086
  expect_code 0 "$dietmt" $command --help-json
  python3 - "$command" "$work/out" "$work/help" <<'PYTHON' || fail "$command: see above"
import json, sys

command, described, help_text = sys.argv[1], json.load(open(sys.argv[2])), open(sys.argv[3]).read()
problems = []
if described["command"] != command:
    problems.append(f"the description is of {described['command']}")
names = [option["name"] for option in described["options"]]
if len(names) != len(set(names)):
    problems.append("an option is there twice")
for option in described["options"]:
    name = option["name"]
    if f"--{name}" not in help_text:
        problems.append(f"--{name} is not in --help")
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
print("\n".join(problems), file=sys.stderr)
sys.exit(bool(problems))
PYTHON
done

# Each command names every required option and says what it needs.
for command in tokenizer train translate distill score evaluate serve import export quantize average \
  "inspect model" "inspect attention" "bert pretrain" "bert finetune" "bert predict" "bert embed" \
  "bert import" "bert export"; do
  [ "$command" = serve ] && ! has_service && continue
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
