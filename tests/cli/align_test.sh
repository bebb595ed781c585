#!/usr/bin/env bash
# dietmt align on a toy corpus, whose translations have the words in reverse order.
#   align_test.sh DIETMT SCRATCH
dietmt=$1 work=$2
source "$(dirname "$0")/lib.sh"
rm -rf "$work" && mkdir -p "$work" || exit 1
error_rate=$(dirname "$0")/../../bench/alignment_error_rate.py
toy_corpus 2000 1 "$work/toy"
awk '{ for (i = 0; i < NF; ++i) printf "%s%d-%d", i ? " " : "", i, NF - 1 - i; print "" }' \
  "$work/toy.en" >"$work/gold"
"$dietmt" tokenizer --input "$work/toy.en" "$work/toy.de" --vocab-size 60 \
  --output "$work/joint.model" 2>"$work/err" || { cat "$work/err"; exit 1; }

align=("$dietmt" align --source "$work/toy.en" --target "$work/toy.de")
aligns_within() {  # RATE FILE: its alignment error rate
  python3 "$error_rate" "$work/gold" "$2" >"$work/rate" || fail "no alignments"
  awk -v most="$1" '{ exit !($3 + 0 < most) }' "$work/rate" ||
    fail "$2: error rate above $1: $(cat "$work/rate")"
}

expect_code 0 "${align[@]}" --output "$work/words"
expect_text "reverse, iteration 5 of 5" "$err"
aligns_within 0.3 "$work/words"
expect_code 0 "${align[@]}" --tokenizer "$work/joint.model" --output "$work/pieces.gz"
gzip -dc "$work/pieces.gz" >"$work/pieces"
aligns_within 0.3 "$work/pieces"
expect_code 0 "${align[@]}" --symmetrize intersection --threads 3 --output "$work/intersection"
[ "$(wc -w <"$work/intersection")" -le "$(wc -w <"$work/words")" ] ||
  fail "the intersection has more links"

# Empty lines stay; texts of different lengths, wrong names and wrong options are refused.
printf 'red cat\n\nblue dog\n' >"$work/few.en"
printf 'katze rot\n\nhund blau\n' >"$work/few.de"
expect_code 0 "$dietmt" align --source "$work/few.en" --target "$work/few.de"
[ "$(wc -l <"$work/out")" = 3 ] && [ -z "$(sed -n 2p "$work/out")" ] || fail "lines: $out"
expect_code 1 "$dietmt" align --source "$work/few.en" --target "$work/toy.de"
expect_text "few.en has 3 lines, but $work/toy.de has 2000" "$err"
expect_code 2 "${align[@]}" --symmetrize both
expect_text "grow-diag-final-and" "$err"
expect_code 2 "${align[@]}" --tokenizer "$work/joint.model" --model "$work"
expect_code 1 "${align[@]}" --output "$work/none/links"
cp "$work/toy.en" "$work/kept.en"
ln -s toy.de "$work/link.de"
expect_code 2 "${align[@]}" --output "$work/../$(basename "$work")/toy.en"
expect_text "--output and --source are one file: $work/toy.en" "$err"
expect_code 2 "${align[@]}" --output "$work/link.de"
expect_text "--output and --target are one file: $work/toy.de" "$err"
expect_code 2 "${align[@]}" --tokenizer "$work/joint.model" --output "$work/joint.model"
expect_text "--output and --tokenizer are one file" "$err"
cmp "$work/toy.en" "$work/kept.en" || fail "align has changed its source"
# A pair of very long lines has no links and is not trained on.
{ printf 'red cat\n' && seq 16000 | tr '\n' ' ' && printf '\nblue dog\n'; } >"$work/long.en"
{ printf 'katze rot\n' && seq 16000 | tr '\n' ' ' && printf '\nhund blau\n'; } >"$work/long.de"
expect_code 0 "$dietmt" align --source "$work/long.en" --target "$work/long.de"
[ "$(wc -l <"$work/out")" = 3 ] && [ -z "$(sed -n 2p "$work/out")" ] || fail "lines: $out"
expect_text "long.en:2: too long to align with its translation: no links" "$err"
[ "$(sed -n '1p;3p' "$work/out")" = "$("$dietmt" align --source "$work/few.en" \
  --target "$work/few.de" 2>/dev/null | sed -n '1p;3p')" ] || fail "long lines change others"
: >"$work/empty"
expect_code 0 "$dietmt" align --source "$work/empty" --target "$work/empty"
expect_code 2 "$dietmt" align --source - --target -
expect_text "--source and --target cannot both be standard input" "$err"
finish
