#!/usr/bin/env bash
# Memory of decoding with 256,000 pieces: large_vocabulary_test.sh BINARY RANDOM_MODEL
# RANDOM_MODEL: bench/random_model.py
dietmt=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
python3 "$2" "$work/model" --width 64 --feed-forward 64 --heads 2 --layers 1 \
  --lines "$work/lines" --count 24 || fail "no model"
: >"$work/nothing"

# peak FILE: the peak memory of translating it, in MB.
peak() {
  python3 - "$1" "$dietmt" translate --model "$work/model" --workers 1 --threads 1 --guard off \
    --max-length-factor 0 --max-length-offset 10 <<'PYTHON'
import resource, subprocess, sys
with open(sys.argv[1]) as lines:
    subprocess.run(sys.argv[2:], check=True, stdin=lines, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 // 10**6)
PYTHON
}
# The logits of all 96 hypotheses would be 98 MB.
before=$(peak "$work/nothing")
used=$(($(peak "$work/lines") - before))
echo "$before MB with the model, $used more for a batch"
[ "$used" -le 55 ] || fail "a batch takes $used MB"
finish
