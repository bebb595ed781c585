#!/usr/bin/env bash
# Training killed with SIGKILL at ten random moments and resumed ends with the same weights, bit for
# bit, as an undisturbed run: kill_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

toy_training 2000 40
run=("${toy_train[@]}" --batch-tokens 1500 --dropout 0.1 --valid-interval 20 --save-interval 4
  --max-updates 400 --log-interval 10)
begin=$(date +%s%N)
expect_code 0 "${run[@]}" --output "$work/whole"
longest=$((($(date +%s%N) - begin) / 6000000))  # milliseconds, so that ten kills come before the end

RANDOM=7
kills=0
for _ in $(seq 200); do
  "${run[@]}" --output "$work/killed" 2>"$work/err" &
  pid=$!
  delay=$((RANDOM % longest))
  sleep "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))"
  if kill -KILL $pid 2>/dev/null; then kills=$((kills + 1)); fi
  wait $pid 2>/dev/null
  [ $kills -lt 10 ] || break
done
[ $kills -ge 10 ] || fail "the training ended before ten kills"
expect_code 0 "${run[@]}" --output "$work/killed"
for file in model.safetensors training.safetensors; do
  cmp "$work/whole/last/$file" "$work/killed/last/$file" || fail "$file differs after $kills kills"
done
left=$(find "$work/killed" -name '*.dietmt-tmp*' -o -name '*.removed')
[ -z "$left" ] || fail "temporary files are left: $left"
finish
