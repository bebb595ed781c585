#!/usr/bin/env bash
# What each position encoding does on the generated sample corpus: equal updates, the same
# tokenizer and batches, BLEU on the held-out test sentences. Prints a Markdown table. A run that
# was interrupted continues, a finished one is not run again.
#
#   recipes/sample/compare_positions.sh OUTPUT UPDATES SEEDS ENCODING...
#
#   for example: recipes/sample/compare_positions.sh runs/positions 800 "1 2" none sinusoidal diet-rel
#
# An ENCODING acts in the self-attention of encoder and decoder, ENCODER/DECODER in that of each.
# From the environment: THREADS (default 2), PAIR (en-de or en-cs), DIETMT (the program) and OPTIONS,
# more options of dietmt train for all runs.
set -euo pipefail
output=$1 updates=$2 seeds=$3
shift 3
dietmt=${DIETMT:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin/dietmt}
pair=${PAIR:-en-de}
source=${pair%-*} target=${pair#*-}
corpus=$output/corpus

if [[ ! -e $corpus/test.$target ]]; then
  "$dietmt" sample --pair "$pair" --output "$corpus"
fi
if [[ ! -e $output/tokenizer.model ]]; then
  "$dietmt" tokenizer --input "$corpus/train.$source" "$corpus/train.$target" --type bpe \
    --vocab-size 2000 --output "$output/tokenizer.model"
fi

# The median of target tokens per second in a run's record.
speed() {
  python3 - "$1/progress.jsonl" <<'P'
import json, statistics, sys
entries = [json.loads(line) for line in open(sys.argv[1])]
print(round(statistics.median(e["tokens_per_second"] for e in entries if "tokens_per_second" in e)))
P
}

echo "| encoding | seed | parameters | BLEU | tokens/s |"
echo "|---|---|---|---|---|"
for position in "$@"; do
  for seed in $seeds; do
    run=$output/$(tr -c 'a-z0-9\n' '-' <<<"$position")-$seed
    if [[ ! -e $run/bleu.json ]]; then
      # shellcheck disable=SC2086 # OPTIONS are several words
      "$dietmt" train --preset tiny --position "${position%%/*}" \
        --decoder-position "${position#*/}" --seed "$seed" --threads "${THREADS:-2}" \
        --tokenizer "$output/tokenizer.model" \
        --train-source "$corpus/train.$source" --train-target "$corpus/train.$target" \
        --valid-source "$corpus/valid.$source" --valid-target "$corpus/valid.$target" \
        --output "$run" --batch-tokens 2048 --max-updates "$updates" \
        --learning-rate 3e-3 --warmup $((updates * 3 / 8)) --dropout 0.1 --clip-norm 1 \
        --valid-interval "$updates" --valid-metric valid_loss --no-valid-translation \
        --keep-last 1 --keep-best 1 ${OPTIONS:-}
      "$dietmt" translate --model "$run/last" --input "$corpus/test.$source" \
        --output "$run/test.$target" --threads "${THREADS:-2}"
      "$dietmt" evaluate --reference "$corpus/test.$target" --hypothesis "$run/test.$target" \
        --metric bleu --json >"$run/bleu.json"
    fi
    bleu=$(python3 -c 'import json,sys; print("%.2f" % json.load(open(sys.argv[1]))[0]["score"])' \
      "$run/bleu.json")
    parameters=$("$dietmt" inspect params --model "$run" | awk '$1 == "total" { print $2 }')
    echo "| \`$position\` | $seed | $parameters | $bleu | $(speed "$run") |"
  done
done
