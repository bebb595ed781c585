#!/usr/bin/env bash
# dietmt train --guided-alignment from the command line: guided_alignment_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"
error_rate=$(dirname "$0")/../../bench/alignment_error_rate.py

toy_training 1000 100
train=("${toy_train[@]}" --batch-tokens 500 --valid-interval 50 --learning-rate 0.01)

# A toy translation has the words in reverse order.
reversed_links() {
  awk '{ for (i = 0; i < NF; ++i) printf "%s%d-%d", i ? " " : "", i, NF - 1 - i; print "" }' "$1"
}
reversed_links "$work/train.en" >"$work/links"

# An alignment file that does not match names its line; options that need others say so.
head -n 999 "$work/links" >"$work/short"
sed '7s/$/ 99-0/' "$work/links" >"$work/far"
expect_code 1 "${train[@]}" --output "$work/bad" --max-updates 1 --guided-alignment "$work/short"
expect_text "$work/short: 999 lines of alignments for a training text of 1000 pairs" "$err"
expect_code 1 "${train[@]}" --output "$work/bad" --max-updates 1 --guided-alignment "$work/far"
expect_text "$work/far:7: source word 99 of a sentence of" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --max-updates 1 --guided-alignment-layer 1
expect_text "need --guided-alignment" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --max-updates 1 --guided-alignment auto \
  --guided-alignment-layer 2
expect_text "--guided-alignment-layer 2 is above --decoder-layers 1" "$err"
case $err in *"--alignment-layer"*) fail "an option that does not exist is named: $err" ;; esac
expect_code 2 "${train[@]}" --output "$work/bad" --max-updates 1 --guided-alignment "$work/none"
expect_text "--guided-alignment $work/none: no such file" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --max-updates 1 --guided-alignment auto \
  --cross-position linformer
expect_text "--cross-position linformer compresses them" "$err"
case $err in *"training text"*) fail "the text was prepared for a run that cannot start" ;; esac

expect_code 2 "${train[@]}" --output "$work/bad" --max-updates 1 --guided-alignment auto \
  --bpe-dropout 0.1
expect_text "--guided-alignment links the pieces of one segmentation" "$err"
# The aligned layer is never dropped.
expect_code 0 "${train[@]}" --output "$work/dropped" --max-updates 5 --guided-alignment auto \
  --layer-drop 0.9

# The aligner's links: a run that stops and continues has the same weights, and config.json says
# where the alignment is.
guided=("${train[@]}" --guided-alignment auto)
expect_code 0 "${guided[@]}" --output "$work/once" --max-updates 20
expect_text "word aligner: iteration 5" "$err"
expect_code 0 "${guided[@]}" --output "$work/twice" --max-updates 11
expect_code 0 "${guided[@]}" --output "$work/twice" --max-updates 20
cmp "$work/once/last/model.safetensors" "$work/twice/last/model.safetensors" ||
  fail "a guided run that continues differs"
python3 - "$work/once/last/config.json" <<'PYTHON' || fail "config.json lacks the head that aligns"
import json, sys
model = json.load(open(sys.argv[1]))["model"]
assert (model["alignment_layer"], model["alignment_head"]) == (1, 1), model
PYTHON

# A model initialised from it aligns with the same head.
expect_code 0 "${train[@]}" --init-from "$work/once" --output "$work/further" --max-updates 1
grep -q '"alignment_layer": *1' "$work/further/last/config.json" || fail "--init-from forgets the head"

# Changed links in the same file prevent resuming.
cp "$work/links" "$work/changing"
changing=("${train[@]}" --guided-alignment "$work/changing" --output "$work/changed")
expect_code 0 "${changing[@]}" --max-updates 1
sed -i '1s/.*//' "$work/changing"
expect_code 2 "${changing[@]}" --max-updates 2
expect_text "the guided-alignment text differs from the text of the checkpoint" "$err"

# A guided head aligns the words of the translations.
expect_code 0 "${train[@]}" --guided-alignment "$work/links" --guided-alignment-weight 0.5 \
  --output "$work/guided" --max-updates 700
expect_code 0 "$dietmt" translate --model "$work/guided" --input "$work/valid.en" --alignment hard \
  --prefix "$work/valid.de"
reversed_links "$work/valid.en" >"$work/gold"
python3 "$error_rate" "$work/gold" "$work/out" | tee "$work/rate"
awk '{ exit !($3 + 0 < 0.15) }' "$work/rate" || fail "a guided head aligns badly: $(cat "$work/rate")"
finish
