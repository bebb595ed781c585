#!/usr/bin/env bash
# The tiny Transformer on Multi30k (Wu et al. 2021, text only), on two cores.
#
#   recipes/multi30k/run.sh tok|raw SOURCE TARGET DATA OUTPUT [option of dietmt train ...]
#
#   tok   lower-cased, Moses-tokenized text (train.lc.norm.tok.en, ...): the published setting,
#         scored by lower-cased tokenized BLEU
#   raw   plain text (train.en.gz, ...), scored by cased, detokenized BLEU
#
# SOURCE and TARGET are two of en, de, cs; DATA is a folder with the files of
# github.com/multi30k/dataset (data/task1/tok or data/task1/raw), plain or with .gz. Settings are in
# tiny.cfg; options given here win, for instance --max-updates 2000. Run the same command again to
# resume after a stop. At the end, the recipe averages the last ten checkpoints (about one per epoch)
# and translates test_2016_flickr once. OUTPUT/result.json has the scores.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
if (($# < 5)); then
  echo "usage: $0 tok|raw SOURCE TARGET DATA OUTPUT [option of dietmt train ...]" >&2
  exit 2
fi
form=$1 source=$2 target=$3 data=$4 output=$5
shift 5
dietmt=${DIETMT:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin/dietmt}
case $form in
  tok) infix=.lc.norm.tok valid=(--valid-tokenize none --valid-lowercase) score=(--tokenize none --lowercase) ;;
  raw) infix= valid=() score=() ;;
  *) echo "the first word is tok or raw, not '$form'" >&2; exit 2 ;;
esac
file() {  # SET LANGUAGE: the file, compressed or not
  local path=$data/$1$infix.$2
  if [ -e "$path" ]; then echo "$path"; else echo "$path.gz"; fi
}

"$dietmt" train --output "$output" \
  --train-source "$(file train "$source")" --train-target "$(file train "$target")" \
  --valid-source "$(file val "$source")" --valid-target "$(file val "$target")" \
  --config "$(dirname "$0")/tiny.cfg" "${valid[@]}" "$@"

rm -rf "$output/averaged"  # of an earlier call
"$dietmt" average --inputs "$output" --last "${AVERAGE:-10}" --output "$output/averaged"
"$dietmt" translate --model "$output/averaged" --input "$(file test_2016_flickr "$source")" \
  --output "$output/test2016.$target"
evaluate=("$dietmt" evaluate --reference "$(file test_2016_flickr "$target")"
  --hypothesis "$output/test2016.$target" --metric bleu,chrf "${score[@]}")
"${evaluate[@]}" --json >"$output/test.json"
"${evaluate[@]}"
gpu=$(gpu_of "$@")
"$(dirname "$0")/../record.py" "$output" data=multi30k text="$form" pair="$source-$target" \
  ${gpu:+"$gpu"} >/dev/null
