#!/usr/bin/env bash
# Training speed of dietmt beside a plain padded PyTorch trainer, on the same batches, alternating:
#   bench/compare_trainers.sh PYTHON SOURCE TARGET TOKENIZER [PRESET] [ROUNDS] [UPDATES]
# PYTHON has torch. Prints each round and the ratio of the medians of target tokens per second.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
speed=${TRAINING_SPEED:-$root/build/bin/training_speed}
python=$1 source=$2 target=$3 tokenizer=$4
preset=${5:-tiny} rounds=${6:-3} updates=${7:-10}
batches=$(mktemp)
results=$(mktemp)
trap 'rm -f "$batches" "$results"' EXIT
for ((round = 0; round < rounds; ++round)); do
  "$speed" --source "$source" --target "$target" --tokenizer "$tokenizer" \
    --preset "$preset" --updates "$updates" --write-batches "$batches" | sed 's/^/dietmt  /' | tee -a "$results"
  vocabulary=$(tail -n 1 "$results" | sed 's/.*"vocabulary":\([0-9]*\).*/\1/')
  "$python" "$root/bench/pytorch_baseline.py" --batches "$batches" --vocab "$vocabulary" \
    --preset "$preset" --updates "$updates" | sed 's/^/pytorch /' | tee -a "$results"
done
"$python" - "$results" <<'P'
import json, statistics, sys
speeds = {}
for line in open(sys.argv[1]):
    name, text = line.split(None, 1)
    speeds.setdefault(name, []).append(json.loads(text)["target_tokens_per_second"])
ratio = statistics.median(speeds["dietmt"]) / statistics.median(speeds["pytorch"])
print(f"ratio of medians, dietmt / pytorch: {ratio:.2f}")
P
