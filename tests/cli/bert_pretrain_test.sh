#!/usr/bin/env bash
# dietmt bert pretrain from the command line: bert_pretrain_test.sh BINARY OUTPUT
# Leaves a trained encoder in OUTPUT/model for the tests of the other bert commands.
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

toy_corpus 600 1 "$work/train"
toy_corpus 40 2 "$work/valid"
# A document every three lines.
for side in train valid; do
  sed '0~3a\\' "$work/$side.en" >"$work/$side.txt"
done
gzip -k "$work/train.txt"

pretrain=("$dietmt" bert pretrain --train "$work/train.txt.gz" --valid "$work/valid.txt"
  --vocab-size 70 --batch-tokens 400 --warmup 5 --learning-rate 3e-3 --threads 1
  --schedule constant)
run=("${pretrain[@]}" --preset tiny --width 32 --feed-forward 64 --length 32 --position diet-rel)

# A run in two parts ends with the same bits as one in a single part.
expect_code 0 "${run[@]}" --output "$work/model" --max-updates 40 --valid-interval 20
expect_text "mlm_accuracy" "$err"
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 17 --valid-interval 20
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 40 --valid-interval 20
expect_text "resuming from update 17" "$err"
cmp "$work/model/last/model.safetensors" "$work/parts/last/model.safetensors" ||
  fail "a resumed training has other weights"
grep -q '"kind":"valid","update":40' "$work/model/progress.jsonl" || fail "no validation recorded"

# Several texts with shares: p_i in proportion to n_i^0.7, resumed bit for bit, and with the same
# weights from two processes.
head -n 200 "$work/train.txt" >"$work/small.txt"
tail -n 600 "$work/train.txt" >"$work/large.txt"
mixed=("${run[@]/#"$work/train.txt.gz"/"$work/small.txt"}" --train "$work/large.txt" --tokenizer
  "$work/model/best/tokenizer.model" --sampling-temperature 1.4286 --accumulate 2)
expect_code 0 "${mixed[@]}" --output "$work/mixed" --max-updates 14
python3 - "$err" <<'PYTHON' || fail "other shares: $err"
import re, sys
tokens = [int(n) for n in re.findall(r"training text \d, .* (\d+) tokens", sys.argv[1])]
shares = [float(p) for p in re.findall(r"training text \d: a share of ([0-9.]+)", sys.argv[1])]
powers = [n ** 0.7 for n in tokens]
assert len(tokens) == 2 and tokens[0] < tokens[1], tokens
for share, power in zip(shares, powers, strict=True):
    assert abs(share - power / sum(powers)) < 1e-4, (share, power / sum(powers))
PYTHON
expect_code 0 "${mixed[@]}" --output "$work/mixed-parts" --max-updates 9
expect_code 0 "${mixed[@]}" --output "$work/mixed-parts" --max-updates 14
cmp "$work/mixed/last/model.safetensors" "$work/mixed-parts/last/model.safetensors" ||
  fail "a resumed training on several texts has other weights"
expect_code 0 "${mixed[@]}" --output "$work/mixed-two" --max-updates 14 --processes 2
python3 - "$work/mixed/progress.jsonl" "$work/mixed-two/progress.jsonl" <<'PYTHON' || fail "two processes differ"
import json, sys
one, two = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
losses = [[e["valid_loss"] for e in run if e["kind"] == "valid"] for run in (one, two)]
assert losses[0] and all(abs(a - b) < 1e-4 for a, b in zip(*losses, strict=True)), losses
PYTHON
expect_code 0 "${run[@]}" --output "$work/one-text" --max-updates 3 --corpus-weights 2
expect_text "--corpus-weights has no effect with one file of --train" "$err"
expect_code 0 "${run[@]}" --output "$work/no-weights" --max-updates 3
cmp "$work/one-text/last/model.safetensors" "$work/no-weights/last/model.safetensors" ||
  fail "the weight of the only text changes the training"
expect_code 2 "${mixed[@]}" --output "$work/bad" --corpus-weights 1 2 3
expect_text "--corpus-weights and --sampling-temperature cannot be combined" "$err"
expect_text "--corpus-weights: 3 weights for 2 corpora: give one for each" "$err"

# Another configuration is refused before anything changes, also by a dry run.
best=$(readlink "$work/parts/best")
for more in "--valid-metric mlm_accuracy" "--dropout 0.3 --dry-run"; do
  # shellcheck disable=SC2086 # several words
  expect_code 2 "${run[@]}" --output "$work/parts" --max-updates 60 --valid-interval 20 $more
  expect_text "was made with other options" "$err"
done
[ "$(readlink "$work/parts/best")" = "$best" ] || fail "a refused command changed the best model"

# Continues from a trained encoder, with another position encoding and sentence pairs, in two
# phases.
expect_code 0 "${pretrain[@]}" --output "$work/pairs" --init-from "$work/model" --position shaw \
  --examples sentence-pairs --length 16 32 --phase-updates 3 --max-updates 6 --valid-interval 6
expect_text "is initialised at random" "$err"
expect_text "next_sentence_accuracy" "$err"

# Dropouts and a larger table replace those of the initial model; contradictions are refused.
from=("${pretrain[@]}" --output "$work/from" --init-from "$work/model" --length 32)
expect_code 0 "${from[@]}" --max-updates 1 --dropout 0.3 --max-positions 600 \
  --segment-encoding input
expect_text "is extended" "$err"
case $err in *"is ignored"*) fail "the same vocabulary size is reported: $err" ;; esac
for text in '"dropout": 0.3' '"embedding_dropout": 0.1' '"max_positions": 600'; do
  grep -q "$text" "$work/from/last/config.json" || fail "$text is not in config.json"
done
expect_code 0 "${from[@]/#70/80}" --max-updates 1 --lowercase --resume never
expect_text "--vocab-size 80 is ignored: the tokenizer has 70 pieces" "$err"
expect_text "--lowercase is ignored: no tokenizer is trained" "$err"
expect_code 2 "${from[@]}" --preset mini --segment-encoding heads --max-positions 64 --resume never
expect_text "--preset is mini with --layers 4, but $work/model has 2, which --init-from keeps" "$err"
expect_text "--segment-encoding is heads, but $work/model has input" "$err"
expect_text "--max-positions is 64, but $work/model has 512" "$err"

# Inspects its positions, and counts the parameters of published models.
expect_code 0 "$dietmt" inspect positions --model "$work/model" --length 6 --words 4 --json
expect_text '"position":"input-segments+diet-rel"' "$out"
expect_code 2 "$dietmt" inspect positions --model "$work/model" --length 1
expect_text "--length is 1; it must be from 2 to 1024" "$err"
expect_code 0 "$dietmt" bert params --position 'diet-abs(rank=128,share=layers)'
expect_text $'total\t111284538' "$out"
expect_code 0 "$dietmt" bert params --init-from "$work/model"
expect_text "encoder.encoder.layer1" "$out"

# Wrong options: exit code 2 and all problems at once.
expect_code 2 "${run[@]}" --output "$work/bad" --examples pages --documents chapter --mask-rate 2
expect_text "--examples is 'pages'" "$err"
expect_text "--documents is 'chapter'" "$err"
expect_text "--mask-rate is 2; it must be above 0 and at most 1" "$err"
expect_code 2 "${pretrain[@]}" --output "$work/bad" --length 16 32
expect_text "--phase-updates needs one number fewer than --length" "$err"
expect_code 2 "${run[@]}" --output "$work/bad" --length 16 32 --phase-updates 1000000
expect_text "none is left for the last --length" "$err"
expect_code 2 "${run[@]}" --output "$work/bad" --valid-metric bleu
expect_text "possible: valid_loss, mlm_accuracy" "$err"
expect_code 2 "${run[@]}" --output "$work/bad" --init-from "$work/model"  # --width is given
expect_text "--width is fixed by the model in --init-from" "$err"
expect_code 2 "$dietmt" bert
expect_text "pretrain" "$err"
expect_code 2 "$dietmt" bert dance
expect_text "dance" "$err"

# Wrong data: exit code 1 and the file.
: >"$work/empty.txt"
expect_code 1 "${run[@]}" --output "$work/bad" --valid "$work/empty.txt"
expect_text "$work/empty.txt" "$err"
finish
