#!/usr/bin/env bash
# A full disk while saving: a clear error, and the previous checkpoint loads.
# full_disk_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

toy_corpus 500 1 "$work/train"
toy_corpus 20 2 "$work/valid"
run=("$dietmt" train --train-source "$work/train.en" --train-target "$work/train.de"
  --valid-source "$work/valid.en" --valid-target "$work/valid.de" --vocab-size 90
  --encoder-layers 1 --decoder-layers 1 --width 64 --feed-forward 64 --heads 2 --batch-tokens 500
  --warmup 20 --threads 1 --no-valid-translation --valid-interval 5 --output "$work/model")
expect_code 0 "${run[@]}" --max-updates 5

# Files may not grow beyond 64 KiB, which is what a disk without room looks like to a writer.
limited() { (ulimit -f 64; trap '' XFSZ; exec "$@"); }
expect_code 1 limited "${run[@]}" --max-updates 10
expect_text "model.safetensors" "$err"
expect_code 0 "${run[@]}" --max-updates 10
expect_text "resuming from update 5" "$err"
finish
