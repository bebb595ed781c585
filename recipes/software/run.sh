#!/usr/bin/env bash
# A translator for the texts of software, from nothing: fetches text, trains, translates the test
# pages, prints BLEU and chrF. Run the same command again to resume after a stop.
#
#   recipes/software/run.sh small|base SOURCE TARGET OUTPUT [option of dietmt train ...]
#
# SOURCE and TARGET: en and another language, for example en de or cs en. Settings are in small.cfg
# and base.cfg; options given here win. OUTPUT gets the folders text and model. At the end, the recipe
# averages the last checkpoints and translates the test pages once.
set -euo pipefail
if (($# < 4)) || [[ $1 != small && $1 != base ]] || [[ $2 != en && $3 != en ]]; then
  echo "usage: $0 small|base SOURCE TARGET OUTPUT [option of dietmt train ...]" >&2
  echo "SOURCE or TARGET is en." >&2
  exit 2
fi
size=$1 source=$2 target=$3 output=$4
shift 4
here=$(dirname "$0")
dietmt=${DIETMT:-$here/../../build/bin/dietmt}
text=$output/text model=$output/model
language=$source
[[ $language != en ]] || language=$target

if [[ ! -e $text/test.$language ]]; then "$here/fetch.sh" all "$language" "$text"; fi

"$dietmt" train --config "$here/$size.cfg" --output "$model" \
  --train-source "$text/train.$source" --train-target "$text/train.$target" \
  --valid-source "$text/valid.$source" --valid-target "$text/valid.$target" "$@"

rm -rf "$model/averaged"  # of an earlier call
"$dietmt" average --inputs "$model" --last "${AVERAGE:-5}" --output "$model/averaged"
"$dietmt" translate --model "$model/averaged" --input "$text/test.$source" \
  --output "$output/test.$target"
"$dietmt" evaluate --reference "$text/test.$target" --hypothesis "$output/test.$target" \
  --metric bleu,chrf
