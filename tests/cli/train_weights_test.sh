#!/usr/bin/env bash
# dietmt train --train-weights: weights of sentence pairs. train_weights_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

toy_training 200 20
text=(--train-source "$work/train.en" --train-target "$work/train.de")
rest=("${toy_train[@]:6}" --batch-tokens 200 --dropout 0.1 --accumulate 2 --valid-interval 10
  --augment lower:0.1)
run=("$dietmt" train "${text[@]}" "${rest[@]}")
same_weights() { cmp -s "$1/last/model.safetensors" "$2/last/model.safetensors"; }

# Weights of 1 are no weights, bit for bit.
yes 1 | head -n 200 | gzip >"$work/ones.gz"
expect_code 0 "${run[@]}" --output "$work/plain" --max-updates 20
model=$work/plain/best/tokenizer.model
rest+=(--tokenizer "$model")
run+=(--tokenizer "$model")
expect_code 0 "${run[@]}" --output "$work/ones" --max-updates 20 --train-weights "$work/ones.gz"
same_weights "$work/plain" "$work/ones" || fail "weights of 1 change the model"

# A column; the run can stop and go on, and refuses other weights.
awk '{ print (NR % 5) / 2 }' "$work/train.en" >"$work/weights"
paste "$work/train.en" "$work/train.de" "$work/weights" >"$work/train.tsv"
columns=("$dietmt" train --train-source "$work/train.tsv:1" --train-target "$work/train.tsv:2"
  --train-weights "$work/train.tsv:3" "${rest[@]}")
expect_code 0 "${run[@]}" --output "$work/whole" --max-updates 20 --train-weights "$work/weights"
same_weights "$work/plain" "$work/whole" && fail "weights do not change the model"
expect_code 0 "${columns[@]}" --output "$work/parts" --max-updates 10
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 20 --train-weights "$work/weights" \
  --resume-changed max-updates
expect_text "resuming from update 10" "$err"
same_weights "$work/whole" "$work/parts" || fail "a resumed run has another model"
expect_code 2 "${run[@]}" --output "$work/parts" --max-updates 30 --train-weights "$work/ones.gz"
expect_text "the training text differs" "$err"

# Several processes; --stages; a corpus without weights.
expect_code 0 "${run[@]}" --output "$work/two" --max-updates 10 --processes 2 \
  --train-weights "$work/weights"
expect_code 0 "${run[@]}" --output "$work/one" --max-updates 10 --train-weights "$work/weights"
python3 - "$work/one" "$work/two" <<'P' || fail "two processes have another curve"
import json, sys
one, two = ([json.loads(line) for line in open(folder + "/progress.jsonl")] for folder in sys.argv[1:])
values = [[line[name] for line in lines for name in ("loss", "valid_loss") if name in line]
          for lines in (one, two)]
assert len(values[0]) > 1 and len(values[0]) == len(values[1])
assert all(abs(a - b) < 1e-4 * a for a, b in zip(*values)), values
P
toy_corpus 50 3 "$work/more"
printf '1 epochs: 1 0\nrest: 1 2\n' >"$work/stages"
expect_code 0 "${run[@]}" --output "$work/stages-run" --max-updates 10 \
  --train-source "$work/more.en" --train-target "$work/more.de" --stages "$work/stages" \
  --train-weights "$work/weights" -

# Errors name file and line.
refused() { # LINE TEXT
  sed "3s/.*/$1/" "$work/weights" >"$work/bad"
  expect_code 1 "${run[@]}" --output "$work/bad-run" --max-updates 1 --train-weights "$work/bad"
  expect_text "$2" "$err"
}
refused nan "bad:3: 'nan' is no weight of a pair: give a number from 0 to 1000000"
refused -1 "bad:3: '-1' is no weight"
head -n 150 "$work/weights" >"$work/short"
expect_code 1 "${run[@]}" --output "$work/bad-run" --max-updates 1 --train-weights "$work/short"
expect_text "train.en:151: this line has no counterpart" "$err"
expect_text "$work/short has 150" "$err"
expect_code 2 "${run[@]}" --output "$work/bad-run" --train-weights "$work/weights" "$work/weights"
expect_text "--train-weights has 2 files for 1 corpora" "$err"
expect_code 2 "${run[@]}" --output "$work/bad-run" --train-weights "$work/absent"
expect_text "--train-weights: $work/absent does not exist" "$err"
finish
