#!/usr/bin/env bash
# Signals: train saves and can resume; other commands leave no unfinished files.
# signals_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

# await COMMAND...: waits until the command succeeds, at most a minute.
await() {
  for _ in $(seq 1200); do
    "$@" && return
    sleep 0.05
  done
  fail "waited in vain: $*"
}

toy_training 500 20
run=("${toy_train[@]}" --batch-tokens 500 --valid-interval 1000 --log-interval 1
  --max-updates 100000)
runs() { grep -q "update [0-9]*/" "$1" 2>/dev/null; }

for signal in TERM HUP; do
  env --default-signal "${run[@]}" --output "$work/$signal" 2>"$work/$signal.err" &
  pid=$!
  await runs "$work/$signal.err"
  kill -$signal $pid
  wait $pid
  code=$?
  [ $code -eq 75 ] || fail "SIG$signal: exit code $code"
  expect_text "stopped by a signal at update" "$(cat "$work/$signal.err")"
  [ -s "$work/$signal/last/model.safetensors" ] || fail "SIG$signal: nothing was saved"
done

# nohup: training continues.
env --ignore-signal=HUP "${run[@]}" --output "$work/nohup" 2>"$work/nohup.err" &
pid=$!
await runs "$work/nohup.err"
kill -HUP $pid
updates=$(grep -c "update [0-9]*/" "$work/nohup.err")
goes_on() { [ "$(grep -c "update [0-9]*/" "$work/nohup.err")" -gt $((updates + 3)) ]; }
await goes_on
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 75 ] || fail "SIGTERM after an ignored SIGHUP: exit code $code"

# translate's unfinished output has no name, so it disappears after any signal.
mkfifo "$work/pipe"
mkdir "$work/out"
for signal in INT TERM HUP KILL; do
  env --default-signal "$dietmt" translate --model "$work/TERM/last" --flush \
    --input "$work/pipe" --output "$work/out/text" 2>"$work/$signal.out.err" &
  pid=$!
  exec 9>"$work/pipe"
  echo "red dog" >&9
  opened() { ls -l /proc/$pid/fd 2>/dev/null | grep -q "$work/out"; }
  await opened
  kill -$signal $pid
  code=0
  wait $pid 2>/dev/null || code=$?
  [ $code -eq $((128 + $(kill -l $signal))) ] || fail "SIG$signal: exit code $code"
  exec 9>&-
  left=$(ls "$work/out")
  [ -z "$left" ] || fail "SIG$signal left: $left"
done
expect_text "interrupted; $work/out/text was not written" "$(cat "$work/INT.out.err")"
finish
