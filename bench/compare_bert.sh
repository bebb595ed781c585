#!/usr/bin/env bash
# Pre-training speed of dietmt beside Hugging Face's Trainer, on the same batches, alternating:
#   bench/compare_bert.sh PYTHON TOKENIZER PRESET ROUNDS UPDATES TEXT...
# PYTHON has torch, transformers and accelerate. Further options of bert_speed come from OPTIONS.
# Prints each round and the ratio of the medians of tokens per second.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
speed=${BERT_SPEED:-$root/build/bin/bert_speed}
python=$1 tokenizer=$2 preset=$3 rounds=$4 updates=$5
shift 5
batches=$(mktemp)
results=$(mktemp)
trap 'rm -f "$batches" "$results"' EXIT
for ((round = 0; round < rounds; ++round)); do
  # shellcheck disable=SC2086 # OPTIONS are several words
  sizes=$("$speed" --train "$@" --tokenizer "$tokenizer" --preset "$preset" --updates "$updates" \
    --write-batches "$batches" ${OPTIONS:-})
  echo "dietmt       $sizes" | tee -a "$results"
  "$python" "$root/bench/huggingface_trainer.py" --batches "$batches" --model "$sizes" |
    sed 's/^/transformers /' | tee -a "$results"
done
"$python" - "$results" <<'P'
import json, statistics, sys
speeds = {}
for line in open(sys.argv[1]):
    name, text = line.split(None, 1)
    speeds.setdefault(name, []).append(json.loads(text)["tokens_per_second"])
ratio = statistics.median(speeds["dietmt"]) / statistics.median(speeds["transformers"])
print(f"ratio of medians, dietmt / transformers: {ratio:.2f}")
P
