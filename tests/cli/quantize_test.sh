#!/usr/bin/env bash
# dietmt quantize, and the commands that accept its models: quantize_test.sh BINARY MODEL, where
# MODEL is from the training test.
dietmt=$1
model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
toy_corpus 60 3 "$work/test"
quantize=("$dietmt" quantize --model "$model")
translated() { "$dietmt" translate --input "$work/test.en" --workers 1 --scores --model "$@"; }

# The same translations as with weights quantized at load time, to the last digit.
for type in int8 bf16 fp32; do
  expect_code 0 "${quantize[@]}" --output "$work/$type" --type "$type"
  [ -z "$out" ] || fail "quantize wrote to stdout: $out"
  translated "$work/$type" >"$work/stored"
  translated "$model" --weights "$type" | cmp - "$work/stored" || fail "$type: other translations"
  translated "$work/$type" --weights "$type" | cmp - "$work/stored" || fail "$type by name"
done
size() { stat -Lc %s "$1/model.safetensors"; }
full=$model
[ -e "$full/model.safetensors" ] || full=$model/last
[ "$(size "$work/int8")" -lt "$(size "$full")" ] ||
  fail "$(size "$work/int8") bytes of $(size "$full")"
for file in config.json tokenizer.model manifest.json; do
  [ -s "$work/int8/$file" ] || fail "$file is missing"
done

# The report on a test set.
expect_code 0 "${quantize[@]}" --output "$work/reported" --source "$work/test.en" \
  --reference "$work/test.de" --runs 1 --beam 2
cmp "$work/reported/model.safetensors" "$work/int8/model.safetensors" || fail "the bytes differ"
[ "$(cut -f1 "$work/out" | paste -sd,)" = "weights,fp32,int8,equal lines" ] || fail "report: $out"
expect_text "of 60" "$out"
"$dietmt" translate --model "$work/int8" --input "$work/test.en" --beam 2 >"$work/hypotheses"
bleu=$("$dietmt" evaluate --reference "$work/test.de" --hypothesis "$work/hypotheses" \
  --metric bleu 2>"$work/err" | grep -o '[0-9]*\.[0-9]*' | head -1)
reported=$(awk -F '\t' '$1 == "int8" { print $4 }' "$work/out")
awk -v a="$bleu" -v b="$reported" 'BEGIN { exit !(a - b < 0.01 && b - a < 0.01) }' ||
  fail "BLEU $reported is reported, evaluate says $bleu: $(cat "$work/err")"

# Can be inspected like any model; the configuration says what it is.
expect_code 0 "$dietmt" inspect model --model "$work/int8"
expect_text '"quantization": "int8"' "$out"
expect_code 0 "$dietmt" inspect params --model "$model"
params=$out
expect_code 0 "$dietmt" inspect params --model "$work/int8"
[ "$out" = "$params" ] || fail "other parameters: $out"

# Commands that need the full weights say so, and so does another type of weights.
expect_code 2 "$dietmt" translate --model "$work/int8" --weights bf16 --input "$work/test.en"
expect_text "holds only int8 weights" "$err"
expect_code 1 "$dietmt" export --model "$work/int8" --to ctranslate2 --output "$work/refused"
expect_text "use the model that they were made from" "$err"
expect_code 2 "$dietmt" average --inputs "$work/int8" "$work/int8" --output "$work/refused"
expect_text "has packed weights" "$err"
expect_code 1 "$dietmt" quantize --model "$work/int8" --output "$work/refused"
expect_text "use the model that they were made from" "$err"
expect_code 2 "${quantize[@]}" --output "$work/int8"
expect_text "exists already" "$err"
expect_code 2 "${quantize[@]}" --output "$work/refused" --type int4 --source "$work/test.en"
expect_text "--type is 'int4'; it must be int8, bf16 or fp32" "$err"
expect_text "give --source and --reference together" "$err"
expect_code 2 "${quantize[@]}" --output "$work/refused" --beam 9 --runs 3
expect_text "--beam needs --source" "$err"
expect_text "--runs needs --source" "$err"
: >"$work/none.en"
expect_code 1 "${quantize[@]}" --output "$work/refused" --source "$work/none.en" \
  --reference "$work/none.en"
expect_text "none.en: has no lines" "$err"
expect_code 1 "${quantize[@]}" --output "$work/refused" --source "$work/test.en" \
  --reference <(head -3 "$work/test.de")
expect_text "has 3" "$err"
[ ! -e "$work/refused" ] || fail "a refused command left a directory"

# A truncated file is named.
cp -r "$work/int8" "$work/cut"
truncate -s -100 "$work/cut/model.safetensors"
expect_code 1 "$dietmt" translate --model "$work/cut" --input "$work/test.en"
expect_text "cut/model.safetensors" "$err"

# Killed at any moment: the directory is complete or absent.
begin=$(date +%s%N)
"${quantize[@]}" --output "$work/timed" 2>"$work/err"
took=$((($(date +%s%N) - begin) / 1000000))
for percent in 0 20 40 60 70 80 90 95 100; do
  rm -rf "$work/killed"
  delay=$(printf '%d.%03d' $((took * percent / 100000)) $((took * percent / 100 % 1000)))
  "${quantize[@]}" --output "$work/killed" 2>"$work/err" &
  sleep "$delay"
  kill -KILL $! 2>"$work/err"
  wait $! 2>"$work/err"
  [ ! -e "$work/killed" ] && continue
  cmp -s "$work/killed/model.safetensors" "$work/int8/model.safetensors" &&
    cmp -s "$work/killed/config.json" "$work/int8/config.json" || fail "killed after $delay s"
done

finish
