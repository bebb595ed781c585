#!/usr/bin/env bash
# Help on position encodings and the accounting of parameters: positions_test.sh BINARY
dietmt=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

# --position help prints the table for the chosen model and needs no other option.
expect_code 0 "$dietmt" train --preset base --position help
expect_text "parameters: encoder 524288, decoder 524288" "$out"
expect_text "in: encoder, cross-attention" "$out"
names=(none sinusoidal learned learnable-sinusoidal diet-rel t5 bert-r alibi kerple fire shaw
  relative-sinusoidal relative-key relative-key-query deberta transformer-xl tupe-a tupe-r tupe-free
  bert-a-d diet-abs linformer diet-abs-lin rope xpos cope segments input-segments)
for name in "${names[@]}"; do
  grep -qx "  $name" "$work/out" || fail "no entry for $name"
done

# The components add up to the total, and the encodings to the sum of positions.
sum='$1 != "total" && $1 != "positions" { n += $2 } $1 == "total" { t = $2 }
     $1 ~ /position\./ { p += $2 } $1 == "positions" { s = $2 } END { exit !(n == t && p == s) }'
for spec in sinusoidal learned+diet-rel tupe-r 'heads[shaw:0-1,deberta:2,rope:3]'; do
  expect_code 0 "$dietmt" inspect params --preset tiny --vocab-size 100 --position "$spec"
  awk -F'\t' "$sum" "$work/out" || fail "the parts of '$spec' do not sum up: $out"
done
expect_code 0 "$dietmt" inspect params --preset tiny --position 'diet-rel(share=layers)'
expect_text $'decoder.position.diet_rel\t8188' "$out"

# A wrong spec points at its column.
expect_code 2 "$dietmt" inspect params --position 'learned+rope(pairs=both)'
expect_text "column 20: 'both' is not a value of 'pairs'; possible: interleaved|halves" "$err"
expect_code 2 "$dietmt" inspect params --position 'diet-rel(clip=1.5)'
expect_text "'1.5' is not a value of 'clip'; possible: none|a whole number from 1 to" "$err"
expect_code 2 "$dietmt" inspect params --position 'rope(scaling=ntk)'
expect_text "'rope': 'scaling' needs a factor above 1" "$err"
expect_code 2 "$dietmt" inspect params --position 'rope(length=64)'
expect_text "'rope': 'length' needs a factor above 1" "$err"
expect_code 2 "$dietmt" inspect params --position linformer
expect_text "'linformer' is not defined for the causal self-attention of a decoder (--decoder-position)" "$err"
finish
