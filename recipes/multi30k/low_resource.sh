#!/usr/bin/env bash
# Options for little text at equal updates: the tiny Transformer on Multi30k EN-DE (plain text), two
# seeds each. Prints a Markdown table of the last validation of each run, and writes a line of each to
# OUTPUT/results.jsonl. A run that was interrupted continues, a finished one is not run again.
#
#   recipes/multi30k/low_resource.sh DATA OUTPUT [NAME...]
#
# DATA is github.com/multi30k/dataset's data/task1/raw; a NAME is one of those below. From the
# environment: UPDATES (default 4000), SEEDS (default "1 2"), VOCABULARY (default 8000), OPTIONS (more
# options of dietmt train for all runs, for instance "--threads 1 --precision bf16"), SEARCHED (names
# whose models also translate the validation text with wider beams and minimum Bayes risk, in a second
# table) and DIETMT (the program).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if (($# < 2)); then
  echo "usage: $0 DATA OUTPUT [NAME...]" >&2
  exit 2
fi
data=$1 output=$2 updates=${UPDATES:-4000}
shift 2
. "$here/../settings.sh"
keep_settings "$output" \
  "$updates updates, ${VOCABULARY:-8000} pieces $(result_options "${OPTIONS:-}")"
if (($# == 0)); then
  set -- bpe bpe-dropout unigram subword-sampling word-dropout layer-drop r-drop muon adafactor
fi
dietmt=${DIETMT:-$here/../../build/bin/dietmt}

options_of() {  # NAME: options in addition to those of the plain BPE run
  case $1 in
    bpe) ;;
    bpe-dropout) echo --bpe-dropout 0.1 ;;
    byte-fallback) echo --byte-fallback ;;
    unigram) echo --tokenizer-type unigram ;;
    subword-sampling) echo --tokenizer-type unigram --subword-sampling 0.2 ;;
    word-dropout) echo --source-word-dropout 0.1 --target-word-dropout 0.1 ;;
    layer-drop) echo --layer-drop 0.1 ;;
    r-drop) echo --r-drop 5 ;;
    muon | adafactor) echo --optimizer "$1" ;;
    *) echo "low_resource.sh: unknown NAME '$1'" >&2; exit 2 ;;
  esac
}

file() { if [ -e "$data/$1" ]; then echo "$data/$1"; else echo "$data/$1.gz"; fi; }

runs=()
for name in "$@"; do
  options=$(options_of "$name")
  for seed in ${SEEDS:-1 2}; do
    run=$output/$name-$seed
    runs+=("$name=$run")
    # shellcheck disable=SC2086 # the options are several words
    "$dietmt" train --config "$here/tiny.cfg" --output "$run" --seed "$seed" \
      --train-source "$(file train.en)" --train-target "$(file train.de)" \
      --valid-source "$(file val.en)" --valid-target "$(file val.de)" \
      --vocab-size "${VOCABULARY:-8000}" --accumulate 1 --learning-rate 0.004 \
      --warmup $((updates / 4)) --max-updates "$updates" --valid-interval $((updates / 8)) \
      --save-interval $((updates / 4)) --keep-last 4 $options ${OPTIONS:-}
  done
done

DIETMT=$dietmt "$here/low_resource.py" "$data/val" "$output" "${SEARCHED:-}" "${runs[@]}"
