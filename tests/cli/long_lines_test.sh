#!/usr/bin/env bash
# An endless line is cut while it is read: long_lines_test.sh BINARY MODEL
dietmt=$1
model=$2
work=$(dirname "$model")/long_lines
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

# 100 MB in one line between two others, in at most 1 GB.
{ echo "red dog"; head -c 100000000 /dev/zero | tr '\0' 'a'; echo; echo "blue cat"; } >"$work/text"
limited() { (ulimit -v 4000000; exec "$@"); }
expect_code 0 limited "$dietmt" translate --model "$model" --input "$work/text" --threads 1 \
  --workers 1 --output "$work/out.de" --max-source-length 20
expect_text "text:2: 100000000 bytes, cut to the first 1048576" "$err"
[ "$(wc -l <"$work/out.de")" -eq 3 ] || fail "translate wrote $(wc -l <"$work/out.de") lines"
sed -n '1p;3p' "$work/text" >"$work/short"
expect_code 0 "$dietmt" translate --model "$model" --input "$work/short" --output "$work/short.de"
cmp <(sed -n '1p;3p' "$work/out.de") "$work/short.de" || fail "its neighbours changed"
finish
