#!/usr/bin/env bash
# dietmt translate and score from the command line: translate_test.sh BINARY MODEL
# Search and markup: translate_search_test.sh, translate_markup_test.sh.
dietmt=$1
model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
translate=("$dietmt" translate --model "$model")
score=("$dietmt" score --model "$model" --threads 1)

toy_corpus 60 7 "$work/toy"
input=$work/toy.en
toy_target=$work/toy.de

# One line out per line in, whether from a file, gzip or a pipe, or into a file.
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

# Lines of several sentences, and a line that is longer than the model can read.
expect_code 0 "${translate[@]}" --input <(printf 'red dog. Old tree!\n\nred dog.\n') \
  --split-sentences en
expect_lines "$work/out" 3
for sentence in 'red dog.' 'Old tree!'; do
  "${translate[@]}" <<<"$sentence" || fail "cannot translate $sentence"
done | paste -sd' ' >"$work/apart"
expect_equal "$(sed -n 1p "$work/out")" "$(cat "$work/apart")" "two sentences"
long=$(for i in $(seq 20); do printf 'Red dog sees tree. '; done)
expect_code 0 "${translate[@]}" --max-source-length 30 <<<"$long"
expect_text "<stdin>:1: longer than the model can read, so its 20 sentences are" "$err"
expect_equal "$(wc -w <"$work/out")" \
  "$(for i in $(seq 20); do "${translate[@]}" <<<"Red dog sees tree."; done | wc -w)" "words"
expect_code 2 "${translate[@]}" --split-sentences en --alignment hard
expect_text "leave out --split-sentences" "$err"

# Capitals come back as capitals.
expect_code 0 "${translate[@]}" --case auto --json <<<"RED DOG"
expect_text '"case":"capitals"' "$(cat "$work/out")"
expect_code 0 "${translate[@]}" --case auto <<<"RED DOG"
expect_equal "$(cat "$work/out")" \
  "$("${translate[@]}" <<<"red dog" | tr '[:lower:]' '[:upper:]')" "RED DOG"

# At a terminal a file has a progress bar; a pipe has none, since counting its lines would drain it.
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

# No plain text under the name of a document.
for name in out.docx out.pdf; do
  expect_code 2 "${translate[@]}" --input "$input" --output "$work/$name"
  expect_text "--output $work/$name: this command writes no .${name#out.} file" "$err"
  [ ! -e "$work/$name" ] || fail "$name was written"
done
expect_code 2 "${translate[@]}" --input "$input" --shortlist auto
expect_text "--shortlist auto is for 'dietmt serve': give the file" "$err"
expect_code 2 "${translate[@]}" --input "$input" --split-sentences "english please"
expect_text "'english please' is no language" "$err"

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

# Neighbours, batch size, workers and threads have no effect.
for flags in "--batch-tokens 1" "--batch-tokens 64" "--batch-tokens 512" "--workers 3" "--threads 2"; do
  # shellcheck disable=SC2086
  "${translate[@]}" --input "$input" $flags | cmp - "$work/plain" || fail "$flags changes the text"
done
tac "$input" | "${translate[@]}" | tac | cmp - "$work/plain" || fail "the order changes the text"

# Odd lines: each gives one line, and changes are reported with the line number.
{
  printf 'red dog\n\n   \t \nred dog\r\nbad \xff byte\nnul\x00 dog\nred\xc2\x85dog\nred\xe2\x80\xa8dog\n'
  for _ in $(seq 100000); do printf 'dog '; done
  printf '\nred dog'
} >"$work/odd"
expect_code 0 "${translate[@]}" --input "$work/odd" --max-length-factor 0 --max-length-offset 20 \
  --max-source-length 200
expect_lines "$work/out" 10
expect_text "odd:5: not UTF-8" "$err"
expect_text "odd:6: has a NUL at byte 4; replaced with U+FFFD" "$err"
expect_text "odd:9: at least 100000 tokens, cut to the first 199" "$(sed 's/[0-9]* tokens, cut/100000 tokens, cut/' <<<"$err")"
expect_equal "$(grep -c 'warn' <<<"$err")" 3 "warnings"
expect_equal "$(sed -n 2p "$work/out")" "" "an empty line"
expect_equal "$(sed -n 3p "$work/out")" "" "a line of white space"
expect_equal "$(sed -n 4p "$work/out")" "$(sed -n 1p "$work/out")" "CR/LF"
expect_equal "$(sed -n 10p "$work/out")" "$(sed -n 1p "$work/out")" "no line feed at the end"
expect_equal "$(python3 -c 'import sys
print(len(open(sys.argv[1], encoding="utf-8", newline="").read().splitlines()))' "$work/out")" 10 \
  "lines as Python counts them"
expect_code 0 "${translate[@]}" --input /dev/null
expect_equal "$out" "" "no input"

# A file that is not text gets a few warnings only.
for _ in $(seq 30); do printf 'bad \xff byte\n'; done >"$work/bytes"
expect_code 0 "${translate[@]}" --input "$work/bytes"
expect_equal "$(grep -c 'not UTF-8' <<<"$err")" 10 "warnings of ill-formed lines"
expect_text "bytes:10: not UTF-8 at byte 5; replaced with U+FFFD; further such" "$err"

# NUL is no text either: sentencepiece would take it for a part of a word.
printf 'red d\0og\n' >"$work/nul"
printf 'red d\357\277\275og\n' >"$work/replaced"
expect_code 0 "${translate[@]}" --input "$work/replaced"
expected=$out
expect_code 0 "${translate[@]}" --input "$work/nul"
expect_text "nul:1: has a NUL at byte 6; replaced with U+FFFD" "$err"
expect_equal "$out" "$expected" "a line with NUL"

# With --flush each line is passed on at once: the answer comes while the input stays open.
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

# A reader that leaves early is not an error, and endless input ends there.
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

# An ensemble of a model and itself.
"$dietmt" translate --model "$model,$model" --input "$input" | cmp - "$work/plain" ||
  fail "an ensemble of one model twice gives another text"

# A name with a comma is one model, by itself and next to another --model.
odd=$work/odd,name
ln -s "$(realpath "$model")" "$odd"
for models in "$odd" "$odd --model $model" "$model -m $odd"; do
  # shellcheck disable=SC2086
  "$dietmt" translate --input "$input" --model $models | cmp - "$work/plain" ||
    fail "--model $models gives another text"
done
# A second word is the input.
"$dietmt" translate -m "$model" "$input" | cmp - "$work/plain" || fail "FILE is not --input FILE"
expect_code 2 "${translate[@]}" --input "$input" "$odd"
expect_text "unexpected argument '$odd': --input is given already" "$err"
"$dietmt" score --threads 1 --model "$odd" --source "$input" --target "$toy_target" |
  cmp - <("${score[@]}" --source "$input" --target "$toy_target") || fail "score of a name with a comma"

# FILE.gz is compressed by every command, pipes too.
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

# Scores of given translations equal those of the search.
"${translate[@]}" --input "$input" --length-penalty 0 --scores >"$work/found"
cut -f 2 "$work/found" >"$work/text"
expect_code 0 "${score[@]}" --source "$input" --target "$work/text"
expect_lines "$work/out" 60
# A tokenizer may split the text differently from the search, but most lines agree.
agree=$(paste <(cut -f 1 "$work/found") "$work/out" |
  awk '{ d = $1 - $2; if (d < 0) d = -d; if (d < 1e-3) ++n } END { print n + 0 }')
[ "$agree" -ge 30 ] || fail "score agrees with translate in $agree of 60 lines"
expect_code 0 "${score[@]}" --source "$input" --target "$work/text" --json
expect_text '{"score":-' "$out"
expect_text '"token_scores":[-' "$out"
expect_code 1 "${score[@]}" --source "$input" --target <(head -n 9 "$work/text")
expect_text "toy.en:10" "$err"
[ -z "$out" ] || fail "scores in spite of unequal line counts: $out"

# Errors: exit codes and texts.
expect_code 2 "$dietmt" translate
expect_text "--model is missing" "$err"
expect_code 1 "${translate[@]}" --then "$work/none" --input "$input"
expect_text "$work/none" "$err"
expect_code 2 "${translate[@]}" --device quantum
expect_text "--device is 'quantum'" "$err"
expect_code 2 "$dietmt" translate --model "$model,"
expect_text "empty directory name next to a comma" "$err"
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
