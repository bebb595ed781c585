#!/usr/bin/env bash
# How dietmt translate searches, samples and chooses: translate_search_test.sh BINARY MODEL
dietmt=$1
model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
translate=("$dietmt" translate --model "$model")
toy_corpus 60 7 "$work/toy"
input=$work/toy.en
expect_code 0 "${translate[@]}" --input "$input"
cp "$work/out" "$work/plain"

# Sampling: the seed decides.
sample=("${translate[@]}" --input "$input" --sample --top-k 20 --temperature 1.5)
expect_code 0 "${sample[@]}" --seed 1
cp "$work/out" "$work/s1"
"${sample[@]}" --seed 1 --batch-tokens 30 | cmp -s - "$work/s1" || fail "the same seed differs"
expect_code 0 "${sample[@]}" --seed 2
expect_lines "$work/out" 60
cmp -s "$work/out" "$work/s1" && fail "another seed gives the same"

# No loops: a translation that must be long repeats itself, unless an option forbids it.
repeating() {
  awk '{ split("", seen); twice = 0
         for (i = 3; i <= NF; ++i) if (seen[$(i - 2), $(i - 1), $i]++) twice = 1
         lines += twice } END { print lines + 0 }'
}
long=("${translate[@]}" --input "$input" --min-length 30 --max-length-offset 40)
loops=$("${long[@]}" | repeating)
[ "$loops" -ge 20 ] || fail "$loops of 60 long translations repeat three words"
expect_equal "$("${long[@]}" --no-repeat-ngram 2 | repeating)" 0 "--no-repeat-ngram 2"
expect_equal "$("${long[@]}" --no-repeat-ngram 2 --sample | repeating)" 0 "--no-repeat-ngram, --sample"
[ "$("${long[@]}" --repetition-penalty 2 | repeating)" -lt "$loops" ] ||
  fail "--repetition-penalty 2 does not stop repetition"

# The guard says what went wrong, whatever it is that forces the model.
guarded=("${translate[@]}" --input "$input" --min-length 70 --max-length-offset 90)
expect_code 0 "${guarded[@]}" --guard report --json
expect_text "$input:1: a translation " "$err"
grep -q '"guard":{"problem":"[a-z ]*","replaced":false}' "$work/out" || fail "no guard in JSON"
expect_code 0 "${guarded[@]}"
[ -z "$err" ] || fail "warnings without --guard: $err"

"${translate[@]}" --input "$input" --no-repeat-ngram 0 --repetition-penalty 1 --patience 1 |
  cmp - "$work/plain" || fail "the defaults of --no-repeat-ngram and others change the text"

# Patience: a longer search finds no worse translations, and some better ones.
better=$(paste <("${long[@]}" --beam 2 --scores) <("${long[@]}" --beam 2 --patience 8 --scores) |
  awk -F '\t' '$3 < $1 { worse = 1 } $3 > $1 { ++n } END { print worse ? "worse" : n + 0 }')
[ "$better" != worse ] && [ "$better" -gt 0 ] || fail "better with --patience 8: $better"

# Diverse beam search: other translations, without duplicates.
expect_code 0 "${translate[@]}" --input "$input" --beam 6 --nbest 6
cp "$work/out" "$work/beam6"
expect_code 0 "${translate[@]}" --input "$input" --beam 6 --nbest 6 --diverse-groups 1
cmp "$work/out" "$work/beam6" || fail "--diverse-groups 1 changes the text"
expect_code 0 "${translate[@]}" --input "$input" --beam 6 --nbest 6 --diverse-groups 3 \
  --diversity-strength 1
cmp -s "$work/out" "$work/beam6" && fail "--diverse-groups 3 changes nothing"
cut -d '|' -f 1-6 "$work/out" | sort | uniq -d | grep . && fail "a translation is listed twice"
expect_equal "$(cut -d ' ' -f 1 "$work/out" | uniq | wc -l)" 60 "sentences of --diverse-groups"
first_words() { awk '{ print $1, $3 }' "$1" | sort -u | wc -l; }
[ "$(first_words "$work/out")" -gt "$(first_words "$work/beam6")" ] ||
  fail "--diverse-groups 3 begins with no more words"

# The coverage penalty lowers scores and chooses among what the search has finished.
expect_code 0 "${translate[@]}" --input "$input" --beam 6 --nbest 6 --coverage-penalty 2
lower=$(awk -F ' [|][|][|] ' 'NR == FNR { plain[$1, $2] = $3; next }
  ($1, $2) in plain { both++; if ($3 > plain[$1, $2]) higher++; if ($3 < plain[$1, $2]) lower++ }
  END { print (both >= 0.9 * FNR && !higher && lower > 0) ? "lower" : both " " higher " " lower }' \
  "$work/beam6" "$work/out")
expect_equal "$lower" lower "scores with --coverage-penalty"

# Prefixes.
sed 's/.*/rot/' "$input" >"$work/prefix"
expect_code 0 "${translate[@]}" --input "$input" --prefix "$work/prefix"
expect_equal "$(grep -c '^rot' "$work/out")" 60 "lines that start with the prefix"
expect_code 0 "${translate[@]}" --input <(printf '\nrot\n') --prefix <(printf 'rot\nrot\n')
expect_equal "$(head -n 1 "$work/out")" "" "the translation of an empty line"
expect_text ":1: the line has no text, so its prefix is left out" "$err"
expect_code 0 "${translate[@]}" --input <(echo red) --prefix <(echo '漢')
expect_text ":1: the vocabulary cannot write all of this prefix" "$err"
expect_code 1 "${translate[@]}" --input "$input" --prefix <(head -n 3 "$work/prefix")
expect_text ":3: the prefixes end here" "$err"
expect_code 1 "${translate[@]}" --input "$input" --prefix <(cat "$work/prefix" <(echo blau)) \
  --output "$work/never"
expect_text ":61: this prefix has no line in the input, which ends after 60 lines" "$err"
[ -e "$work/never" ] && fail "a file is left in spite of a prefix without a line"

# With a shortlist: independent of other lines; refused if the list does not match the model.
toy_corpus 800 8 "$work/pairs"
expect_code 0 "$dietmt" shortlist --model "$model" --train-source "$work/pairs.en" \
  --train-target "$work/pairs.de" --best 8 --first 4 --output "$work/list.bin"
listed=("${translate[@]}" --shortlist "$work/list.bin" --scores)
expect_code 0 "${listed[@]}" --input "$input"
cp "$work/out" "$work/listed"
expect_lines "$work/listed" 60
cmp -s "$work/listed" <("${translate[@]}" --scores --input "$input") &&
  fail "scores over a shortlist are those over the vocabulary"
expect_code 0 "${listed[@]}" --input "$input" --batch-tokens 1 --workers 2
cmp "$work/out" "$work/listed" || fail "a shortlist makes lines depend on their neighbours"
head -c 200 "$work/list.bin" >"$work/cut.bin"
expect_code 1 "${translate[@]}" --input "$input" --shortlist "$work/cut.bin"
expect_text "cut.bin" "$err"

# Two models, one after the other.
pivots() { python3 -c 'import json, sys
for line in sys.stdin: print(json.loads(line)["pivot"])'; }
"${translate[@]}" <"$work/plain" >"$work/twice"
expect_code 0 "${translate[@]}" --then "$model" --input "$input"
cmp "$work/out" "$work/twice" || fail "--then is not a second translation of the first one's text"
expect_code 0 "${translate[@]}" --then "$model" --input "$input" --json
pivots <"$work/out" | cmp - "$work/plain" || fail "other pivots than the first one's text"

# The first model searches without the options of the second.
first=("${translate[@]}" --then "$model" --input "$input" --beam 3 --json)
"${first[@]}" | pivots >"$work/pivots"
"${first[@]}" --length-penalty 0 --length-norm gnmt --no-repeat-ngram 1 --repetition-penalty 3 \
  --patience 0.4 | pivots | cmp - "$work/pivots" || fail "search options change the first model's text"

# Minimum Bayes risk chooses among the hypotheses or samples, whatever the number of workers.
expect_code 0 "${translate[@]}" --input "$input" --mbr chrf --beam 4 --nbest 2 --workers 1
cp "$work/out" "$work/mbr"
expect_code 0 "${translate[@]}" --input "$input" --mbr chrf --beam 4 --nbest 2 --workers 2
cmp "$work/out" "$work/mbr" || fail "the workers change what --mbr chooses"
"${translate[@]}" --input "$input" --beam 4 --nbest 4 >"$work/found"
python3 - "$work/mbr" "$work/found" <<'END' || fail "--mbr gives what the search did not find"
import sys
chosen, found = ([line.rstrip("\n").split(" ||| ") for line in open(name)] for name in sys.argv[1:])
scores = {}
for line, text, score in chosen:
    assert [line, text] in [one[:2] for one in found], (line, text)
    assert 0 <= float(score) <= scores.get(line, 100.0), (line, score)
    scores[line] = float(score)
assert len(scores) == 60
END
expect_code 0 "${translate[@]}" --input "$input" --mbr chrf --beam 4 --patience 0.5
expect_code 0 "${translate[@]}" --input "$input" --mbr bleu --beam 1
cmp "$work/out" <("${translate[@]}" --input "$input" --beam 1) || fail "--mbr changes a single candidate"
sampled=("${translate[@]}" --input "$input" --sample --mbr chrf --mbr-candidates 8 --scores)
expect_code 0 "${sampled[@]}"
expect_lines "$work/out" 60
cp "$work/out" "$work/mbr"
expect_code 0 "${sampled[@]}" --mbr-exact 3
cut -f 2 "$work/out" >"$work/fast"
agree=$(cut -f 2 "$work/mbr" | paste - "$work/fast" | awk -F '\t' '$1 == $2' | wc -l)
[ "$agree" -ge 45 ] || fail "--mbr-exact agrees in $agree of 60 lines"

# Errors: exit codes and texts.
expect_code 2 "${translate[@]}" --beam 0 --nbest 0 --length-norm x --top-k 3 --weights int4 \
  --no-repeat-ngram -1 --repetition-penalty 0 --patience 0
for option in --beam --nbest --length-norm --top-k --weights --no-repeat-ngram --repetition-penalty \
  --patience; do expect_text "$option" "$err"; done
expect_code 2 "${translate[@]}" --sample --diverse-groups 2 --coverage-penalty 1
expect_text "--diverse-groups is for beam search" "$err"
expect_text "--coverage-penalty is for beam search" "$err"
expect_code 2 "${translate[@]}" --diverse-groups 2 --beam 4 --glossary "$work/prefix"
expect_text "leave out --diverse-groups" "$err"
expect_code 2 "${translate[@]}" --mbr-candidates 4 --mbr-exact 2 --then-shortlist x
expect_text "--mbr-candidates and --mbr-exact need --mbr" "$err"
expect_text "--then-shortlist needs --then" "$err"
expect_code 2 "${translate[@]}" --mbr chrf --seed 3
expect_text "--seed needs --sample" "$err"
expect_code 2 "${translate[@]}" --mbr chrf --mbr-candidates 6 --beam 5
expect_text "--mbr-candidates is larger than --beam" "$err"
expect_code 2 "${translate[@]}" --mbr chrf --mbr-candidates 5 --beam 5 --patience 0.5
expect_text "--mbr-candidates is larger than --beam" "$err"
case $err in *--nbest*) fail "an option that was not given is named: $err" ;; esac
expect_code 2 "${translate[@]}" --mbr chrf --sample --mbr-candidates 6 --nbest 7
expect_text "--nbest is larger than the number of candidates" "$err"
finish
