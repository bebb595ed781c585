#!/usr/bin/env bash
# Position encodings at equal budget: the tiny Transformer on Multi30k EN-DE (plain text), one seed
# each, 1,500 updates of 4,096 target tokens. Prints a Markdown table (validation and test BLEU,
# parameters, tokens/s, memory) and draws OUTPUT/compare.svg. A run that was interrupted continues, a
# finished one is not run again, and the table may be printed at any time.
#
#   recipes/multi30k/compare.sh DATA OUTPUT [ENCODING...]
#
# DATA is github.com/multi30k/dataset's data/task1/raw. An ENCODING acts in the self-attention of
# encoder and decoder, ENCODER/DECODER in that of each; without one, those below. From the
# environment: UPDATES (default 1500), OPTIONS (more options of dietmt train for all runs, for instance
# "--threads 1") and DIETMT (the program).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if (($# < 2)); then
  echo "usage: $0 DATA OUTPUT [ENCODING...]" >&2
  exit 2
fi
data=$1 output=$2 updates=${UPDATES:-1500}
shift 2
if (($# == 0)); then
  set -- sinusoidal learned none 'shaw(clip=16)' t5 diet-rel 'diet-rel(share=heads)' \
    'diet-rel(share=layers)' 'diet-abs(share=layers)' tupe-r rope alibi \
    'heads[diet-rel:0-1,shaw(clip=16):2-3]'
fi

# What a result depends on, without what says where it is computed.
settings="$updates updates $(sed -E 's/--(threads|device|processes)[ =][^ ]+//g' <<<"${OPTIONS:-}")"

runs=()
for position in "$@"; do
  run=$output/$(sed 's/[^a-z0-9]\{1,\}/-/g; s/-$//' <<<"$position")
  runs+=("$position=$run")
  if [[ -e $run/settings.txt && $(<"$run/settings.txt") != "$settings" ]]; then
    echo "compare.sh: $run is of other settings: $(<"$run/settings.txt"); give another OUTPUT" >&2
    exit 2
  fi
  if [[ -s $run/test.txt ]]; then continue; fi
  mkdir -p "$run"
  echo "$settings" >"$run/settings.txt"
  # All share the first one's subwords, which no encoding changes.
  tokenizer=()
  if [[ -e $output/tokenizer.model ]]; then tokenizer=(--tokenizer "$output/tokenizer.model"); fi
  # shellcheck disable=SC2086 # OPTIONS are several words
  AVERAGE=5 "$here/run.sh" raw en de "$data" "$run" --position "${position%%/*}" \
    --decoder-position "${position#*/}" "${tokenizer[@]}" --max-updates "$updates" --accumulate 1 \
    --learning-rate 0.004 --warmup $((updates / 3)) --valid-interval $((updates / 3)) \
    --save-interval $((updates / 15)) --keep-last 5 \
    ${OPTIONS:-} >"$run/test.part"
  cp "$run/last/tokenizer.model" "$output/tokenizer.model"
  mv "$run/test.part" "$run/test.txt"
done
DIETMT=${DIETMT:-$here/../../build/bin/dietmt} "$here/compare.py" "$output/compare.svg" "${runs[@]}"
