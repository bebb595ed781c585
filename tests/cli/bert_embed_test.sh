#!/usr/bin/env bash
# dietmt bert embed, retrieve, import and export from the command line: bert_embed_test.sh BINARY RUNS, where
# RUNS is the output folder of bert_pretrain_test.sh: model/ is an encoder of 2 layers, width 32.
dietmt=$1
runs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
embed=("$dietmt" bert embed --model "$runs/model" --threads 1)

shape() { head -c 128 "$1" | grep -a -o "'shape': ([0-9, ]*)"; }
data() { tail -c +129 "$1"; }
# numbers FILE: the int64 values of an array.
numbers() { data "$1" | od -An -v -t d8 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }
# float_row FILE ROW: the bytes of a row of 32 numbers.
float_row() { data "$1" | tail -c +$((128 * $2 + 1)) | head -c 128 | od -An -v -t x1; }

# Every token of every line, including the empty one; the CR of a line end is not text.
printf 'red dog\n\nsmall cat sees big house\r\n' >"$work/text"
expect_code 0 "${embed[@]}" --input "$work/text" --output "$work/tokens.npy"
[ -z "$out" ] || fail "embed wrote to stdout: $out"
expect_text "3 lines" "$err"
read -r -a offsets <<<"$(numbers "$work/tokens.offsets.npy")"
expect_text "'shape': (4,)" "$(shape "$work/tokens.offsets.npy")"
[ "${#offsets[@]} ${offsets[0]}" = "4 0" ] || fail "offsets: ${offsets[*]}"
[ $((offsets[2] - offsets[1])) -eq 2 ] || fail "an empty line has not two tokens: ${offsets[*]}"
rows=${offsets[3]}
expect_text "'shape': ($rows, 32)" "$(shape "$work/tokens.npy")"
[ "$(stat -c %s "$work/tokens.npy")" -eq $((128 + rows * 128)) ] || fail "tokens.npy has no $rows rows"

# Likewise from gzip and from standard input.
gzip -c "$work/text" >"$work/text.gz"
expect_code 0 "${embed[@]}" --input "$work/text.gz" --output "$work/gzip.npy"
cmp "$work/tokens.npy" "$work/gzip.npy" || fail "gzip input gives another array"
expect_code 0 "${embed[@]}" --output "$work/stdin.npy" <"$work/text"
cmp "$work/tokens.npy" "$work/stdin.npy" || fail "standard input gives another array"

# [CLS] is the first token of each line; without --layer the last layer counts.
expect_code 0 "${embed[@]}" --input "$work/text" --output "$work/cls.npy" --pool cls
expect_text "'shape': (3, 32)" "$(shape "$work/cls.npy")"
for line in 0 1 2; do
  [ "$(float_row "$work/cls.npy" $line)" = "$(float_row "$work/tokens.npy" "${offsets[line]}")" ] ||
    fail "row $line is not the state of [CLS]"
done
[ -e "$work/cls.offsets.npy" ] && fail "offsets of an array with a row a line"
expect_code 0 "${embed[@]}" --input "$work/text" --output "$work/mean.npy" --pool mean --layer 0
expect_text "'shape': (3, 32)" "$(shape "$work/mean.npy")"
expect_code 0 "${embed[@]}" --input "$work/text" --output "$work/all.npy" --layer all
expect_text "'shape': (3, $rows, 32)" "$(shape "$work/all.npy")"
cmp <(data "$work/all.npy" | tail -c $((rows * 128))) <(data "$work/tokens.npy") ||
  fail "the last layer of --layer all is not that of --layer last"

# One batch per line changes no shape; a text without lines gives an array without rows.
expect_code 0 "${embed[@]}" --input "$work/text" --output "$work/single.npy" --batch-tokens 1
cmp "$work/tokens.offsets.npy" "$work/single.offsets.npy" || fail "--batch-tokens changes offsets"
expect_code 0 "${embed[@]}" --input /dev/null --output "$work/none.npy" --pool mean
expect_text "'shape': (0, 32)" "$(shape "$work/none.npy")"

# Long lines are cut, ill-formed UTF-8 is replaced, and both cause a warning.
printf 'red\nred dog red dog red dog red dog\nc\xff\n' >"$work/odd"
expect_code 0 "${embed[@]}" --input "$work/odd" --output "$work/odd.npy" --max-length 5
expect_text "$work/odd:2: " "$err"
expect_text "cut to 5" "$err"
expect_text "$work/odd:3: not UTF-8" "$err"

# With --pairs a tab separates two texts; otherwise it is a space.
printf 'red dog\tbig cat\n' >"$work/pair"
expect_code 0 "${embed[@]}" --input "$work/pair" --output "$work/one.npy"
expect_code 0 "${embed[@]}" --input "$work/pair" --output "$work/two.npy" --pairs
read -r -a one <<<"$(numbers "$work/one.offsets.npy")"
read -r -a two <<<"$(numbers "$work/two.offsets.npy")"
[ $((two[1] - one[1])) -eq 1 ] || fail "a pair has not one [SEP] more: ${one[*]}; ${two[*]}"
printf 'a\tb\nc\td\te\n' >"$work/three"
expect_code 1 "${embed[@]}" --input "$work/three" --output "$work/never.npy" --pairs
expect_text "$work/three:2: a second tab" "$err"

# Refused.
expect_code 2 "${embed[@]}" --output "$work/never" --pool max --max-length 2 --batch-tokens 0
expect_text "--output $work/never must end with .npy" "$err"
expect_text "--pool is 'max'; it must be none, cls or mean" "$err"
expect_text "--max-length" "$err"
expect_text "--batch-tokens" "$err"
expect_code 2 "${embed[@]}" --input "$work/text" --output "$work/never.npy" --layer 3
expect_text "0 (embeddings) to 2" "$err"
expect_code 2 "${embed[@]}" --input "$work/text" --output "$work/never.npy" --layer first
expect_text "it must be a number, last or all" "$err"
expect_code 1 "${embed[@]}" --input "$work/absent" --output "$work/never.npy"
expect_text "$work/absent" "$err"

# Export and import restore the same model; the position encoding can be replaced.
expect_code 0 "$dietmt" bert pretrain --train "$runs/train.txt" --valid "$runs/valid.txt" \
  --tokenizer "$runs/model/data/tokenizer.model" --output "$work/learned" --preset tiny --width 32 \
  --feed-forward 64 --length 32 --batch-tokens 400 --schedule constant --max-updates 2 --valid-interval 2 --threads 1 \
  --max-positions 40
expect_code 0 "$dietmt" bert export --model "$work/learned" --output "$work/exported"
grep -q '"model_type"' "$work/exported/config.json" || fail "config.json is not transformers'"
# Readable for AutoTokenizer of transformers.
python3 - "$work/exported" <<'PYTHON' || fail "no tokenizer for transformers"
import json, sys
tokenizer = json.load(open(sys.argv[1] + "/tokenizer.json"))
assert tokenizer["model"]["type"] == "BPE" and tokenizer["model"]["merges"], tokenizer["model"].keys()
ids = tokenizer["model"]["vocab"]
assert [ids[name] for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")] == [0, 1, 2, 3, 4], ids
assert json.load(open(sys.argv[1] + "/tokenizer_config.json"))["cls_token"] == "[CLS]"
PYTHON
expect_code 0 "$dietmt" bert import --from "$work/exported" --output "$work/imported"
cmp "$work/learned/best/model.safetensors" "$work/imported/model.safetensors" ||
  fail "a model that was exported and imported is another one"
cmp "$work/learned/best/tokenizer.model" "$work/imported/tokenizer.model" || fail "another tokenizer"
expect_code 0 "$dietmt" bert import --from "$work/exported" --output "$work/swapped" \
  --position diet-rel
expect_text "position encoding diet-rel" "$err"
expect_code 0 "$dietmt" bert embed --model "$work/swapped" --input "$work/text" \
  --output "$work/swapped.npy" --threads 1

# Refused.
expect_code 2 "$dietmt" bert embed --model "$work/imported" --input "$work/text" \
  --output "$work/never.npy" --max-length 41
expect_text "the model's longest input has 40 tokens" "$err"
expect_code 2 "$dietmt" bert export --model "$runs/model" --output "$work/never"
expect_text "diet-rel" "$err"
# A checkpoint of TUPE's authors has no tokenizer, but can be inspected.
tupe=$(cd "$(dirname "$0")/.." && pwd)/interchange/tupe_cases/tupe_r.pt
expect_code 0 "$dietmt" bert import --from "$tupe" --output "$work/tupe"
expect_text "there is no tokenizer" "$err"
expect_code 0 "$dietmt" inspect positions --model "$work/tupe" --length 6 --words 4 --json
expect_text '"position":"tupe-r(projection-bias=true)"' "$out"
expect_code 2 "$dietmt" bert import --from "$tupe" --output "$work/never" --position diet-rel
expect_text "--position needs a model of Hugging Face" "$err"

expect_code 2 "$dietmt" bert import --from "$work/exported" --output "$work/imported"
expect_text "exists already" "$err"
expect_code 2 "$dietmt" bert import --from "$work/learned/best" --output "$work/never"
expect_text "is a model of dietmt, which needs no import" "$err"
expect_code 2 "$dietmt" bert import
expect_text "--from is missing" "$err"
expect_text "--output is missing" "$err"
left=$(find "$work" -name 'never*')
[ -z "$left" ] || fail "a command that failed leaves $left"

# A classifier from elsewhere predicts like its original; labels keep their names.
toy_corpus 200 5 "$work/classes"
awk '{ print $0 "\t" (/cat|dog|bird/ ? "animal" : "other") }' "$work/classes.en" >"$work/classes.tsv"
expect_code 0 "$dietmt" bert finetune --model "$work/learned" --train "$work/classes.tsv" \
  --valid "$work/classes.tsv" --no-header --first 1 --label 2 --output "$work/classifier" \
  --batch-size 16 --max-length 32 --epochs 6 --learning-rates 0.01 --seeds 1 --threads 1
expect_code 0 "$dietmt" bert export --model "$work/classifier" --output "$work/foreign"
expect_code 0 "$dietmt" bert import --from "$work/foreign" --output "$work/known"
for model in classifier known; do
  expect_code 0 "$dietmt" bert predict --model "$work/$model" --input "$work/classes.tsv" \
    --output "$work/$model.tsv" --threads 1
done
cmp "$work/classifier.tsv" "$work/known.tsv" ||
  fail "the imported classifier predicts something else"
[ "$(cut -f 2 "$work/known.tsv" | sort -u | wc -l)" -eq 3 ] || fail "one class is predicted for all"
# Translations by vectors: a text is its own translation; in reverse, the pairs are found and a
# threshold for them, which holds for another run.
retrieve=("$dietmt" bert retrieve --threads 1)
printf '%s\n' 'red dog' 'small cat sees big house' 'bird' 'blue house likes dog' >"$work/some"
expect_code 0 "${embed[@]}" --input "$work/some" --output "$work/some.npy" --pool mean
tac "$work/some" >"$work/back"
expect_code 0 "${embed[@]}" --input "$work/back" --output "$work/back.npy" --pool mean
expect_code 0 "${retrieve[@]}" --source "$work/some.npy" --target "$work/some.npy" \
  --output "$work/nearest.tsv"
[ "$out" = $'accuracy\t100.00' ] || fail "a text is not its own translation: $out"
[ "$(cut -f 1,2 "$work/nearest.tsv" | tr '\t\n' '= ')" = "1=1 2=2 3=3 4=4 " ] ||
  fail "nearest: $(cat "$work/nearest.tsv")"
awk '{ print "s" NR "\t" $0 }' "$work/some" >"$work/some.tsv"
awk '{ print "t" NR "\t" $0 }' "$work/back" >"$work/back.tsv"
printf 's%d\tt%d\n' 1 4 2 3 3 2 4 1 >"$work/gold"
named=(--source "$work/some.npy" --target "$work/back.npy" --source-ids "$work/some.tsv"
  --target-ids "$work/back.tsv")
for margin in 0 2; do
  expect_code 0 "${retrieve[@]}" "${named[@]}" --gold "$work/gold" --margin $margin \
    --output "$work/pairs.tsv"
  expect_text $'f1\t100.00' "$out"
  expect_text $'threshold\t' "$out"
  cut -f 1,2 "$work/pairs.tsv" | sort | cmp - "$work/gold" || fail "pairs: $(cat "$work/pairs.tsv")"
done
expect_code 0 "${retrieve[@]}" "${named[@]}" --gold "$work/gold" --threshold 1.5
expect_text $'recall\t0.00' "$out"
expect_code 0 "${retrieve[@]}" "${named[@]}" --threshold 0.999 --output "$work/pairs.tsv"
[ -z "$out" ] || fail "scores without --gold: $out"
[ "$(wc -l <"$work/pairs.tsv")" -eq 4 ] || fail "not all pairs: $(cat "$work/pairs.tsv")"
expect_code 1 "${retrieve[@]}" "${named[@]}" --gold "$work/some"
expect_text "some:1: expected the names of a source and a target, with a tab" "$err"
expect_code 1 "${retrieve[@]}" --source "$work/some.npy" --target "$work/some.npy" \
  --source-ids "$work/text"
expect_text "text has 3 lines, $work/some.npy 4 rows" "$err"
expect_code 1 "${retrieve[@]}" --source "$work/some.npy" --target "$work/text"
expect_text "$work/text: is not a .npy file" "$err"
expect_code 1 "${retrieve[@]}" --source "$work/none.npy" --target "$work/some.npy"
expect_text "none.npy: has no rows" "$err"
expect_code 2 "${retrieve[@]}" --source "$work/some.npy" --target "$work/some.npy" \
  --output "$work/some.npy"
expect_text "--output and --source are one file" "$err"
finish
