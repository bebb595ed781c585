#!/usr/bin/env bash
# Models and batches that do not fit in memory, with 3 GB of address space: memory_test.sh BINARY
# MODEL ENCODER (from train_test.sh and bert_pretrain_test.sh)
dietmt=$1
model=$2
encoder=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

limited() { (ulimit -v 3000000; exec timeout 60 "$@"); }

# refused CODE TEXT COMMAND...: the command ends with the code and one sentence that contains the
# text, what is needed and what is available.
refused() {
  local code=$1 text=$2
  shift 2
  expect_code "$code" limited "$@" </dev/null
  expect_text "$text" "$err"
  grep -qE 'needs about [0-9.]+ GB of memory, but only [0-9.]+ GB are available$' "$work/err" ||
    fail "no figures: $err"
  [ "$(grep -vc ' info: ' "$work/err")" -eq 1 ] || fail "not one line: $err"
}

# printed TEXT COMMAND...: the command only counts, so it works.
printed() {
  local text=$1
  shift
  expect_code 0 limited "$@"
  expect_text "$text" "$out"
}

# Sizes of new models, before the text is read.
toy_corpus 300 1 "$work/train"
toy_corpus 20 2 "$work/valid"
train=("$dietmt" train --train-source "$work/train.en" --train-target "$work/train.de"
  --valid-source "$work/valid.en" --valid-target "$work/valid.de" --output "$work/trained"
  --threads 1)
pretrain=("$dietmt" bert pretrain --train "$work/train.en" --valid "$work/valid.en"
  --documents every-line --output "$work/pretrained" --threads 1)
all='diet-abs(rank=1048576)'
refused 2 "--width 65536, " "${train[@]}" --width 65536
refused 2 "--encoder-layers 1024, " "${train[@]}" --preset base --encoder-layers 1024
refused 2 "--vocab-size 10000000: " "${train[@]}" --preset base --vocab-size 10000000
refused 2 "--max-positions 1048576, " "${train[@]}" --max-positions 1048576 --position learned
refused 2 "--position '$all', " "${train[@]}" --position "$all"
refused 2 "--decoder-position '$all', " "${train[@]}" --decoder-position "$all"
refused 2 "--cross-position '$all', " "${train[@]}" --cross-position "$all"
refused 2 "--width 65536, " "${pretrain[@]}" --width 65536 --heads 16
refused 2 "--position '$all', " "${pretrain[@]}" --position "$all"
[ ! -e "$work/trained" ] && [ ! -e "$work/pretrained" ] || fail "a refused training left a directory"

# The weights of this model fit, but not its gradients and moments in addition; this smaller one can
# be trained, but not in sixteen processes.
refused 2 "--width 1024, " "${train[@]}" --preset big
refused 2 "--width 512, " "${train[@]}" --preset base --processes 16 --accumulate 16

# Other positions for a model on disk.
printf 'sentence\tlabel\nred cat\tanimal\nold house\tother\n' >"$work/task.tsv"
refused 2 "--position '$all', " "$dietmt" bert finetune --model "$encoder" --position "$all" \
  --train "$work/task.tsv" --valid "$work/task.tsv" --max-length 16 --output "$work/tuned"

# Models that are only counted are not built.
printed $'total\t3342' "$dietmt" inspect params --width 65536 --feed-forward 1048576 --heads 16 \
  --encoder-layers 1024 --decoder-layers 1024
printed $'positions\t' "$dietmt" inspect params --position "$all" --max-positions 1048576
printed $'total\t' "$dietmt" bert params --preset large --vocab-size 10000000 --layers 1024
printed "deberta" "$dietmt" train --width 65536 --max-positions 1048576 --position help

# An error in an edited description names its key.
cp -rL "$model/best" "$work/model"
cp -rL "$encoder/best" "$work/encoder"
for copy in model encoder; do
  rm -f "$work/$copy/manifest.json"  # it would report first that the file was changed
  sed -i 's/"width": *[0-9]*/"width": 65536/' "$work/$copy/config.json"
done
refused 1 "$work/model/config.json: width 65536, " "$dietmt" score --model "$work/model" \
  --source "$work/valid.en" --target "$work/valid.de"
refused 1 "$work/encoder/config.json: width 65536, " "$dietmt" bert embed --model "$work/encoder" \
  --input "$work/valid.en" --output "$work/states.npy"

# Hypotheses, with the 20 bytes per token that the beam and the cache need.
refused 2 "needs about 40016.8 GB" "$dietmt" translate --model "$work/model" --workers 4 \
  --input "$work/valid.en" --beam 1000 --max-length-offset 10000 --batch-tokens 100000

# A batch that cannot fit, before it takes memory.
toy_corpus 20000 3 "$work/long"
refused 1 "--batch-tokens 1000000, with " "$dietmt" train --train-source "$work/long.en" \
  --train-target "$work/long.de" --valid-source "$work/valid.en" --valid-target "$work/valid.de" \
  --output "$work/trained" --vocab-size 90 --threads 1 --preset small --batch-tokens 1000000 \
  --no-valid-translation --dry-run

# --dry-run predicts the peak of a run, whose validation needs more than its batches.
head -n 200 "$work/long.en" >"$work/few.en"
head -n 200 "$work/long.de" >"$work/few.de"
run=("$dietmt" train --train-source "$work/train.en" --train-target "$work/train.de"
  --valid-source "$work/few.en" --valid-target "$work/few.de" --vocab-size 90 --threads 1
  --width 256 --feed-forward 1024 --heads 4 --encoder-layers 3 --decoder-layers 3
  --batch-tokens 1000 --max-updates 2)
expect_code 0 "${run[@]}" --output "$work/predicted" --dry-run
predicted=$(sed -n 's/^memory *\([0-9]*\) MB, with validation$/\1/p' "$work/out")
used=$(python3 - "${run[@]}" --output "$work/used" <<'PYTHON'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 // 10**6)
PYTHON
)
[ "$((100 * predicted))" -ge "$((95 * used))" ] && [ "$((100 * predicted))" -le "$((110 * used))" ] ||
  fail "--dry-run predicts $predicted MB, but the run uses $used MB"
finish
