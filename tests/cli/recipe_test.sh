#!/usr/bin/env bash
# recipes/multi30k/run.sh on a toy corpus, interrupted after its average: recipe_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"
recipe=$(dirname "$0")/../../recipes/multi30k/run.sh

toy_corpus 500 1 "$work/train"
toy_corpus 20 2 "$work/val"
toy_corpus 20 3 "$work/test_2016_flickr"
gzip "$work"/*.en "$work"/*.de
run=(env DIETMT="$dietmt" AVERAGE=2 bash "$recipe" raw en de "$work" "$work/run" --vocab-size 90
  --width 32 --feed-forward 32 --heads 2 --batch-tokens 500 --accumulate 1 --save-interval 5
  --valid-interval 10 --no-valid-translation --threads 1)
expect_code 0 "${run[@]}" --max-updates 10
expect_text "BLEU = " "$out"
expect_text "the mean of 2 models" "$err"
first=$(cksum <"$work/run/averaged/model.safetensors")

# The same command again succeeds, and a longer one averages anew.
rm "$work/run/test2016.de"
expect_code 0 "${run[@]}" --max-updates 10
expect_text "BLEU = " "$out"
expect_code 0 "${run[@]}" --max-updates 20
[ "$(cksum <"$work/run/averaged/model.safetensors")" != "$first" ] || fail "the average is the old one"
expect_code 2 bash "$recipe" raw en
expect_text "usage" "$err"
expect_code 2 bash "$recipe" nonsense en de "$work" "$work/run"
expect_text "tok or raw" "$err"

# The directory of a run is not part of its settings.
. "$(dirname "$recipe")/../settings.sh"
[ "$(result_options --threads 1 --precision bf16 --device cuda)" = "--precision bf16" ] ||
  fail "settings: '$(result_options --threads 1 --precision bf16 --device cuda)'"

# The tokenized data set is not compressed.
mkdir "$work/tok"
for set in train val test_2016_flickr; do
  for language in en de; do gzip -dc "$work/$set.$language.gz" >"$work/tok/$set.lc.norm.tok.$language"; done
done
gzip "$work/tok/train.lc.norm.tok.de"  # either form works
expect_code 0 env DIETMT="$dietmt" AVERAGE=1 bash "$recipe" tok en de "$work/tok" "$work/tok_run" \
  "${run[@]:10}" --max-updates 5
expect_text "BLEU = " "$out"

# The comparison of encodings: trained once, printed twice.
compare=(env DIETMT="$dietmt" UPDATES=15 SEEDS="1 2" OPTIONS="--vocab-size 90 --width 32 --feed-forward 32
  --heads 4 --batch-tokens 500 --encoder-layers 1 --decoder-layers 1 --threads 1"
  bash "$(dirname "$recipe")/compare.sh" raw en de "$work" "$work/compared")
mixed='heads[diet-rel:0-1,shaw(clip=4):2-3]'
expect_code 0 "${compare[@]}" sinusoidal t5/rope "$mixed"
for encoding in sinusoidal t5/rope "$mixed"; do expect_text "| \`$encoding\` | " "$out"; done
[ "$(grep -c " ± " <<<"$out")" -eq 3 ] || fail "no deviations: $out"
[ "$(grep -c '<rect' "$work/compared/compare.svg")" -eq 4 ] || fail "the plot has not three bars"
table=$out
cmp "$work/compared/sinusoidal-1/last/tokenizer.model" "$work/compared/t5-decoder-rope-2/last/tokenizer.model" ||
  fail "other subwords"
python3 - "$work/compared/results.jsonl" <<'PYTHON' || fail "results.jsonl is not what the runs were"
import json, sys
results = [json.loads(line) for line in open(sys.argv[1])]
assert len(results) == 6
last = results[3]
assert (last["encoding"], last["decoder_encoding"], last["seed"]) == ("t5", "rope", 2)
assert (last["pair"], last["text"], last["updates"], last["batch_tokens"]) == ("en-de", "raw", 15, 500)
assert set(last["test"]) == {"BLEU", "chrF2"} and last["hours"] >= 0
parameters = [result["parameters"] for result in results]
assert parameters[::2] == parameters[1::2] and parameters[0] < parameters[2] < parameters[4], parameters
PYTHON
expect_code 0 "${compare[@]}" sinusoidal t5/rope "$mixed"
[ "$out" = "$table" ] || fail "another table: $out"
expect_code 2 "${compare[@]/raw/tok}" rope
expect_text "is of other settings: raw en de" "$err"
expect_code 2 bash "$(dirname "$recipe")/compare.sh"
expect_text "usage" "$err"

# Lengths: a row per run, and the four texts differ.
expect_code 0 env DIETMT="$dietmt" bash "$(dirname "$recipe")/lengths.sh" raw en de "$work" \
  "$work/compared/sinusoidal-1" "$work/compared/t5-decoder-rope-1"
for run in sinusoidal-1 t5-decoder-rope-1; do expect_text "| $run |" "$out"; done
[ "$(grep -cE '(\| [0-9.]+ \([0-9.]+\) ){4}\|' <<<"$out")" -eq 2 ] || fail "not four texts: $out"
# All sources have fewer than ten words.
[ "$(grep -cE '\| [0-9.]+ \([0-9.]+\) \| none \| none \| none \|$' <<<"$out")" -eq 2 ] ||
  fail "not the lengths of the text: $out"
whole=$(grep -m 1 '^| t5-decoder-rope-1' <<<"$out") short=$(tail -n 1 <<<"$out")
[ "$(cut -d'|' -f3 <<<"$whole")" = "$(cut -d'|' -f3 <<<"$short")" ] || fail "$whole and $short differ"
python3 - "$whole" "$work/compared/t5-decoder-rope-1/lengths.json" <<'PYTHON' || fail "other numbers in lengths.json"
import json, re, sys
cells = {name: tuple(numbers) for name, numbers in json.load(open(sys.argv[2])).items()}
shown = [tuple(map(float, pair)) for pair in re.findall(r"([0-9.]+) \(([0-9.]+)\)", sys.argv[1])]
assert [cells[name] for name in ("1 line", "2 lines", "3 lines", "4 lines")] == shown, cells
assert set(cells) == {"1 line", "2 lines", "3 lines", "4 lines", "1-9 words"}
PYTHON
expect_code 2 bash "$(dirname "$recipe")/lengths.sh" raw en de
expect_text "usage" "$err"

# The options for little text.
little=(env DIETMT="$dietmt" UPDATES=8 SEEDS="1 2" SEARCHED=bpe VOCABULARY=50 OPTIONS="--width 32 --feed-forward 32
  --batch-tokens 500 --encoder-layers 1 --decoder-layers 1 --threads 1"
  bash "$(dirname "$recipe")/low_resource.sh" "$work" "$work/little")
expect_code 0 "${little[@]}" bpe subword-sampling
for name in bpe subword-sampling "--beam 10 --mbr chrf"; do
  expect_text "| \`$name\` | 1, 2 | " "$out"
done
[ "$(wc -l <"$work/little/results.jsonl")" -eq 14 ] || fail "not four training runs and ten searches"
table=$out
expect_code 0 "${little[@]}" bpe subword-sampling
[ "$out" = "$table" ] || fail "another table: $out"
expect_code 2 "${little[@]}" nonsense
expect_text "unknown NAME 'nonsense'" "$err"
finish
