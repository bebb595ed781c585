#!/usr/bin/env bash
# Several corpora, tags, initialisation from a model, distillation: corpora_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

# A large and a small corpus, whose tags choose between two targets.
toy_corpus 900 1 "$work/large"
toy_corpus 100 2 "$work/small"
toy_corpus 30 3 "$work/valid"
tr a-z A-Z <"$work/small.de" >"$work/small.upper"
sizes=(--encoder-layers 1 --decoder-layers 1 --width 32 --feed-forward 32 --heads 2)
rest=(--valid-source "$work/valid.en" --valid-target "$work/valid.de" --batch-tokens 500
  --warmup 20 --threads 1 --no-valid-translation --save-interval 10)
corpora=(--train-source "$work/large.en" "$work/small.en"
  --train-target "$work/large.de" "$work/small.upper")
train=("$dietmt" train "${corpora[@]}" "${rest[@]}" "${sizes[@]}" --vocab-size 100
  --learning-rate 0.01)
tags=(--source-tags "<2low>" "<2up>" --valid-source-tag "<2low>")

# Weights and tags; resuming is exact in the middle of the second epoch.
run=("${train[@]}" "${tags[@]}" --corpus-weights 1 1 --valid-interval 20)
expect_code 0 "${run[@]}" --output "$work/whole" --max-updates 50
expect_text "corpus 1: each epoch draws 500 pairs from its 900, a share of 0.5000" "$err"
expect_text "corpus 2: each epoch draws 500 pairs from its 100" "$err"
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 30
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 50
expect_text "resuming from update 30" "$err"
cmp "$work/whole/last/model.safetensors" "$work/parts/last/model.safetensors" ||
  fail "weights differ after resuming"
grep -q '"epoch": 0' "$work/parts/checkpoints/update-00000050/training.json" &&
  fail "the test does not reach the second epoch"
expect_code 2 "${train[@]}" "${tags[@]}" --corpus-weights 1 2 --valid-interval 20 \
  --output "$work/parts" --max-updates 60
expect_text "--corpus-weights: was 1 1, is 1 2" "$err"

# Stages: resuming is exact across them, and what the file says counts, not its name.
printf '15 updates: 1 0\n1 epoch: 1 1\nrest: 0 1\n' >"$work/stages"
staged=("${train[@]}" "${tags[@]}" --valid-interval 20)
expect_code 0 "${staged[@]}" --stages "$work/stages" --output "$work/staged" --max-updates 60
expect_text "stage 1 of 3 begins with epoch 1" "$err"
expect_text "stage 2 of 3 begins with epoch 2" "$err"
expect_text "stage 3 of 3 begins with epoch 3" "$err"
expect_code 0 "${staged[@]}" --stages "$work/stages" --output "$work/later" --max-updates 10
{ echo "# the same"; cat "$work/stages"; } >"$work/renamed"
for updates in 20 60; do
  expect_code 0 "${staged[@]}" --stages "$work/renamed" --output "$work/later" --max-updates $updates
  expect_text "resuming from update" "$err"
done
cmp "$work/staged/last/model.safetensors" "$work/later/last/model.safetensors" ||
  fail "weights differ after resuming in a stage"
sed -i 's/1 1/1 2/' "$work/renamed"
expect_code 2 "${staged[@]}" --stages "$work/renamed" --output "$work/later" --max-updates 70
expect_text "--stages: was 15 updates: 1 0; 1 epochs: 1 1; rest: 0 1, is" "$err"
echo 'rest: 1' >"$work/stages"
expect_code 2 "${staged[@]}" --stages "$work/stages" --output "$work/later" --corpus-weights 1 1
expect_text "stages:1: 1 weights for 2 corpora" "$err"
expect_text "--stages has the weights of the corpora: leave out --corpus-weights" "$err"

# Another corpus gets its own cache; the existing ones stay unchanged.
ls -i "$work/whole/data"/*.cache | sort >"$work/before"
toy_corpus 50 4 "$work/more"
expect_code 0 "$dietmt" train --train-source "$work/large.en" "$work/small.en" "$work/more.en" \
  --train-target "$work/large.de" "$work/small.upper" "$work/more.de" \
  --source-tags "<2low>" "<2up>" - --valid-source-tag "<2low>" "${rest[@]}" "${sizes[@]}" \
  --tokenizer "$work/whole/data/tokenizer.model" --output "$work/whole" --resume never --dry-run \
  --sampling-temperature 2
expect_text "corpus 3, $work/more.en: kept 50 of 50 pairs" "$err"
expect_text "corpus 2: each epoch draws 223 pairs from its 100" "$err"
ls -i "$work/whole/data"/*.cache | sort >"$work/after"
[ "$(comm -12 "$work/before" "$work/after" | wc -l)" -eq 3 ] || fail "caches were made anew"
[ "$(wc -l <"$work/after")" -eq 4 ] || fail "no separate cache for a corpus: $(cat "$work/after")"

# In translation a tag is in the text or comes from the option.
head -n 5 "$work/valid.en" >"$work/plain"
sed 's/^/<2up> /' "$work/plain" >"$work/tagged"
expect_code 0 "$dietmt" translate --model "$work/whole" --input "$work/tagged" --scores
tagged=$out
expect_code 0 "$dietmt" translate --model "$work/whole" --input "$work/plain" --scores --source-tag "<2up>"
[ "$out" = "$tagged" ] || fail "--source-tag gives another translation than the tag in the text"
expect_code 0 "$dietmt" translate --model "$work/whole" --input "$work/plain" --scores
[ "$out" != "$tagged" ] || fail "the tag changes nothing"
expect_code 1 "$dietmt" translate --model "$work/whole" --input "$work/plain" --source-tag "<2fr>"
expect_text "the tag '<2fr>' is not a piece of the tokenizer" "$err"

head -n 5 "$work/valid.de" >"$work/given.de"
score=("$dietmt" score --model "$work/whole" --target "$work/given.de")
expect_code 0 "${score[@]}" --source "$work/tagged"
tagged=$out
expect_code 0 "${score[@]}" --source "$work/plain" --source-tag "<2up>"
[ "$out" = "$tagged" ] || fail "--source-tag gives other scores than the tag in the text"
expect_code 1 "${score[@]}" --source "$work/plain" --source-tag "<2fr>"
expect_text "the tag '<2fr>' is not a piece of the tokenizer" "$err"

# A sentence must fit the position encoding with its tag, even if only validation has one.
given=("$dietmt" train "${corpora[@]}" "${rest[@]}" "${sizes[@]}" --dry-run
  --tokenizer "$work/whole/data/tokenizer.model")
expect_code 2 "${given[@]}" --output "$work/positions" --valid-source-tag "<2low>" \
  --position learned --max-positions 20 --max-tokens 19
expect_text "use at most 18, or --max-positions 21 or more" "$err"

# An empty line of the validation text gets no tag, even if it has a carriage return.
scores=()
for line in "" $'\r'; do
  { printf '%s\n' "$line"; cat "$work/valid.en"; } >"$work/gap.en"
  { printf '%s\n' "$line"; cat "$work/valid.de"; } >"$work/gap.de"
  expect_code 0 "$dietmt" train --init-from "$work/whole" "${corpora[@]}" --output "$work/gap" \
    --valid-source "$work/gap.en" --valid-target "$work/gap.de" --valid-source-tag "<2low>" \
    --batch-tokens 500 --threads 1 --max-updates 1 --resume never
  scores+=("$(sed -nE 's/.*validation at update 1 (.*) valid_loss.*/\1/p' "$work/err")")
done
case ${scores[0]} in *chrf*) ;; *) fail "no scores: $err" ;; esac
[ "${scores[0]}" = "${scores[1]}" ] || fail "an empty line is translated: ${scores[*]}"

# "-" is not a tag; a tag that only the validation text has is a piece of a new tokenizer.
tokens() { sed -n 's/.*validation text: .* pairs, \([0-9]*\) source.*/\1/p' "$work/err"; }
expect_code 0 "${given[@]}" --output "$work/given"
untagged=$(tokens)
expect_code 0 "${given[@]}" --output "$work/given" --valid-source-tag -
[ -n "$untagged" ] && [ "$(tokens)" = "$untagged" ] || fail "a tag '-' stands before the lines"
expect_code 0 "$dietmt" train "${corpora[@]}" "${rest[@]}" "${sizes[@]}" --dry-run \
  --valid-source-tag "<2own>" --vocab-size 100 --output "$work/own"

# Options for training a tokenizer do not affect an existing one.
expect_code 0 "${given[@]}" --output "$work/given" --vocab-size 80 --tokenizer-type unigram
expect_text "--vocab-size 80 is ignored: $work/whole/data/tokenizer.model has 100 pieces" "$err"
expect_text "--tokenizer-type is ignored: no tokenizer is trained" "$err"
expect_code 0 "${given[@]}" --output "$work/given" --vocab-size 100
case $err in *"is ignored"*) fail "the same size is reported: $err" ;; esac

# File names need not be UTF-8.
named=$work/$'caf\xe9'
cp "$work/large.en" "$named.en"
expect_code 0 "$dietmt" train --train-source "$named.en" --train-target "$work/large.de" \
  "${rest[@]}" "${sizes[@]}" --vocab-size 100 --output "$named" --max-updates 2
expect_code 0 "$dietmt" train --train-source "$named.en" --train-target "$work/large.de" \
  "${rest[@]}" "${sizes[@]}" --vocab-size 100 --output "$named" --max-updates 3
expect_text "resuming from update 2" "$err"

# Problems with corpora.
expect_code 2 "${train[@]}" --output "$work/bad" --dry-run --processes 2
expect_text "--accumulate 1 gives fewer batches than the 2 processes need" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --corpus-weights 1 2 3 --source-tags a
expect_text "--corpus-weights: 3 weights for 2 corpora" "$err"
expect_text "--source-tags has 1 tags for 2 files" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --corpus-weights=1 --corpus-weights=-1
expect_text "--corpus-weights is -1; it must be from 0 to 1000000000" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --corpus-weights 0 0 --sampling-temperature=-1
expect_text "one of the weights must be positive" "$err"
expect_text "--sampling-temperature is -1; it must be from 0.01 to 1000000" "$err"
expect_text "cannot be combined" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --source-tags - "to german"
expect_text "the tag 'to german' must be a word" "$err"
model=$work/whole/best/tokenizer.model
expect_code 1 "$dietmt" train "${corpora[@]}" "${rest[@]}" "${sizes[@]}" --tokenizer "$model" \
  --source-tags - "<2fr>" --output "$work/bad"
expect_text "the tag '<2fr>' is not a piece of the tokenizer $model" "$err"

# From another model: its sizes and subwords, other positions, longer tables; resumable.
from=("$dietmt" train --train-source "$work/small.en" --train-target "$work/small.de" "${rest[@]}")
tune=("${from[@]}" --init-from "$work/whole" --position "learned" --valid-interval 10
  --learning-rate 0.01)
expect_code 0 "${tune[@]}" --output "$work/tuned" --max-updates 20
expect_text "encoder.position.learned.table is initialised at random" "$err"
expect_text "100 pieces" "$err"
grep -q '"width": 32' "$work/tuned/best/config.json" || fail "--init-from does not keep the width"
expect_code 0 "${tune[@]}" --output "$work/tuned_parts" --max-updates 10
mv "$work/whole" "$work/moved"
expect_code 0 "${tune[@]}" --output "$work/tuned_parts" --max-updates 20
mv "$work/moved" "$work/whole"
expect_text "resuming from update 10" "$err"
cmp "$work/tuned/last/model.safetensors" "$work/tuned_parts/last/model.safetensors" ||
  fail "weights of --init-from differ after resuming"
expect_code 0 "${from[@]}" --init-from "$work/tuned" --max-positions 2000 --output "$work/longer" --dry-run
expect_text "decoder.position.learned.table is extended" "$err"
case $err in *" is initialised at random"*) fail "something is drawn without need: $err" ;; esac
[ "$(find "$work/longer" -name 'model.safetensors' | wc -l)" -eq 0 ] || fail "--dry-run trained"

# After one small step a fine-tuned model has the loss of its initial model, not of a new one.
expect_code 0 "${from[@]}" --init-from "$work/whole" --output "$work/same" --max-updates 1 \
  --valid-interval 1
scores() { sed -n 's/.*"valid_loss": *\([0-9.]*\).*/\1/p' "$1" | tail -n 1; }
kept=$(scores "$work/same/last/checkpoint.json")
expect_code 0 "${from[@]}" "${sizes[@]}" --tokenizer "$model" --output "$work/new" --max-updates 1 \
  --valid-interval 1
fresh=$(scores "$work/new/last/checkpoint.json")
awk -v a="$kept" -v b="$fresh" 'BEGIN { exit !(a > 0 && a < b - 0.5) }' ||
  fail "loss $kept from the model, $fresh from nothing"

expect_code 2 "${from[@]}" --init-from "$work/tuned" --output "$work/bad" --width 64 --norm pre \
  --max-positions 20 --vocab-size 90 --preset base
expect_text "--width is 64, but" "$err"
expect_text "has 32, which --init-from keeps" "$err"
expect_text "--norm is pre" "$err"
expect_text "--max-positions is 20" "$err"
expect_text "--vocab-size is 90" "$err"
expect_text "--preset is base with --heads 8" "$err"
"$dietmt" tokenizer --input "$work/large.en" --vocab-size 60 --output "$work/other.model" 2>/dev/null
expect_code 2 "${from[@]}" --init-from "$work/tuned" --output "$work/bad" --tokenizer "$work/other.model"
expect_text "--tokenizer $work/other.model (60 pieces) differs from" "$err"
expect_code 1 "${from[@]}" --init-from "$work/absent" --output "$work/bad"
expect_text "absent" "$err"

# Distillation: the best translation of each line, or the one closest to the reference.
printf '\n' >>"$work/plain"
expect_code 2 "$dietmt" distill --model "$work/whole" --source "$work/plain" \
  --output-source "$work/./plain" --output-target "$work/plain"
expect_text "--output-source and --source are one file" "$err"
expect_text "--output-target and --output-source are one file" "$err"
expect_code 2 "$dietmt" distill --model "$work/whole" --source "$work/plain" --output-source - \
  --output-target -
expect_text "--output-source and --output-target are one file" "$err"
distill=("$dietmt" distill --source "$work/plain" --source-tag "<2low>"
  --output-source "$work/student.en" --output-target "$work/student.de" --beam 4)
expect_code 0 "${distill[@]}" --model "$work/whole"
[ -z "$out" ] || fail "distill wrote to stdout: $out"
cmp "$work/plain" "$work/student.en" || fail "distill changes the source"
expect_code 0 "$dietmt" translate --model "$work/whole" --input "$work/plain" --source-tag "<2low>" --beam 4
[ "$out" = "$(cat "$work/student.de")" ] || fail "distill does not keep the best translations"

# Back-translation and changed text: the same translations in other places and other letters.
expect_code 0 "$dietmt" distill --model "$work/whole" --source "$work/plain" --source-tag "<2low>" \
  --beam 4 --back-translate --augment upper:1 --output-source "$work/back.en" \
  --output-target "$work/back.de"
tr a-z A-Z <"$work/student.de" | cmp - "$work/back.en" || fail "the translation is no source"
tr a-z A-Z <"$work/plain" | cmp - "$work/back.de" || fail "the text is no target"
expect_code 0 "${distill[@]}" --model "$work/whole" --mbr chrf
expect_code 0 "$dietmt" translate --model "$work/whole" --input "$work/plain" --source-tag "<2low>" \
  --beam 4 --mbr chrf
[ "$out" = "$(cat "$work/student.de")" ] || fail "distill --mbr chooses other translations"
expect_code 0 "${distill[@]}" --model "$work/whole"

# dietmt needs no other program for that with a packed model.
mkdir "$work/alone" && cp "$dietmt" "$work/alone"
expect_code 0 "$dietmt" quantize --model "$work/whole" --type fp32 --output "$work/packed"
mv "$work/student.de" "$work/wanted.de"
expect_code 0 "$work/alone/dietmt" "${distill[@]:1}" --model "$work/packed"
cmp "$work/wanted.de" "$work/student.de" || fail "a packed model gives another text"

# Killed repeatedly.
toy_corpus 3000 5 "$work/long"
long=("$dietmt" distill --model "$work/packed" --source "$work/long.en" --reference "$work/long.de"
  --beam 4 --threads 1)
expect_code 0 "${long[@]}" --output-source "$work/at-once.en" --output-target "$work/at-once.de"
resumed=("${long[@]}" --output-source "$work/killed.en" --output-target "$work/killed.de")
written() { stat -c %s "$work/killed.de.part" 2>/dev/null || echo 0; }
# Starts the command and kills it once it has written more; 0 if it ended before.
kill_resumed() {
  local before pid
  before=$(written)
  "${resumed[@]}" 2>"$work/err" &
  pid=$!
  while kill -0 $pid 2>/dev/null && [ "$(written)" -le "$before" ]; do sleep 0.01; done
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
}
resumptions=0
for _ in 1 2 3 4; do
  if kill_resumed; then break; fi
  if grep -q 'resuming after line' "$work/err"; then resumptions=$((resumptions + 1)); fi
done
[ -e "$work/killed.de" ] || expect_code 0 "${resumed[@]}"
[ "$resumptions" -gt 0 ] || fail "no run went on with what was there"
for side in en de; do
  cmp "$work/at-once.$side" "$work/killed.$side" || fail "killed.$side differs after kills"
done
# Other text under the same name: nothing written before is kept.
kill_resumed
[ -s "$work/killed.en.part" ] || fail "the run ended before it was killed"
tac "$work/long.en" >"$work/turned" && mv "$work/turned" "$work/long.en"
expect_code 0 "${resumed[@]}"
cmp "$work/long.en" "$work/killed.en" || fail "lines of the text before are kept"
tac "$work/long.en" >"$work/turned" && mv "$work/turned" "$work/long.en"
printf 'another line\n' | tee "$work/killed.en.part" >"$work/killed.de.part"
expect_code 0 "${resumed[@]}"
cmp "$work/at-once.de" "$work/killed.de" || fail "lines of unknown settings were kept"
left=$(find "$work" -name 'killed*.part*')
[ -z "$left" ] || fail "distill left $left"

# Pipes and devices are written directly, without files next to them.
expect_code 0 "$dietmt" distill --model "$work/packed" --source "$work/plain" --source-tag "<2low>" \
  --output-source /dev/null --output-target /dev/stdout --beam 4
[ "$out" = "$(cat "$work/wanted.de")" ] || fail "not the translations on standard output"
[ -z "$(find /dev -maxdepth 1 -name '*.part*')" ] || fail "parts are left in /dev"

# The third of four hypotheses of each line is the reference, so it must be chosen.
expect_code 0 "$dietmt" translate --model "$work/whole" --input "$work/plain" --source-tag "<2low>" \
  --beam 4 --nbest 4
nth() {
  awk -F ' [|][|][|] ' -v nth="$1" '{ if (++n[$1] == nth) text[$1] = $2; lines = $1 + 1 }
    END { for (i = 0; i < lines; ++i) print text[i] }' "$work/out"
}
nth 3 >"$work/third"
nth 1 >"$work/first"
cmp -s "$work/first" "$work/third" && fail "the test's references are the best translations"
for metric in bleu chrf; do
  expect_code 0 "${distill[@]}" --model "$work/whole" --reference "$work/third" --metric $metric
  cmp "$work/third" "$work/student.de" || fail "not the translations closest by $metric"
done
head -n 2 "$work/third" >"$work/short"
rm "$work/student.de" "$work/student.en"
expect_code 1 "${distill[@]}" --model "$work/whole" --reference "$work/short"
expect_text "plain has 6 lines, $work/short has 2" "$err"
[ ! -e "$work/student.de" ] || fail "a file was left after an error"
expect_code 2 "$dietmt" distill --model "$work/whole" --metric ter --nbest 9
expect_text "--source is missing" "$err"
expect_text "--output-target is missing" "$err"
expect_text "--metric is 'ter'; it must be bleu or chrf" "$err"
expect_text "nbest" "$err"
finish
