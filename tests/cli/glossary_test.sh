#!/usr/bin/env bash
# dietmt translate --glossary from the command line: glossary_test.sh BINARY MODEL
dietmt=$1
model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
translate=("$dietmt" translate --model "$model")

toy_corpus 60 7 "$work/toy"
input=$work/toy.en
printf '# animals\r\n\ndog\tkatze\r\nbig house\tkleiner baum|gross haus\n' >"$work/terms.tsv"
"${translate[@]}" --input "$input" >"$work/plain"

# count WORD FILE: how often each line has the word.
count() { awk -v word="$1" '{ n = 0; for (i = 1; i <= NF; ++i) n += $i == word; print n }' "$2"; }

# Each occurrence of a term is translated, and lines without terms stay unchanged.
expect_code 0 "${translate[@]}" --input "$input" --glossary "$work/terms.tsv"
[ -z "$err" ] || fail "warnings, although all terms are there: $err"
cp "$work/out" "$work/enforced"
paste <(count dog "$input") <(count katze "$work/enforced") |
  awk '$1 > $2 { bad = 1 } END { exit bad }' || fail "a line lacks katze for a dog"
[ "$(grep -c dog "$input")" -gt 10 ] || fail "the text has few dogs"
paste -d '\n' "$input" "$work/enforced" |
  awk 'NR % 2 { big = /big house/; next } big && !/kleiner baum|gross haus/ { bad = 1 } END { exit bad }' ||
  fail "a line lacks both translations of big house"
paste "$input" "$work/plain" "$work/enforced" |
  awk -F '\t' '$1 !~ /dog|big house/ && $2 != $3 { bad = 1 } END { exit bad }' ||
  fail "a glossary changes lines without its terms"
cmp -s "$work/plain" "$work/enforced" && fail "the glossary changes nothing"

# Likewise from standard input, in any batch, with several workers, line by line, and with an
# ensemble.
for flags in "--batch-tokens 1" "--workers 3 --threads 2" "--flush"; do
  # shellcheck disable=SC2086
  "${translate[@]}" --glossary "$work/terms.tsv" $flags <"$input" | cmp - "$work/enforced" ||
    fail "$flags changes the text with a glossary"
done
"$dietmt" translate --model "$model,$model" --glossary "$work/terms.tsv" --input "$input" |
  cmp - "$work/enforced" || fail "an ensemble of one model twice gives another text with a glossary"
: >"$work/empty.tsv"
"${translate[@]}" --glossary "$work/empty.tsv" --input "$input" | cmp - "$work/plain" ||
  fail "an empty glossary changes the text"

# Together with prefixes, shortlists and limits on repetition.
sed 's/.*/rot/' "$input" >"$work/prefix"
expect_code 0 "${translate[@]}" --input "$input" --glossary "$work/terms.tsv" --prefix "$work/prefix"
[ -z "$err" ] || fail "warnings with --prefix: $err"
[ "$(grep -c '^rot' "$work/out")" = 60 ] || fail "not all lines start with the prefix"
toy_corpus 800 8 "$work/pairs"
expect_code 0 "$dietmt" shortlist --model "$model" --train-source "$work/pairs.en" \
  --train-target "$work/pairs.de" --best 2 --first 2 --output "$work/list.bin"
expect_code 0 "${translate[@]}" --input "$input" --glossary "$work/terms.tsv" \
  --shortlist "$work/list.bin"
[ -z "$err" ] || fail "warnings with --shortlist: $err"
expect_code 0 "${translate[@]}" --glossary "$work/terms.tsv" --no-repeat-ngram 1 <<<"dog sees dog"
[ -z "$err" ] || fail "warnings with --no-repeat-ngram: $err"

# The last of two models gets the terms of the input.
expect_code 0 "${translate[@]}" --glossary "$work/terms.tsv" --then "$model" <<<"dog"
[ -z "$err" ] || fail "warnings with --then: $err"
expect_text katze "$out"

# A term in the part of a line that is cut off is not forced into the translation.
expect_code 0 "${translate[@]}" --glossary "$work/terms.tsv" --max-source-length 4 \
  <<<"red cat sees the old red cat and a dog"
expect_text "the glossary's term \"katze\" is not in the translation" "$err"
grep -q katze "$work/out" && fail "a term of the cut part is in the translation: $out"

# No translation has a text to avoid, in any search. Greedy translations without it stay.
word=$(tr ' ' '\n' <"$work/plain" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
echo "$word" >"$work/avoid.txt"
[ "$(count "$word" "$work/plain" | grep -vc '^0$')" -gt 5 ] || fail "few lines have $word"
for flags in "" "--beam 1" "--sample --seed 3" "--diverse-groups 2 --beam 4" "--shortlist $work/list.bin"; do
  # shellcheck disable=SC2086
  expect_code 0 "${translate[@]}" --input "$input" --avoid "$work/avoid.txt" $flags
  [ -z "$(count "$word" "$work/out" | grep -v '^0$')" ] || fail "$word is in a translation with $flags"
done
"${translate[@]}" --input "$input" --beam 1 >"$work/greedy"
expect_code 0 "${translate[@]}" --input "$input" --avoid "$work/avoid.txt" --beam 1
paste <(count "$word" "$work/greedy") "$work/greedy" "$work/out" |
  awk -F '\t' '$1 == 0 && $2 != $3 { bad = 1 } END { exit bad }' || fail "--avoid changes other lines"
expect_code 0 "${translate[@]}" --input-format json <<<"{\"source\": \"red dog\", \"avoid\": [\"$word\"]}"
expect_code 1 "${translate[@]}" --input-format json <<<'{"source": "red dog", "avoid": "x"}'
expect_text "<stdin>:1: avoid must be an array of texts" "$err"
seq 101 >"$work/many.txt"
expect_code 1 "${translate[@]}" --avoid "$work/many.txt" <<<"red dog"
expect_text "many.txt: avoid has 101 texts; it may have 100" "$err"

# Terms that cannot be written are named, in a warning and in JSON.
printf 'dog\tkatze\ncat\t\xe6\xbc\xa2\xe5\xad\x97\nbird\t%s\n' "$(printf 'hund %.0s' $(seq 12))" \
  >"$work/odd.tsv"
echo "red dog sees cat" >"$work/line"
expect_code 0 "${translate[@]}" --input "$work/line" --glossary "$work/odd.tsv" --json
expect_text "line:1: the glossary's term \"漢字\" is not in the translation" "$err"
expect_text '"missing_terms":["漢字"]' "$out"
expect_code 0 "${translate[@]}" --glossary "$work/odd.tsv" --json --nbest 2 <<<"red dog"
[ "$(grep -o '"missing_terms":\[\]' "$work/out" | wc -l)" = 2 ] || fail "missing_terms: $out"
expect_code 0 "${translate[@]}" --glossary "$work/odd.tsv" --max-length-factor 0 \
  --max-length-offset 9 <<<"bird"
expect_text "the glossary's term \"hund hund" "$err"

# Errors.
expect_code 2 "${translate[@]}" --glossary - <"$work/terms.tsv"
expect_text "only one of --input, --prefix, --glossary, --avoid and --source-tags can be standard input" "$err"
expect_code 2 "${translate[@]}" --glossary "$work/terms.tsv" --beam 1
expect_text "--glossary needs --beam 2 or more" "$err"
expect_code 1 "${translate[@]}" --glossary "$work/none.tsv" --input "$input"
expect_text "none.tsv" "$err"
printf 'dog\tkatze\ncat hund\n' >"$work/bad.tsv"
expect_code 1 "${translate[@]}" --glossary "$work/bad.tsv" --input "$input"
expect_text "bad.tsv:2: no tab" "$err"
printf 'dog\tkatze\n\ndog\thund\n' >"$work/bad.tsv"
expect_code 1 "${translate[@]}" --glossary "$work/bad.tsv" --input "$input"
expect_text "bad.tsv:3: \"dog\" is already in line 1" "$err"
finish
