#!/usr/bin/env bash
# dietmt translate and score from the command line: translate_test.sh BINARY MODEL
dietmt=$1
model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
translate=("$dietmt" translate --model "$model")
score=("$dietmt" score --model "$model" --threads 1)

expect_equal() { [ "$1" = "$2" ] || fail "$3: '$1' instead of '$2'"; }
expect_lines() { expect_equal "$(wc -l <"$1")" "$2" "lines of $1"; }

toy_corpus 60 7 "$work/toy"
input=$work/toy.en
toy_target=$work/toy.de

# One line out per line in; the same from a file, from gzip, from a pipe and into a file.
expect_code 0 "${translate[@]}" --input "$input"
cp "$work/out" "$work/plain"
expect_lines "$work/plain" 60
expect_equal "$(grep -c . "$work/plain")" 60 "lines with text"
gzip -k "$input"
expect_code 0 "${translate[@]}" --input "$input.gz" --output "$work/result"
[ -z "$out" ] || fail "--output, but text on stdout: $out"
cmp "$work/result" "$work/plain" || fail "gzip input and --output give another text"
"${translate[@]}" <"$input" | cmp - "$work/plain" || fail "a pipe gives another text"
"${translate[@]}" --flush <"$input" | cmp - "$work/plain" || fail "--flush gives another text"

# At a terminal a file has a progress bar; a pipe has none, for counting its lines would empty it.
at_terminal() {  # COMMAND...: the screen in $work/terminal
  local command
  printf -v command '%q ' "$@"
  SHELL=/bin/bash TERM=xterm script -qec "$command" /dev/null </dev/null >"$work/terminal"
}
at_terminal "${translate[@]}" --input "$input" --output "$work/result" || fail "not at a terminal"
grep -q "60/60  lines" "$work/terminal" || fail "no progress bar: $(cat "$work/terminal")"
at_terminal "${translate[@]}" --input <(cat "$input") --output "$work/result"
cmp "$work/result" "$work/plain" || fail "translate drains a pipe at a terminal"
at_terminal "${score[@]}" --source <(cat "$input") --target "$toy_target" --output "$work/scores"
"${score[@]}" --source "$input" --target "$toy_target" | cmp - "$work/scores" ||
  fail "score drains a pipe at a terminal"
distill=("$dietmt" distill --model "$model" --output-source "$work/kd.en" --output-target "$work/kd.de")
at_terminal "${distill[@]}" --source <(cat "$input")
cmp "$work/kd.de" "$work/plain" || fail "distill drains a pipe at a terminal"
for texts in "$input /dev/fd/9" "/dev/fd/9 $toy_target"; do
  expect_code 2 "${distill[@]}" --source ${texts% *} --reference ${texts#* } 9< <(cat "$input")
  expect_text "--source and --reference must be regular files" "$err"
done
expect_code 2 "${distill[@]}" --source "$input" --nbest 2 --metric chrf --tokenize char
for option in nbest metric tokenize; do expect_text "--$option needs --reference" "$err"; done

# No output replaces an input.
cp "$input" "$work/kept"
for option in input prefix glossary shortlist; do
  expect_code 2 "${translate[@]}" --$option "$work/kept" --output "$work/kept"
  expect_text "--output and --$option are one file: $work/kept" "$err"
done
expect_code 2 "${translate[@]}" --then "$model" --then-shortlist "$work/kept" --output "$work/kept"
expect_text "--output and --then-shortlist are one file" "$err"
for option in source target; do
  other=$([ $option = source ] && echo target || echo source)
  expect_code 2 "${score[@]}" --$option "$work/kept" --$other "$input" --output "$work/kept"
  expect_text "--output and --$option are one file: $work/kept" "$err"
done
cmp "$work/kept" "$input" || fail "an output replaced an input"

# The neighbours, the batch size, the workers and the threads do not matter.
for flags in "--batch-tokens 1" "--batch-tokens 64" "--batch-tokens 512" "--workers 3" "--threads 2"; do
  # shellcheck disable=SC2086
  "${translate[@]}" --input "$input" $flags | cmp - "$work/plain" || fail "$flags changes the text"
done
tac "$input" | "${translate[@]}" | tac | cmp - "$work/plain" || fail "the order changes the text"

# Odd lines: each gives one line, what is changed is said with its line number.
{
  printf 'red dog\n\n   \t \nred dog\r\nbad \xff byte\nnul\x00 dog\nred\xc2\x85dog\nred\xe2\x80\xa8dog\n'
  for _ in $(seq 100000); do printf 'dog '; done
  printf '\nred dog'
} >"$work/odd"
expect_code 0 "${translate[@]}" --input "$work/odd" --max-length-factor 0 --max-length-offset 20 \
  --max-source-length 200
expect_lines "$work/out" 10
expect_text "odd:5: not UTF-8" "$err"
expect_text "odd:9: 100000 tokens, cut to the first 199" "$(sed 's/[0-9]* tokens, cut/100000 tokens, cut/' <<<"$err")"
expect_equal "$(grep -c 'warn' <<<"$err")" 2 "warnings"
expect_equal "$(sed -n 2p "$work/out")" "" "an empty line"
expect_equal "$(sed -n 3p "$work/out")" "" "a line of white space"
expect_equal "$(sed -n 4p "$work/out")" "$(sed -n 1p "$work/out")" "CR/LF"
expect_equal "$(sed -n 10p "$work/out")" "$(sed -n 1p "$work/out")" "no line feed at the end"
expect_equal "$(python3 -c 'import sys
print(len(open(sys.argv[1], encoding="utf-8", newline="").read().splitlines()))' "$work/out")" 10 \
  "lines as Python counts them"
expect_code 0 "${translate[@]}" --input /dev/null
expect_equal "$out" "" "no input"

# Each line is handed on at once with --flush: the answer comes while the input stays open.
mkfifo "$work/in"
"${translate[@]}" --flush <"$work/in" >"$work/answer" 2>"$work/err" &
pid=$!
exec 9>"$work/in"
echo "red dog" >&9
for _ in $(seq 600); do
  [ -s "$work/answer" ] && break
  sleep 0.1
done
[ -s "$work/answer" ] || fail "--flush gives no answer while the input stays open"
expect_equal "$(cat "$work/answer")" "$(sed -n 1p <<<"$(echo "red dog" | "${translate[@]}")")" "--flush"
exec 9>&-
wait $pid || fail "--flush ends with $?"

# A reader that leaves early is no error, and endless input ends there.
set +o pipefail
yes "red dog" | {
  "${translate[@]}" --beam 1
  echo $? >"$work/code"
} 2>"$work/err" | head -n 1 >"$work/first"
set -o pipefail
expect_equal "$(cat "$work/code")" 0 "exit code after the reader left"
expect_equal "$(cat "$work/err")" "" "stderr after the reader left"
expect_lines "$work/first" 1

# n best, scores, JSON.
expect_code 0 "${translate[@]}" --input "$input" --nbest 3
expect_equal "$(sed -n 's/ |||.*//p' "$work/out" | uniq -c | awk '$1 != 3' | wc -l)" 0 "n-best lines"
expect_equal "$(grep -c '^[0-9]* ||| .* ||| -[0-9.]*$' "$work/out")" 180 "n-best format"
expect_code 2 "${translate[@]}" --input "$input" --nbest 3 --scores
expect_text "--nbest includes the scores: leave out --scores" "$err"
expect_code 0 "${translate[@]}" --input "$input" --scores
expect_equal "$(cut -f 2 "$work/out" | cmp - "$work/plain" && echo same)" same "--scores text"
expect_code 0 "${translate[@]}" --input "$work/odd" --json --max-source-length 200
expect_lines "$work/out" 10
expect_text '{"source":"red dog","translations":[{"text":' "$out"
expect_text '"token_scores":[-' "$out"

# Word alignments: a pair for each word; the text before them stays. A translation of this toy
# language has the words in reverse order.
expect_code 0 "${translate[@]}" --input "$input" --alignment hard
expect_equal "$(sed 's/ ||| .*//' "$work/out" | cmp - "$work/plain" && echo same)" same "aligned text"
awk -F ' [|][|][|] ' '{ if (split($1, a, " ") != split($2, b, " ")) print }' "$work/out" >"$work/bad"
expect_lines "$work/bad" 0
expect_code 0 "${translate[@]}" --input "$input" --alignment soft --json --nbest 2
python3 - "$work/out" <<'EOF' || fail "soft alignments in JSON"
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    for one in json.loads(line)["translations"]:
        soft = one["alignment"]
        assert len(soft["weights"]) == len(soft["target_tokens"]) == len(one["token_scores"])
        for row in soft["weights"]:
            assert len(row) == len(soft["source_tokens"]) and abs(sum(row) - 1) < 1e-3, row
EOF
expect_code 0 "${translate[@]}" --input "$work/odd" --alignment hard --max-source-length 200
expect_lines "$work/out" 10
expect_equal "$(sed -n 2p "$work/out")" " ||| " "the alignment of an empty line"
expect_code 2 "${translate[@]}" --alignment hard --markup
expect_text "leave out --alignment" "$err"

# A thousand sentences with markup: every mark survives once, and the tags nest.
toy_corpus 1000 9 "$work/many"
sed 's/^\([^ ]*\) \([^ ]*\)\(.*\)$/<a href="x"><b>\1<\/b> {0} \2<\/a>\3 $name$ %s<x id="1"\/>/' \
  "$work/many.en" >"$work/marked"
expect_code 0 "${translate[@]}" --input "$work/marked" --markup --beam 1
python3 - "$work/out" <<'EOF' || fail "markup of 1000 sentences"
import re, sys
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
assert len(lines) == 1000
wanted = sorted(['<a href="x">', "<b>", "</b>", "</a>", "{0}", "$name$", "%s", '<x id="1"/>'])
for line in lines:
    marks = re.findall(r'<[^>]*>|\{0\}|\$name\$|%s', line)
    assert sorted(marks) == wanted, line
    tags = [m for m in marks if m in ("<b>", "</b>", "</a>") or m.startswith("<a")]
    open_tags = []
    for tag in tags:
        if tag.startswith("</"):
            assert open_tags and open_tags.pop() == tag[2], line
        else:
            open_tags.append(tag[1])
    assert not open_tags, line
EOF

# Markup: each mark once, and the words are those of the text without it.
sed 's/^\([^ ]*\) \([^ ]*\)/<b>\1<\/b> {0} \2/' "$input" >"$work/marked"
expect_code 0 "${translate[@]}" --input "$work/marked" --markup
expect_equal "$(grep -c '^.*<b>[^<{]*</b>.*$' "$work/out")" 60 "lines with their element"
expect_equal "$(grep -o '{0}' "$work/out" | wc -l)" 60 "placeholders"
sed 's/<[^>]*>//g; s/{0}//; s/  */ /g; s/^ //; s/ $//' "$work/out" | cmp - "$work/plain" ||
  fail "--markup changes the words"
expect_equal "$(printf '"{0}" red dog: (%%s)\n' | "${translate[@]}" --markup)" \
  "\"{0}\" $("${translate[@]}" <<<"red dog:") (%s)" "punctuation beside placeholders"
expect_equal "$(printf '({0}/{1}).\n' | "${translate[@]}" --markup)" "({0}/{1})." "no words"
expect_equal "$(printf '{0} %%s\n\n' | "${translate[@]}" --markup)" "{0} %s" "only markup"

# Numbers and names that the translation lacks are named, and nothing changes.
printf 'red dog 1,234\n\nold USB tree\n' >"$work/copies"
expect_code 0 "${translate[@]}" --input "$work/copies" --check copies
expect_text "$work/copies:1: \"1,234\" is not in the translation" "$err"
expect_text "$work/copies:3: \"USB\" is not in the translation" "$err"
"${translate[@]}" --input "$work/copies" | cmp - "$work/out" || fail "--check changes the text"
expect_code 0 "${translate[@]}" --check copies --json <<<"red dog 1,234"
expect_text '"missing_copies":["1,234"]' "$out"
expect_code 0 "${translate[@]}" --check copies --markup --json <<<"the dog&#39;s tree"
expect_text '"missing_copies":[]' "$out"
[ -z "$err" ] || fail "a character reference is no number: $err"

# Sampling: the seed decides.
sample=("${translate[@]}" --input "$input" --sample --top-k 20 --temperature 1.5)
expect_code 0 "${sample[@]}" --seed 1
cp "$work/out" "$work/s1"
"${sample[@]}" --seed 1 --batch-tokens 30 | cmp -s - "$work/s1" || fail "the same seed differs"
expect_code 0 "${sample[@]}" --seed 2
expect_lines "$work/out" 60
cmp -s "$work/out" "$work/s1" && fail "another seed gives the same"

# No loops: a translation that must be long repeats itself, unless an option forbids it.
# repeating: counts the lines of stdin that have the same three words twice.
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
"${translate[@]}" --input "$input" --no-repeat-ngram 0 --repetition-penalty 1 --patience 1 |
  cmp - "$work/plain" || fail "the defaults of --no-repeat-ngram and others change the text"

# Patience: a longer search finds no worse translations, and some better ones.
better=$(paste <("${long[@]}" --beam 2 --scores) <("${long[@]}" --beam 2 --patience 8 --scores) |
  awk -F '\t' '$3 < $1 { worse = 1 } $3 > $1 { ++n } END { print worse ? "worse" : n + 0 }')
[ "$better" != worse ] && [ "$better" -gt 0 ] || fail "better with --patience 8: $better"

# Diverse beam search: other translations, none of them twice.
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

# Prefixes; an ensemble of a model and itself.
sed 's/.*/rot/' "$input" >"$work/prefix"
expect_code 0 "${translate[@]}" --input "$input" --prefix "$work/prefix"
expect_equal "$(grep -c '^rot' "$work/out")" 60 "lines that start with the prefix"
expect_code 0 "${translate[@]}" --input <(printf '\nrot\n') --prefix <(printf 'rot\nrot\n')
expect_equal "$(head -n 1 "$work/out")" "" "the translation of an empty line"
expect_text ":1: has no text, so its prefix is left out" "$err"
expect_code 0 "${translate[@]}" --input <(echo red) --prefix <(echo '漢')
expect_text ":1: the vocabulary cannot write all of this prefix" "$err"
expect_code 1 "${translate[@]}" --input "$input" --prefix <(head -n 3 "$work/prefix")
expect_text ":3: the prefixes end here" "$err"
expect_code 1 "${translate[@]}" --input "$input" --prefix <(cat "$work/prefix" <(echo blau)) \
  --output "$work/never"
expect_text ":61: this prefix has no line in the input, which ends after 60 lines" "$err"
[ -e "$work/never" ] && fail "a file is left in spite of a prefix without a line"
"$dietmt" translate --model "$model,$model" --input "$input" | cmp - "$work/plain" ||
  fail "an ensemble of one model twice gives another text"

# A name with a comma is one model, alone, in a list and beside another --model.
odd=$work/odd,name
ln -s "$(realpath "$model")" "$odd"
for models in "$odd" "$odd --model $model" "$model $odd"; do
  # shellcheck disable=SC2086
  "$dietmt" translate --input "$input" --model $models | cmp - "$work/plain" ||
    fail "--model $models gives another text"
done
"$dietmt" score --threads 1 --model "$odd" --source "$input" --target "$toy_target" |
  cmp - <("${score[@]}" --source "$input" --target "$toy_target") || fail "score of a name with a comma"

# FILE.gz is compressed, whoever writes it, and pipes too.
expect_code 0 "${translate[@]}" --input "$input" --output "$work/result.gz"
gzip -dc "$work/result.gz" | cmp - "$work/plain" || fail "translate --output FILE.gz"
"${score[@]}" --source "$input" --target "$toy_target" >"$work/scores"
expect_code 0 "${score[@]}" --source "$input" --target "$toy_target" --output "$work/scores.gz"
gzip -dc "$work/scores.gz" | cmp - "$work/scores" || fail "score --output FILE.gz"
expect_code 0 "$dietmt" distill --model "$model" --source "$input" --output-source "$work/kd.en.gz" \
  --output-target "$work/kd.de.gz"
gzip -dc "$work/kd.en.gz" | cmp - "$input" || fail "distill --output-source FILE.gz"
gzip -dc "$work/kd.de.gz" | cmp - "$work/plain" || fail "distill --output-target FILE.gz"
[ -z "$(find "$work" -name '*.part*')" ] || fail "distill leaves unfinished files"
mkfifo "$work/pipe.gz"
gzip -dc <"$work/pipe.gz" >"$work/unpacked" &
"${translate[@]}" --input "$input" --output "$work/pipe.gz"
wait $! || fail "a compressed pipe is cut short"
cmp "$work/unpacked" "$work/plain" || fail "a compressed pipe gives another text"

# Scores of given translations: those of the search.
"${translate[@]}" --input "$input" --length-penalty 0 --scores >"$work/found"
cut -f 2 "$work/found" >"$work/text"
expect_code 0 "${score[@]}" --source "$input" --target "$work/text"
expect_lines "$work/out" 60
# A tokenizer may cut the text into other pieces than the search found: most lines agree.
agree=$(paste <(cut -f 1 "$work/found") "$work/out" |
  awk '{ d = $1 - $2; if (d < 0) d = -d; if (d < 1e-3) ++n } END { print n + 0 }')
[ "$agree" -ge 30 ] || fail "score agrees with translate in $agree of 60 lines"
expect_code 0 "${score[@]}" --source "$input" --target "$work/text" --json
expect_text '{"score":-' "$out"
expect_text '"token_scores":[-' "$out"
expect_code 1 "${score[@]}" --source "$input" --target <(head -n 9 "$work/text")
expect_text "toy.en:10" "$err"
[ -z "$out" ] || fail "scores in spite of unequal line counts: $out"

# With a shortlist: the same whether a line is alone or not, and nothing where the list does not fit.
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

# The first model searches as it does without the options of the second.
first=("${translate[@]}" --then "$model" --input "$input" --beam 3 --json)
"${first[@]}" | pivots >"$work/pivots"
"${first[@]}" --length-penalty 0 --length-norm gnmt --no-repeat-ngram 1 --repetition-penalty 3 \
  --patience 0.4 | pivots | cmp - "$work/pivots" || fail "search options change the first model's text"

# Minimum Bayes risk chooses among what was found or drawn, whatever the number of workers.
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
expect_code 2 "$dietmt" translate
expect_text "--model is missing" "$err"
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
expect_text "--mbr-candidates must not be larger than --beam" "$err"
expect_code 2 "${translate[@]}" --mbr chrf --mbr-candidates 5 --beam 5 --patience 0.5
expect_text "--mbr-candidates must not be larger than --beam" "$err"
case $err in *--nbest*) fail "an option that was not given is named: $err" ;; esac
expect_code 2 "${translate[@]}" --mbr chrf --sample --mbr-candidates 6 --nbest 7
expect_text "--nbest must not be larger than the number of candidates" "$err"
expect_code 1 "${translate[@]}" --then "$work/none" --input "$input"
expect_text "$work/none" "$err"
expect_code 2 "${translate[@]}" --device quantum
expect_text "--device is 'quantum'" "$err"
expect_code 2 "$dietmt" translate --model "$model,"
expect_text "empty directory name beside a comma" "$err"
expect_code 1 "$dietmt" translate --model "$work/none" --input "$input"
expect_text "$work/none" "$err"
expect_code 1 "${translate[@]}" --input "$work/none.txt"
expect_text "none.txt" "$err"
expect_code 1 "${translate[@]}" --input "$input" --output "$work/none/out"
expect_text "$work/none/out" "$err"
head -c 20 "$input.gz" >"$work/cut.gz"
expect_code 1 "${translate[@]}" --input "$work/cut.gz" --output "$work/never"
expect_text "cut.gz" "$err"
[ -e "$work/never" ] && fail "a file is left after an error"
expect_code 2 "${score[@]}"
expect_text "--source is missing" "$err"
expect_text "--target is missing" "$err"
expect_code 0 "$dietmt" translate --help
expect_text "--length-penalty A" "$out"
finish
