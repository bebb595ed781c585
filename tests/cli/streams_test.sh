#!/usr/bin/env bash
# Closed standard streams: streams_test.sh BINARY MODEL     (MODEL: from train_test.sh)
# A program that opens its files under those numbers would read and write the wrong ones.
dietmt=$1
model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
toy_corpus 40 3 "$work/text"
align=("$dietmt" align --source "$work/text.en" --target "$work/text.de")

expect_code 0 "${align[@]}" --output "$work/wanted"
expect_text "iteration 1" "$err"  # it does log
"${align[@]}" --output "$work/alignments" 2>&- || fail "exit code $? without stderr"
cmp "$work/wanted" "$work/alignments" || fail "the log is among the alignments"

# Missing input is an error in each program; a packed model stays open and would become the input.
expect_code 0 "$dietmt" quantize --model "$model" --output "$work/packed"
for program in dietmt dietmt-torch; do
  code=0
  timeout 60 "$(dirname "$dietmt")/$program" translate --model "$work/packed" --workers 1 \
    <&- >"$work/out" 2>"$work/err" || code=$?
  [ $code -eq 1 ] || fail "exit code $code of $program without stdin: $(head -c 300 "$work/out")"
  [ ! -s "$work/out" ] || fail "$program translated something: $(head -c 300 "$work/out")"
  expect_text "<stdin>" "$(cat "$work/err")"
  code=0
  "$(dirname "$dietmt")/$program" --version >&- 2>"$work/err" || code=$?
  [ $code -eq 1 ] || fail "exit code $code of $program without stdout"
  expect_text "standard output cannot be written" "$(cat "$work/err")"
done

# Lines that are typed on a terminal are answered one by one, before the end.
"$(dirname "$0")/terminal.py" "$dietmt" translate --model "$work/packed" --workers 1 ||
  fail "a typed line was not answered"
finish
