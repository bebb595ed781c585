#!/usr/bin/env bash
# Position encodings at equal budget: the tiny Transformer on Multi30k with each encoding and seed.
#
#   recipes/multi30k/compare.sh tok|raw SOURCE TARGET DATA OUTPUT [ENCODING...]
#
# Prints a Markdown table: mean and standard deviation over the seeds, and each seed's p-value against
# the first encoding (approximate randomization); writes a line of each run to OUTPUT/results.jsonl and draws OUTPUT/compare.svg. A
# run that was interrupted continues, a finished one is not run again, and the table may be printed at
# any time.
#
# The first words are those of run.sh. An ENCODING acts in the self-attention of encoder and decoder,
# ENCODER/DECODER in that of each; without one, those below. From the environment: SEEDS (default 1),
# UPDATES (a short training of so many updates of 4,096 tokens; without it, the published recipe),
# OPTIONS (more options of dietmt train for all runs, for instance "--threads 1") and DIETMT (the
# program).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../settings.sh"
if (($# < 5)); then
  echo "usage: $0 tok|raw SOURCE TARGET DATA OUTPUT [ENCODING...]" >&2
  exit 2
fi
text=("${@:1:4}") output=$5
shift 5
if (($# == 0)); then
  set -- sinusoidal learned none 'shaw(clip=16)' t5 diet-rel 'diet-rel(share=heads)' \
    'diet-rel(share=layers)' 'diet-abs(share=layers)' tupe-r rope alibi \
    'heads[diet-rel:0-1,shaw(clip=16):2-3]'
fi

schedule=()
if [[ -n ${UPDATES:-} ]]; then
  schedule=(--max-updates "$UPDATES" --accumulate 1 --learning-rate 0.004 --warmup $((UPDATES / 3))
    --valid-interval $((UPDATES / 3)) --save-interval $((UPDATES / 15)) --keep-last 5)
fi
settings="${text[*]:0:3} ${UPDATES:-all} updates $(result_options "${OPTIONS:-}")"
keep_settings "$output" "$settings"

runs=()
for seed in ${SEEDS:-1}; do
  for position in "$@"; do
    run=$output/$(sed 's,/,-decoder-,; s/[^a-z0-9]\{1,\}/-/g; s/-$//' <<<"$position")-$seed
    runs+=("$position=$run")
    keep_settings "$run" "$settings"
    if [[ -s $run/result.json ]]; then continue; fi
    # All share the first one's subwords, which no encoding changes.
    tokenizer=()
    if [[ -e $output/tokenizer.model ]]; then tokenizer=(--tokenizer "$output/tokenizer.model"); fi
    # shellcheck disable=SC2086 # OPTIONS are several words
    AVERAGE=${UPDATES:+5} "$here/run.sh" "${text[@]}" "$run" --position "${position%%/*}" \
      --decoder-position "${position#*/}" --seed "$seed" "${tokenizer[@]}" "${schedule[@]}" \
      ${OPTIONS:-} >"$run/test.txt"
    cp "$run/last/tokenizer.model" "$output/tokenizer.model"
  done
done
DIETMT=${DIETMT:-$here/../../build/bin/dietmt} "$here/compare.py" "$output" "${text[@]}" "${runs[@]}"
