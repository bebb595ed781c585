#!/usr/bin/env bash
# Imported models train on, and what comes of them translates with int8 weights:
# imported_training_test.sh BINARY CASES
dietmt=$1
cases=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
printf 'the house\nthe red house\n' >text

# trains CASE OPTION...: with the languages that the options name.
trains() {
  local case=$1 name
  name=$(basename "$case")
  shift
  expect_code 0 "$dietmt" import --from "$cases/$case" --output "$name"
  expect_code 0 "$dietmt" train --init-from "$name" --allow-unknown --train-source text \
    --train-target text --valid-source text --valid-target text --max-tokens 16 --batch-tokens 64 \
    --max-updates 2 --output "$name.trained" "$@"
  expect_code 0 "$dietmt" quantize --model "$name.trained" --type int8 --output "$name.int8"
  [ -s "$name.int8/config.json" ] || fail "$name: no model with int8 weights"
}

trains transformers_cases/bart
trains transformers_cases/fsmt
trains transformers_cases/mbart_pair
trains transformers_cases/t5_search
trains transformers_cases/m2m_100 --source-languages en --target-languages de
trains transformers_cases/nllb --source-languages en --target-languages de
trains transformers_cases/madlad --target-languages de
trains fairseq_cases/deep
trains fairseq_cases/learned
trains opennmt_cases/relative
trains opennmt_cases/eole_gated
trains opennmt_cases/eole_learned
trains joeynmt_cases/words
trains ctranslate2_cases/rotary
trains ctranslate2_cases/alibi
trains sockeye_cases/pre
trains sockeye_cases/ssru
finish
