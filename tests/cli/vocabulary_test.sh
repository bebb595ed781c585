#!/usr/bin/env bash
# dietmt vocabulary: vocabulary_test.sh BINARY MODEL CASES
#   MODEL: that of train_test.sh; CASES: those that make_transformers_cases.py wrote
dietmt=$1
model=$2
cases=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

greedy() { "$dietmt" translate --model "$1" --beam 1 --input text; }
pieces_of() { # MODEL SIDE
  python3 -c 'import json, sys
print(json.load(open(sys.argv[1] + "/config.json"))["model"][sys.argv[2] + "_vocabulary"])' "$1" "$2"
}

# A trimmed model translates the text as before, in every form.
toy_corpus 30 5 corpus
head -5 corpus.en >text
greedy "$model" >before
expect_code 0 "$dietmt" vocabulary trim "$model" --source text --target before --output less
expect_text "pieces instead of" "$err"
[ "$(pieces_of less target)" -lt "$(pieces_of "$model/best" target)" ] || fail "nothing is trimmed"
expect_equal "$(greedy less)" "$(cat before)" "a trimmed model"
expect_code 0 "$dietmt" quantize less --type fp32 --output less.packed
expect_equal "$(greedy less.packed)" "$(cat before)" "a trimmed model, packed"
expect_code 0 "$dietmt" shortlist --model less --train-source text --train-target before \
  --output less.shortlist
expect_code 0 "$dietmt" translate --model less.packed --shortlist less.shortlist --input text
if has_service; then
  start_server less.packed
  expect_text '"translatedText"' "$(curl -s "$url/translate" -d q=red -d source=en -d target=de)"
  kill "$server"
  wait "$server" || true
fi

# An extended model does so too, and can write what is new. Training goes on from it.
for _ in 1 2 3; do echo "бар ½ кот"; done >new
expect_code 0 "$dietmt" vocabulary extend "$model" --source new --target new --pieces 5 --output more
expect_equal "$(greedy more)" "$(cat before)" "an extended model"
expect_code 0 "$dietmt" translate --model more --input new
cat corpus.en new >mixed.en
cat corpus.de new >mixed.de
expect_code 0 "$dietmt" train --init-from more --train-source mixed.en --train-target mixed.de \
  --valid-source corpus.en --valid-target corpus.de --max-updates 2 --valid-interval 2 \
  --batch-tokens 200 --threads 1 --output tuned
expect_code 0 "$dietmt" quantize tuned --output tuned.int8
expect_code 0 "$dietmt" translate --model tuned.int8 --input new

# Imported models keep the languages that are wanted.
echo "red new blue blue" >line
for kind in m2m_100 nllb madlad t5; do
  expect_code 0 "$dietmt" import "$cases/$kind" --output "$kind"
  wanted=(--languages en de)
  target=(--source-language en --target-language de)
  [ "$kind" != madlad ] || wanted=(--languages de)  # it names only the target
  [ "$kind" != t5 ] || wanted=() target=()
  expect_code 0 "$dietmt" vocabulary trim "$kind" --source line "${wanted[@]}" --output "$kind.less"
  [ "$(pieces_of "$kind.less" source)" -lt "$(pieces_of "$kind" source)" ] ||
    fail "$kind has as many pieces as before"
  expect_code 0 "$dietmt" vocabulary extend "$kind" --source new --pieces 3 --output "$kind.more"
  "$dietmt" translate --model "$kind" --beam 1 "${target[@]}" --input line >expected
  expect_code 0 "$dietmt" translate --model "$kind.more" --beam 1 "${target[@]}" --input line
  expect_equal "$out" "$(cat expected)" "$kind, extended"
  expect_code 0 "$dietmt" translate --model "$kind.less" --beam 1 "${target[@]}" --input line
done
expect_code 1 "$dietmt" translate --model nllb.less --source-language en --target-language fr \
  --input line
expect_text "does not have the target language 'fr'; it has de, en" "$err"
expect_code 0 "$dietmt" vocabulary trim m2m_100 --languages de --output letters
expect_code 0 "$dietmt" translate --model letters --source-language de --target-language de \
  --input line

# What cannot be changed is refused, and nothing is written.
refused() { # TEXT ARGUMENT...
  expect_code 1 "$dietmt" vocabulary "${@:2}" --output never
  expect_text "$1" "$err"
  [ ! -e never ] || fail "a failed command leaves never: ${*:2}"
}
expect_code 0 "$dietmt" import "$cases/bart" --output bart
expect_code 0 "$dietmt" import "$cases/fsmt" --output fsmt
refused "has BPE codes; only a sentencepiece vocabulary" extend bart --source new
refused "has BPE codes; only a sentencepiece vocabulary" trim fsmt --source line
refused "packed" trim tuned.int8 --source line
refused "does not have the language 'xx'" trim nllb --languages xx
refused "none: " extend more --source none
expect_code 2 "$dietmt" vocabulary trim more --output never
expect_text "give text: --source, --target or both; or --languages" "$err"
expect_code 2 "$dietmt" vocabulary extend more --source new --output less
expect_text "--output" "$err"
finish
