#!/usr/bin/env bash
# A full disk while saving: a clear error, and the previous checkpoint loads.
# full_disk_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

toy_training 500 20
run=("${toy_train[@]}" --batch-tokens 500 --valid-interval 5 --output "$work/model")
expect_code 0 "${run[@]}" --max-updates 5

# Limits files to 64 KiB, which a writer sees like a full disk.
limited() { (ulimit -f 64; trap '' XFSZ; exec "$@"); }
expect_code 1 limited "${run[@]}" --max-updates 10
expect_text "model.safetensors" "$err"
expect_code 0 "${run[@]}" --max-updates 10
expect_text "resuming from update 5" "$err"
finish
