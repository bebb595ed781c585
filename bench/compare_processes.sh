#!/usr/bin/env bash
# Two processes of one thread each and one process of two threads, on the same batches,
# alternating:
#   bench/compare_processes.sh TRAIN_SOURCE TRAIN_TARGET VALID_SOURCE VALID_TARGET TOKENIZER \
#     [PRESET] [ROUNDS] [UPDATES]
# Prints the target tokens per second of each round, the ratio of their medians, and the largest
# difference of the losses. The first third of the updates is left out.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
dietmt=${DIETMT:-$root/build/bin/dietmt}
data=(--train-source "$1" --train-target "$2" --valid-source "$3" --valid-target "$4" --tokenizer "$5")
preset=${6:-tiny} rounds=${7:-3} updates=${8:-12}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

train() {
  local folder=$1
  shift
  rm -rf "$folder/checkpoints" "$folder/progress.jsonl"
  "$dietmt" train "${data[@]}" --preset "$preset" --batch-tokens 4096 --accumulate 2 \
    --no-valid-translation --valid-interval 1000000 --log-interval 1 --max-updates "$updates" \
    --output "$folder" "$@" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
}

for ((round = 0; round < rounds; ++round)); do
  train "$work/one" --threads 2
  cp "$work/one/progress.jsonl" "$work/one.$round"
  train "$work/two" --threads 1 --processes 2
  cp "$work/two/progress.jsonl" "$work/two.$round"
done
python3 - "$work" "$rounds" <<'P'
import json, statistics, sys
work, rounds = sys.argv[1], int(sys.argv[2])
speeds, losses = {}, {}
for name in "one", "two":
    for round in range(rounds):
        lines = [json.loads(line) for line in open(f"{work}/{name}.{round}")]
        lines = [line for line in lines if line["kind"] == "train"]
        losses[name] = [line["loss"] for line in lines]
        late = [line["tokens_per_second"] for line in lines[len(lines) // 3:]]
        # Updates have about the same number of tokens: the harmonic mean is tokens over time.
        speeds.setdefault(name, []).append(statistics.harmonic_mean(late))
        print(f"{name}: {speeds[name][-1]:.0f} tokens/s")
ratio = statistics.median(speeds["two"]) / statistics.median(speeds["one"])
difference = max(abs(a - b) for a, b in zip(losses["one"], losses["two"]))
print(f"ratio of medians, two processes / one: {ratio:.2f}")
print(f"largest difference of the losses: {difference:.1e}")
P
