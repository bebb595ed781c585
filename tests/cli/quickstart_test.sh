#!/usr/bin/env bash
# scripts/quickstart on a user's two files, with the programs of this build.
#   quickstart_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

# A checkout with these scripts and programs, whose setup has nothing to do.
mkdir -p "$work/scripts" "$work/build"
ln -s "$(dirname "$dietmt")" "$work/build/bin"
ln -s "$root/recipes" "$work/recipes"
cp "$root/scripts/quickstart" "$work/scripts"
printf '#!/bin/sh\n' >"$work/scripts/setup"
chmod +x "$work/scripts/setup"
sizes=(--vocab-size 90 --width 32 --feed-forward 32 --heads 2 --encoder-layers 1 --decoder-layers 1
  --batch-tokens 500 --threads 1 --valid-interval 5 --schedule constant --warmup 2)

text=$work/quickstart/en-de/text
mkdir -p "$text"
toy_corpus 400 1 "$text/all"
expect_code 0 "$work/scripts/quickstart" none "${sizes[@]}" --max-updates 5
expect_text "BLEU = " "$out"
[ "$(cat "$text"/{train,valid,test}.en | sort)" = "$(sort "$text/all.en")" ] ||
  fail "the three parts are not the whole text"
[ "$(grep -c '^translation ' <<<"$out")" -eq 8 ] || fail "not all eight test lines are shown"
expect_text "--model quickstart/en-de/model-none --input FILE" "$err"
[ -e "$work/quickstart/en-de/model-none/report.html" ] || fail "no report"

# A second call continues the same run.
expect_code 0 "$work/scripts/quickstart" en-de none "${sizes[@]}" --max-updates 6
expect_text "resum" "$err"

# Without the text and without apt-get: says where to put your own text.
mkdir "$work/no-apt"
printf '#!/bin/sh\nexit 100\n' >"$work/no-apt/apt-get"
chmod +x "$work/no-apt/apt-get"
expect_code 1 env PATH="$work/no-apt:$PATH" "$work/scripts/quickstart" en-cs
expect_text "quickstart/en-cs/text/all.en and quickstart/en-cs/text/all.cs" "$err"
expect_code 2 "$work/scripts/quickstart" en-de none 500
expect_text "usage" "$err"
finish
