#!/usr/bin/env bash
# dietmt shortlist on a toy corpus: what it covers, prints and refuses.
#   shortlist_test.sh DIETMT SCRATCH
dietmt=$1 work=$2
source "$(dirname "$0")/lib.sh"
rm -rf "$work" && mkdir -p "$work" || exit 1
mkdir "$work/text"
toy_corpus 3000 1 "$work/text/train"
toy_corpus 200 2 "$work/text/valid"
"$dietmt" tokenizer --input "$work/text/train.en" "$work/text/train.de" --vocab-size 90 \
  --output "$work/joint.model" 2>"$work/err" || { cat "$work/err"; exit 1; }
make=("$dietmt" shortlist --tokenizer "$work/joint.model" --train-source "$work/text/train.en"
  --train-target "$work/text/train.de" --best 3 --first 5)
valid=(--valid-source "$work/text/valid.en" --valid-target "$work/text/valid.de")

expect_code 0 "${make[@]}" --output "$work/list.bin" "${valid[@]}" --show red
expect_text "iteration 5 of 5" "$err"
expect_text "6 for every sentence" "$err" # 5 and end of sentence
expect_text "▁red	▁rot	" "$out"
expect_text "sentences           200" "$out"
covered=$(awk '/^covered tokens/ { print $3 }' "$work/out")
size=$(awk '/^mean shortlist size/ { print $4 }' "$work/out")
awk -v c="$covered" -v s="$size" 'BEGIN { exit !(c > 0.97 && c <= 1 && s > 6 && s < 30) }' ||
  fail "covered $covered with $size pieces of 90"
! ls -d "$work"/list.bin.* 2>/dev/null || fail "the encoded corpus was not removed"

# The same bytes for any number of threads; the same report from the file itself.
report=$out
expect_code 0 "${make[@]}" --output "$work/threads.bin" --threads 3
cmp -s "$work/list.bin" "$work/threads.bin" || fail "threads change the file"
expect_code 0 "$dietmt" shortlist --tokenizer "$work/joint.model" --shortlist "$work/list.bin" \
  "${valid[@]}" --show red
[ "$out" = "$report" ] || fail "the file's report differs: $out"

# A directory next to the output is the user's, and a failed run leaves none.
mkdir "$work/mine.bin.corpus" && echo kept >"$work/mine.bin.corpus/file"
expect_code 0 "${make[@]}" --output "$work/mine.bin"
[ "$(cat "$work/mine.bin.corpus/file")" = kept ] || fail "a directory of the user was removed"
printf 'red\xff\n' >"$work/bad.en"
expect_code 1 "$dietmt" shortlist --tokenizer "$work/joint.model" --train-source "$work/bad.en" \
  --train-target "$work/bad.en" --output "$work/bad.bin"
! ls -d "$work"/bad.bin* 2>/dev/null || fail "a failed run left files"

# Neither does a stopped one.
for _ in $(seq 100); do cat "$work/text/train.en"; done >"$work/long.en"
for _ in $(seq 100); do cat "$work/text/train.de"; done >"$work/long.de"
"$dietmt" shortlist --tokenizer "$work/joint.model" --train-source "$work/long.en" \
  --train-target "$work/long.de" --output "$work/long.bin" 2>"$work/err" &
for _ in $(seq 1000); do
  compgen -G "$work/long.bin.corpus-*" >/dev/null && break
  sleep 0.01
done
kill -TERM $!
code=0
wait $! || code=$?
[ $code -eq 75 ] || fail "a stopped command ends with $code: $(cat "$work/err")"
! ls -d "$work"/long.bin* 2>/dev/null || fail "a stopped run left files"
expect_code 2 "${make[@]}" --output /dev/stdout
expect_text "--output /dev/stdout is not a file that can be replaced" "$err"

# An output never replaces an input.
cp "$work/text/train.en" "$work/own.en"
expect_code 2 "$dietmt" shortlist --tokenizer "$work/joint.model" --train-source "$work/own.en" \
  --train-target "$work/text/train.de" --output "$work/./own.en"
expect_text "--output and --train-source are one file: $work/own.en" "$err"
cmp -s "$work/text/train.en" "$work/own.en" || fail "the text was overwritten"

# A file of another vocabulary, a damaged one, wrong options.
"$dietmt" tokenizer --input "$work/text/train.en" --vocab-size 90 --output "$work/other.model" \
  2>"$work/err" || fail "$(cat "$work/err")"
expect_code 1 "$dietmt" shortlist --tokenizer "$work/other.model" --shortlist "$work/list.bin" \
  --show red
expect_text "list.bin: was made for other vocabularies" "$err"
head -c 1000 "$work/list.bin" >"$work/cut.bin"
expect_code 1 "$dietmt" shortlist --tokenizer "$work/joint.model" --shortlist "$work/cut.bin" \
  --show red
expect_text "cut.bin: is damaged" "$err"
expect_code 2 "$dietmt" shortlist --tokenizer "$work/joint.model" --shortlist "$work/none.bin"
expect_text "--shortlist needs --valid-source with --valid-target, or --show" "$err"
expect_code 2 "$dietmt" shortlist --tokenizer "$work/joint.model" --shortlist "$work/list.bin" \
  --show red --best 3 --train-source "$work/none" --train-target "$work/none"
expect_text "--best needs --output" "$err"
expect_text "--train-source needs --output" "$err"
expect_code 2 "$dietmt" shortlist --output "$work/never.bin" --best 0
expect_text "give one of --model, --tokenizer" "$err"
expect_text "--train-source is missing" "$err"
expect_text "--best is 0; it must be from 1 to 100000" "$err"
[ ! -e "$work/never.bin" ] || fail "a refused command wrote a file"

expect_code 0 "$dietmt" shortlist --help
expect_text "--largest-table" "$out"
finish
