#!/usr/bin/env bash
# Messages about mistakes: messages_test.sh BINARY MODEL     (MODEL: from train_test.sh)
dietmt=$1
model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

# one_line_of CODE TEXT COMMAND...: the command ends with the code and prints the text, in one line
# of stderr without a time or names of our libraries.
one_line_of() {
  local code=$1 text=$2
  shift 2
  expect_code "$code" "$@" </dev/null
  expect_text "$text" "$err"
  [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line: $err"
  case $err in *json.exception* | *c10* | *Exception*) fail "a library's words: $err" ;; esac
}
no_time() { ! grep -qE '[0-9]{2}:[0-9]{2}:[0-9]{2}' "$work/err" || fail "a time: $err"; }

# Usage errors: no time, and a suggestion.
one_line_of 2 "--beam is 'x'; it must be a whole number from 1 to 1000" "$dietmt" translate --beam x
no_time
one_line_of 2 "unknown option --bean; did you mean --beam?" "$dietmt" translate --bean 4
no_time
one_line_of 2 "'trnslate' is not a command of dietmt; did you mean translate?" "$dietmt" trnslate
no_time
one_line_of 2 "'finetun' is not a command of dietmt bert; did you mean finetune?" "$dietmt" bert finetun
one_line_of 2 "'param' is not a command of dietmt inspect; did you mean params?" "$dietmt" inspect param
expect_code 2 "$dietmt" frobnicate
case $err in *"did you mean"*) fail "a suggestion that is not near: $err" ;; esac
full_program=$(dirname "$dietmt")/dietmt-torch
one_line_of 2 "unknown option --bean; did you mean --beam?" "$full_program" translate --bean 4
one_line_of 2 "did you mean train?" "$full_program" tarin

# They are also in the log.
expect_code 2 "$dietmt" translate --model "$model" --beam 0 --log-file "$work/log"
expect_text "error: dietmt translate: --beam is 0" "$(head -c 40 "$work/err")"
[ "$(grep -c '^20.* error: dietmt translate: --beam is 0' "$work/log")" -eq 1 ] ||
  fail "the log has no error: $(cat "$work/log")"
expect_code 2 "$dietmt" translate --model "$model" --beam x --log-file "$work/log"
expect_text "--beam is 'x'" "$(tail -n 1 "$work/log")"
if has_service; then
  one_line_of 2 '"message":"dietmt serve: --port is 70000' "$dietmt" serve --model "en-de=$model" \
    --port 70000 --log-format json
  python3 -m json.tool "$work/err" >/dev/null || fail "not JSON: $err"
fi

# Files that a command cannot write, or would replace.
one_line_of 2 "--output is -; this command needs the name of a file" \
  "$dietmt" tokenizer --input "$model/best/config.json" --output -
one_line_of 2 "--output is -; this command needs the name of a file" "$dietmt" shortlist \
  --model "$model" --train-source "$0" --train-target "$0" --output -
cp "$0" "$work/input.npy"
one_line_of 2 "--output and --input are one file" "$dietmt" bert embed --model "$model" \
  --input "$work/input.npy" --output "$work/input.npy"

# Models that do not exist, or are of another kind.
for command in "import" "bert import"; do
  # shellcheck disable=SC2086
  one_line_of 2 "--from Helsinki-NLP/x: no such directory; 'dietmt models fetch' downloads models" \
    "$dietmt" $command --from Helsinki-NLP/x --output "$work/never"
done
printf 'sentence\tlabel\na\tb\nc\td\n' >"$work/task.tsv"
finetune=("$dietmt" bert finetune --train "$work/task.tsv" --valid "$work/task.tsv" --output "$work/never")
one_line_of 1 "is not a BERT encoder; make one with 'dietmt bert pretrain'" "${finetune[@]}" \
  --model "$model"
one_line_of 2 "--learning-rates is inf; it must be from 1e-12 to 1000" "${finetune[@]}" \
  --model "$model" --learning-rates inf

# config.json: the file once, and its key instead of an option.
cp -rL "$model/best" "$work/model"
rm "$work/model/manifest.json"  # it would report first that the file was changed
# damage KEY VALUE: sets a key of the model's description.
damage() {
  python3 - "$model/best/config.json" "$work/model/config.json" "$1" "$2" <<'PYTHON'
import json, sys
config = json.load(open(sys.argv[1]))
config["model"][sys.argv[3]] = json.loads(sys.argv[4])
json.dump(config, open(sys.argv[2], "w"))
PYTHON
}
refused() {
  local text="$work/model/config.json: $1"
  one_line_of 1 "$text" "$dietmt" translate --model "$work/model"
  [ "$(grep -o config.json "$work/err" | wc -l)" -eq 1 ] || fail "the file twice: $err"
  case $err in *" --"*) fail "an option: $err" ;; esac
}
while read -r key value text; do
  damage "$key" "$value"
  refused "$key $text"
done <<'CASES'
width 7  7 is not divisible by heads
width "wide"  is "wide"; it must be a whole number
width -1  is -1; it must be from 1 to 65536
width 1e30  is 1e+30; it must be a whole number
heads 0  is 0; it must be from 1 to 1024
dropout 2  is 2; it must be at least 0 and below 1
dropout "no"  is "no"; it must be a number
norm "middle"  is 'middle'; it must be post or pre
norm 3  is 3; it must be text in quotation marks
CASES
damage encoder_position '"nonsense"'
refused "encoder_position: position encoding \"nonsense\", column 1: no encoding 'nonsense'"
echo '{' >"$work/model/config.json"
refused "is not valid JSON: parse error at line 2"
echo '{"format": 1}' >"$work/model/config.json"
refused "model is missing"
echo '{"format": "one"}' >"$work/model/config.json"
refused 'format is "one"; it must be a whole number'

# Questions that are not JSON.
printf '{\n"data": [\n}' >"$work/squad.json"
one_line_of 1 "squad.json:3: not JSON: parse error" "$dietmt" evaluate --task SQuAD1.1 \
  --reference "$work/squad.json" --predictions "$work/squad.json"

# A wrong position encoding: once, with the range.
one_line_of 2 "'0' is not a value of 'clip'; possible: a whole number from 1 to 1048576" \
  "$dietmt" inspect params --position 'shaw(clip=0)'
one_line_of 2 "no encoding 'nonsense'" "$dietmt" inspect params --position nonsense
one_line_of 2 "sinusoids need an even --width of 4 or more, not 1" \
  "$dietmt" inspect params --width 1 --heads 1

# A run that ends during its warm-up of 20 updates.
toy_training 100 20
for updates in 19 20; do
  expect_code 0 "${toy_train[@]}" --output "$work/short" --max-updates $updates --dry-run
  [ "$(grep -c "max-updates $updates ends the training during the warm-up .* a smaller --warmup" \
    "$work/err")" -eq $((updates == 19)) ] || fail "--max-updates $updates: $err"
done
one_line_of 2 "--learning-rate is -1; it must be" "${toy_train[@]}" --output "$work/short" \
  --learning-rate -1
expect_code 0 "$dietmt" train --help
expect_text "--warmup N" "$out"

# Habits from other programs.
for size in 100 4096; do
  expect_code 0 "${toy_train[@]}" --output "$work/short" --max-tokens $size --dry-run
  [ "$(grep -c "max-tokens is --batch-tokens here, now 4096" "$work/err")" -eq $((size == 4096)) ] ||
    fail "--max-tokens $size: $err"
done
small=("$dietmt" train --train-source "$work/train.en" --train-target "$work/train.de"
  --valid-source "$work/valid.en" --valid-target "$work/valid.de" --output "$work/short"
  --vocab-size 90 --dry-run --no-valid-translation)
for device in cpu cuda; do
  "${small[@]}" --device $device >"$work/out" 2>"$work/err"
  [ "$(grep -c "preset tiny, the default, is small for a GPU" "$work/err")" -eq \
    "$(grep -c cuda <<<$device)" ] || fail "--device $device: $(cat "$work/err")"
done

# Without clipping, the advice is to clip.
expect_code 1 "${toy_train[@]}" --output "$work/diverged" --max-updates 400 --clip-norm 0 \
  --learning-rate 900
expect_text "clipped gradients (--clip-norm 1)" "$err"
finish
