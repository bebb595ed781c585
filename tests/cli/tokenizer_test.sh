#!/usr/bin/env bash
# dietmt tokenizer: sets of special pieces, and messages about wrong options.
#   tokenizer_test.sh DIETMT SCRATCH
dietmt=$1 work=$2
source "$(dirname "$0")/lib.sh"
rm -rf "$work" && mkdir -p "$work" || exit 1
toy_corpus 300 1 "$work/toy"
train=("$dietmt" tokenizer --input "$work/toy.en" "$work/toy.de" --vocab-size 60)

expect_code 0 "${train[@]}" --output "$work/translation.model"
expect_text "60 pieces" "$err"
expect_code 0 "${train[@]}" --output "$work/again.model" --special translation
cmp -s "$work/translation.model" "$work/again.model" || fail "translation is not the default set"

# The names of the pieces are in the model as plain text.
expect_code 0 "${train[@]}" --output "$work/bert.model" --special bert --lowercase
for piece in PAD UNK CLS SEP MASK; do
  grep -qaF "[$piece]" "$work/bert.model" || fail "[$piece] is not in the model"
  ! grep -qaF "[$piece]" "$work/translation.model" || fail "[$piece] is in a model for translation"
done
grep -qaF nmt_nfkc_cf "$work/bert.model" || fail "--lowercase does not fold case"
! grep -qaF nmt_nfkc_cf "$work/translation.model" || fail "case is folded by default"

# Translations have characters that the source unites with others; the languages share the pieces.
expect_code 0 "${train[@]}" --output "$work/nfc.model" --normalization nfc
toy_training 200 10
sed -i 's/rot/rot²/g' "$work/train.de"
apart=("${toy_train[@]}" --batch-tokens 300 --tied-embeddings all --target-normalization nfc)
expect_code 0 "${apart[@]}" --output "$work/apart" --max-updates 2
expect_code 0 "${apart[@]}" --output "$work/apart" --max-updates 4
expect_text "resuming from update 2" "$err"
grep -qaF nmt_nfkc "$work/apart/best/source.tokenizer.model" || fail "the source is normalized anew"
[ ! -e "$work/apart/best/tokenizer.model" ] || fail "there is a joint tokenizer"
echo "rot² " >"$work/prefix"
expect_code 0 "$dietmt" translate --model "$work/apart" --prefix "$work/prefix" <<<"red cat"
expect_text "rot²" "$out"
expect_code 2 "${apart[@]}" --output "$work/never" --lowercase
expect_text "--lowercase and --target-normalization cannot be combined" "$err"
expect_code 0 "${apart[@]}" --output "$work/given" --max-updates 1 --dry-run \
  --tokenizer "$work/nfc.model"
expect_text "--target-normalization is ignored: no tokenizer is trained" "$err"

expect_code 2 "${train[@]}" --output "$work/never.model" --special gpt
expect_text "--special is 'gpt'; it must be translation or bert" "$err"
expect_code 2 "$dietmt" tokenizer --input "$work/toy.en" --output "$work/never.model" \
  --vocab-size 5 --special bert
expect_text "at least 6" "$err"
# The log lists the lines that are skipped.
{ cat "$work/toy.en" && printf 'red \xff\n'; } >"$work/bad.en"
expect_code 0 "$dietmt" tokenizer --input "$work/bad.en" --vocab-size 40 --invalid-utf8 skip \
  --output "$work/bad.model"
expect_text "bad.en: 1 line is not UTF-8, left out: line 301" "$err"

cp "$work/toy.en" "$work/own.en"
expect_code 2 "$dietmt" tokenizer --input "$work/toy.de" "$work/own.en" --output "$work/own.en"
expect_text "--output and --input are one file: $work/own.en" "$err"
cmp -s "$work/toy.en" "$work/own.en" || fail "the text was overwritten"
expect_code 2 "$dietmt" tokenizer
expect_text "--input is missing" "$err"
expect_text "--output is missing" "$err"
[ ! -e "$work/never.model" ] || fail "a refused command wrote a model"
finish
