#!/usr/bin/env bash
# dietmt average from the command line: average_test.sh BINARY RUNS, where RUNS is the output folder
# of train_test.sh: whole/ has two checkpoints and parts/ another model's.
dietmt=$1
runs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
average=("$dietmt" average)
checkpoints=("$runs"/whole/checkpoints/update-*)
[ ${#checkpoints[@]} -ge 2 ] || fail "there are fewer than two checkpoints in $runs/whole"

# The mean of two checkpoints, named or counted, is one model that translates.
expect_code 0 "${average[@]}" --inputs "${checkpoints[@]: -2}" --output "$work/named"
[ -z "$out" ] || fail "average wrote to stdout: $out"
expect_text "the mean of 2 models" "$err"
expect_code 0 "${average[@]}" --inputs "$runs/whole" --last 2 --output "$work/last"
cmp "$work/named/model.safetensors" "$work/last/model.safetensors" ||
  fail "--last 2 gives other weights than the two newest checkpoints by name"
for checkpoint in "${checkpoints[@]: -2}"; do
  cmp -s "$work/named/model.safetensors" "$checkpoint/model.safetensors" &&
    fail "the mean is $checkpoint"
done
for file in config.json tokenizer.model manifest.json; do
  [ -s "$work/last/$file" ] || fail "$file is missing"
done
[ -e "$work/last/training.json" ] && fail "the averaged model contains training state"
expect_code 0 "$dietmt" translate --model "$work/last" --input <(echo "red dog") --workers 1

# Other files next to a model are not part of it.
cp -r "$work/named" "$work/with_more"
echo x >"$work/with_more/shortlist.bin"
echo x >"$work/with_more/medicine.adapter"
expect_code 0 "${average[@]}" --inputs "$work/with_more" "$work/named" --output "$work/plain"
[ ! -e "$work/plain/shortlist.bin" ] && [ ! -e "$work/plain/medicine.adapter" ] ||
  fail "files of others were copied"
mv "$work/with_more/tokenizer.model" "$work/moved.model"
expect_code 2 "${average[@]}" --inputs "$work/named" "$work/with_more" --output "$work/never"
expect_text "with_more/tokenizer.model: is missing" "$err"

# The mean of a model with itself is that model; --best uses the best one.
expect_code 0 "${average[@]}" --inputs "$runs/model" --best 1 --output "$work/best"
grep -q "the mean of 1 model$" "$work/err" || fail "one model: $err"
cmp "$work/best/model.safetensors" "$runs/model/best/model.safetensors" ||
  fail "--best 1 is not the best checkpoint"
expect_code 0 "${average[@]}" --inputs "$runs/model" "$runs/model" --output "$work/twice"
cmp "$work/twice/model.safetensors" "$runs/model/best/model.safetensors" ||
  fail "a model averaged with itself is another one"
expect_code 0 "${average[@]}" --inputs "$runs/model" --last 5 --output "$work/fewer"
expect_text "averaging 1 of 5 checkpoints: the run kept no more; train with a larger --keep-last" \
  "$err"

# Refused without leaving files: no checkpoint, different models, an output that exists.
mkdir "$work/empty"
expect_code 1 "${average[@]}" --inputs "$work/empty" --output "$work/never"
expect_text "$work/empty" "$err"
expect_code 1 "${average[@]}" --inputs "$work/empty" --last 2 --output "$work/never"
expect_text "has no checkpoint" "$err"
cp -r "$work/named" "$work/wider"
sed -i 's/"feed_forward": [0-9]*/"feed_forward": 48/' "$work/wider/config.json"
expect_code 2 "${average[@]}" --inputs "$work/named" "$work/wider" --output "$work/never"
expect_text "feed_forward" "$err"
cp -r "$work/named" "$work/pieces"
cp "$runs/pieces/data/tokenizer.model" "$work/pieces/"
expect_code 2 "${average[@]}" --inputs "$work/named" "$work/pieces" --output "$work/never"
expect_text "$work/pieces/tokenizer.model" "$err"
expect_code 2 "${average[@]}" --inputs "$work/named" --output "$work/last"
expect_text "exists already" "$err"
expect_code 2 "${average[@]}"
expect_text "--inputs is missing" "$err"
expect_text "--output is missing" "$err"
expect_code 2 "${average[@]}" --inputs "$runs/whole" --last 1 --best 1 --output "$work/never"
expect_text "cannot be combined" "$err"
left=$(find "$work" -name 'never*')
[ -z "$left" ] || fail "an average that failed leaves $left"
finish
