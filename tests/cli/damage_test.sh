#!/usr/bin/env bash
# A flipped byte in a run's files causes an error that names the file instead of another result:
# damage_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

# damage FILE OFFSET BYTES [COPIES]: overwrites bytes; a negative offset counts from the end.
damage() {
  python3 - "$@" <<'PYTHON'
import sys
path, offset, byte = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
data = bytearray(open(path, "rb").read())
offset %= len(data)
changed = byte * int(sys.argv[4] if len(sys.argv) > 4 else 1)
assert data[offset:offset + len(changed)] != changed
data[offset:offset + len(changed)] = changed
open(path, "wb").write(data)
PYTHON
}

toy_training 500 20
run=("${toy_train[@]}" --batch-tokens 500 --valid-interval 5 --keep-last 2)
expect_code 0 "${run[@]}" --output "$work/model" --max-updates 10

# The corpus cache: its ids start at byte 4096.
largest=$(basename "$(ls -S "$work"/model/data/*.cache | head -1)")
for bytes in "4497 7f" "8192 ff 400"; do
  rm -rf "$work/cache" && cp -r "$work/model" "$work/cache"
  damage "$work/cache/data/$largest" $bytes
  expect_code 1 "${run[@]}" --output "$work/cache" --max-updates 40
  expect_text "$largest: block $((${bytes%% *} / 4096 - 1)) " "$err"
done
rm "$work/cache/data/$largest"
expect_code 0 "${run[@]}" --output "$work/cache" --max-updates 15
expect_text "resuming from update" "$err"

# A model directory is checked against its manifest; without one it is used as it is.
translate() { expect_code "$1" "$dietmt" translate --model "$2" --input "$work/valid.en"; }
expect_code 0 "$dietmt" quantize --model "$work/model" --output "$work/packed"
expect_code 0 "$dietmt" translate --model "$work/packed" --input "$work/valid.en"
for model in model/best packed; do
  for file in model.safetensors tokenizer.model config.json; do
    rm -rf "$work/damaged" && cp -rL "$work/$model" "$work/damaged"
    if [ "$file" = config.json ]; then
      echo >>"$work/damaged/$file"
    else
      damage "$work/damaged/$file" -300 5a
    fi
    translate 1 "$work/damaged"
    expect_text "$work/damaged/$file differs" "$err"
  done
done
rm -rf "$work/damaged" && cp -rL "$work/model/best" "$work/damaged"
damage "$work/damaged/model.safetensors" -300 5a
expect_code 1 "$dietmt" score --model "$work/damaged" --source "$work/valid.en" \
  --target "$work/valid.de"
expect_text "model.safetensors differs in checksum from its manifest" "$err"
expect_code 1 "$dietmt" inspect attention --model "$work/damaged" --text "red dog"
expect_text "model.safetensors differs in checksum from its manifest" "$err"
rm "$work/damaged/manifest.json"
translate 0 "$work/damaged"

# Only damaged checkpoints: nothing is discarded without --resume never.
for checkpoint in "$work"/model/checkpoints/update-*; do
  damage "$checkpoint/training.safetensors" -300 5a
done
before=$(ls "$work/model/checkpoints")
expect_code 1 "${run[@]}" --output "$work/model" --max-updates 15
expect_text "all checkpoints are damaged" "$err"
expect_text "update-00000010/training.safetensors differs" "$err"
expect_text "--resume never" "$err"
[ "$(ls "$work/model/checkpoints")" = "$before" ] || fail "checkpoints were removed"
[ -e "$work/model/last" ] || fail "the link to the last checkpoint was removed"
expect_code 0 "${run[@]}" --output "$work/model" --max-updates 5 --resume never
finish
