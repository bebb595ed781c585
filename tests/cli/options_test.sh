#!/usr/bin/env bash
# Options as people type them: options_test.sh BINARY
dietmt=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

# sets LINE COMMAND...: the command accepts its options, and --dump-config prints the line.
sets() {
  local line=$1
  shift
  expect_code 0 "$dietmt" "$@" --dump-config
  grep -qxF -- "$line" "$work/out" || fail "$* does not set '$line': $out"
}
# refuses TEXT COMMAND...
refuses() {
  local text=$1
  shift
  expect_code 2 "$dietmt" "$@"
  expect_text "$text" "$err"
}

# Short options are the same in every command that has them.
while read -r letter name value command; do
  # shellcheck disable=SC2086  # a command may be two words
  sets "$name = $value" $command "$letter" "$value"
done <<'CASES'
-m model a translate
-i input a translate
-o output a translate
-b beam 3 translate
-n nbest 3 translate
-d device cuda translate
-t threads 3 translate
-s source a score
-m model a score
-o output a train
-t threads 2 train
-b beam 4 distill
-i input a tokenizer
-i inputs a average
-i input a bert embed
-m model a inspect model
CASES
if has_service; then sets "model = en-de=a" serve -m en-de=a; fi
for command in tokenizer translate train "bert pretrain" "inspect model" bert inspect; do
  # shellcheck disable=SC2086
  for option in --version -v; do
    expect_code 0 "$dietmt" $command $option
    expect_text "dietmt 0." "$out"
  done
  # shellcheck disable=SC2086
  expect_code 0 "$dietmt" $command -h
  expect_text "usage: dietmt $command" "$out"
done
if has_service; then
  for option in -v -h; do expect_code 0 "$dietmt" serve $option; done
fi
"$dietmt" --version >"$work/version"
"$dietmt" -v | cmp - "$work/version" || fail "-v is not --version"

# Messages quote what was typed.
refuses "error: dietmt translate: -b is 'x'; it must be a whole number" translate -b x
refuses "error: dietmt translate: -m needs a value: -m DIR" translate -m
refuses "-n is 0; it must be from 1 to 1000" translate -m model -n 0
refuses "unknown option -beam; did you mean --beam?" translate -beam 4
refuses "unknown option --max_updates; did you mean --max-updates?" train --max_updates 4

# A command's natural input needs no option name.
sets "input = a.txt" translate -m model a.txt
sets "input = a.txt" translate a.txt -m model -o b.txt
expect_code 0 "$dietmt" translate -m model --dump-config -- --odd
expect_text "input = --odd" "$out"
sets "input = b" tokenizer a b --output c
sets "from = a" import a --output b
sets "from = a" bert import a --output b
sets "model = a" export a --to marian --output b
sets "model = a" bert export a --output b
sets "model = a" quantize a --output b
sets "inputs = a" average a b --output c
sets "adapter = a" merge a --output b
sets "nbest-list = a" rerank a
for command in params model attention positions; do sets "model = a" inspect $command a; done
refuses "unexpected argument 'b': --input is given already, as 'a'; usage: dietmt translate --model" \
  translate a b
refuses "unexpected argument 'a'; usage: dietmt train --train-source" train a b
refuses "unexpected argument 'a'; usage: dietmt evaluate [--reference FILE...] (--hypothesis" evaluate a b
has_service && refuses "unexpected argument 'a'; usage: dietmt serve --model" serve a
refuses "--from is missing: give --from DIR|FILE, or DIR|FILE without --from" import
if has_models; then refuses ", or NAME... without --name" models fetch; fi

# Flags can be negated, and the last of several values wins, with a notice.
sets "scores = false" translate --no-scores
sets "scores = false" translate --scores=false
sets "scores = true" translate --no-scores --scores
expect_text "info: --scores is given more than once; the last value counts: true" "$err"
sets "no-valid-translation = false" train --valid-translation
sets "beam = 4" translate --beam 3 -b 4
expect_text "info: --beam is given more than once; the last value counts: 4" "$err"
sets "beam = 4" translate --beam 4 --beam 4
[ -z "$err" ] || fail "a notice about the same value: $err"
printf 'beam = 2\nbeam = 3\n' >"$work/config"
sets "beam = 3" translate --config "$work/config"
expect_text "--beam is given more than once" "$err"
sets "beam = 7" translate --config "$work/config" --beam 7
expect_code 0 "$dietmt" translate --beam 3 --beam 4 --quiet --help

# Other programs' names lead to ours, and no row of the table is useless: the command itself has
# none of its names.
while read -r command theirs ours; do
  refuses "unknown option --$theirs; use --$ours" "${command/_/ }" "--$theirs" 1
done <<'CASES'
train lr learning-rate
train early-stopping patience
train warmup-updates warmup
train train-sets train-source and --train-target
train valid-sets valid-source and --valid-target
train max-update max-updates
train after max-updates
train mini-batch-words batch-tokens
train update-freq accumulate
train exponential-smoothing ema-decay with 1 minus the value
train max-source-positions max-tokens
train lr-warmup warmup
train mini-batch-fit find-batch
train optimizer-delay accumulate
train validate-interval-updates valid-interval
train save-freq save-interval
translate beam-size beam
translate lenpen length-penalty
translate max-tokens batch-tokens
translate src input
evaluate lc lowercase
CASES

# Errors have one form in all programs, before and after any work: `error: dietmt COMMAND: MESSAGE`.
folder=$(dirname "$dietmt")
# one_form CODE COMMAND...
one_form() {
  local code=$1
  shift
  expect_code "$code" "$@"
  grep -qE "^error: dietmt [a-z]+: [^ ]" "$work/err" || fail "$*: $err"
  [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$* says more: $err"
}
for program in $(programs); do
  command=translate
  case $program in dietmt-serve | dietmt-models | dietmt-clean) command=${program#dietmt-} ;; esac
  one_form 2 "$folder/$program" $command --bean
  one_form 2 "$folder/$program" $command --model "$work/none" --log-file /dev/null/log
done
one_form 1 "$dietmt" translate --model "$work/none"
one_form 1 "$folder/dietmt-torch" inspect model --model "$work/none"
if has_service; then
  one_form 2 "$folder/dietmt-serve" translate
  expect_code 0 "$folder/dietmt-serve" --help
  expect_text "usage: dietmt serve --model" "$out"
  one_form 2 "$dietmt" serve --model "en-de=$work/none" --preload --port 0
fi
for out in "$dietmt translate --help" "$folder/dietmt-torch train --help"; do
  $out >/dev/full 2>"$work/err" && fail "a full disk is no error"
  grep -q "^error: standard output cannot be written" "$work/err" || fail "$(cat "$work/err")"
done

# The table of docs/training.md and the hints agree.
python3 - "$dietmt" "$(dirname "$0")/../../docs/training.md" <<'PYTHON' || fail "see above"
import re, subprocess, sys
wrong = []
rows = [line for line in open(sys.argv[2]) if line.startswith("| `--")]
for row in rows:
    ours, *theirs = row.split("|")[1:-1]
    here = re.findall(r"--([a-z-]+)", ours)
    for names in theirs:
        for name in re.findall(r"`([a-z-]+)`", names):
            said = subprocess.run([sys.argv[1], "train", f"--{name}", "1"], capture_output=True,
                                  text=True).stderr
            if name not in here and "is missing" not in said and not any(
                    f"use --{option}" in said for option in here):
                wrong.append(f"--{name}: {said.strip()}")
if len(rows) < 8:
    wrong.append("the table is not found")
print("\n".join(wrong), file=sys.stderr)
sys.exit(bool(wrong))
PYTHON
finish
