#!/usr/bin/env bash
# Training speed of dietmt beside Hugging Face's Trainer, on the same batches, alternating:
#   bench/compare_bert.sh PYTHON ROUNDS --train TEXT... | --task NAME --data DIR  OPTION...
# PYTHON has torch, transformers and accelerate; the options are those of bench/bert_speed. Prints
# each round and the ratio of the medians of tokens per second.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
speed=${BERT_SPEED:-$root/build/bin/bert_speed}
python=$1 rounds=$2
shift 2
batches=$(mktemp)
results=$(mktemp)
trap 'rm -f "$batches" "$results"' EXIT
for ((round = 0; round < rounds; ++round)); do
  sizes=$("$speed" "$@" --write-batches "$batches")
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
