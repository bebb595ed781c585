#!/usr/bin/env bash
# From text to a small and fast translator, with the cost and gain of each step: trains `small` with
# two position encodings, averages their checkpoints, joins both, distils what is best on the
# validation text into `tiny`, rounds it to int8 and adds a shortlist. Prints a Markdown table and
# writes a line of JSON for each system to OUTPUT/results.jsonl. Run the same command again to resume
# after a stop.
#
#   recipes/software/deploy.sh SOURCE TARGET OUTPUT [option of dietmt train ...]
#
# SOURCE and TARGET: en and another language. The options apply to all runs, for instance
# --precision bf16. From the environment: AVERAGE (checkpoints to average, default 5), ROUNDS (timed
# translations of the test pages by each system, default 3) and DIETMT (the program).
set -euo pipefail
if (($# < 3)) || [[ $1 != en && $2 != en ]]; then
  echo "usage: $0 SOURCE TARGET OUTPUT [option of dietmt train ...]" >&2
  echo "SOURCE or TARGET is en." >&2
  exit 2
fi
source=$1 target=$2 output=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../settings.sh"
export DIETMT=${DIETMT:-$here/../../build/bin/dietmt}
text=$output/text tiny=$output/tiny
language=$source
[[ $language != en ]] || language=$target
keep_settings "$output" "$source $target, the average of ${AVERAGE:-5} $(result_options "$@")"

# The GPU of the training runs: times are measured where the script ends, perhaps on another machine.
[[ -e $output/gpu.txt ]] || gpu_of "$@" >"$output/gpu.txt"

if [[ ! -e $text/test.$language ]]; then "$here/fetch.sh" all "$language" "$text"; fi

# teacher ENCODING OPTION...: run.sh on this text.
teacher() {
  local folder=$output/small-$1
  if [[ -e $folder/scores.txt ]]; then return; fi
  mkdir -p "$folder"
  ln -sfn ../text "$folder/text"
  "$here/run.sh" small "$source" "$target" "$folder" --position "$@" >"$folder/scores"
  mv "$folder/scores" "$folder/scores.txt"
}
teacher diet-rel "$@"
pieces=$output/small-diet-rel/model/last/tokenizer.model
teacher sinusoidal --tokenizer "$pieces" "$@"

# Without --reference: the student learns the teacher's own translations. The source is completed
# last.
if [[ ! -e $output/distilled.$source ]]; then
  best=$("$here/deploy.py" teacher "$source" "$target" "$output")
  "$DIETMT" distill --model "$best" --source "$text/train.$source" --weights int8 \
    --output-source "$output/distilled.$source" --output-target "$output/distilled.$target"
fi

# student NAME TEXT OPTION...: trains `tiny`.
student() {
  local folder=$tiny-$1 of=$2
  shift 2
  if [[ -e $folder/averaged ]]; then return; fi
  "$DIETMT" train --config "$here/tiny.cfg" --output "$folder" --tokenizer "$pieces" \
    --train-source "$of.$source" --train-target "$of.$target" \
    --valid-source "$text/valid.$source" --valid-target "$text/valid.$target" "$@"
  "$DIETMT" average --inputs "$folder" --last "${AVERAGE:-5}" --output "$folder/averaged"
}
student plain "$text/train" "$@"
student distilled "$output/distilled" "$@"

packed=$tiny-distilled/int8
if [[ ! -e $packed ]]; then
  "$DIETMT" quantize --model "$tiny-distilled/averaged" --output "$packed"
fi
if [[ ! -e $packed/shortlist.bin ]]; then
  "$DIETMT" shortlist --model "$packed" --train-source "$output/distilled.$source" \
    --train-target "$output/distilled.$target" --output "$packed/shortlist.bin"
fi
facts=()
[[ ! -s $output/gpu.txt ]] || facts=("$(<"$output/gpu.txt")")
"$here/deploy.py" table "$source" "$target" "$output" "${ROUNDS:-3}" "${facts[@]}"
