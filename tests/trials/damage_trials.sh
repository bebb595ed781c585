#!/usr/bin/env bash
# Damaged files, signals, endless lines, and runs continued in other ways:
# damage_trials.sh BUILD WORK
build=$1
work=$2
dietmt=$build/bin/dietmt
. "$(dirname "$0")/../cli/lib.sh"
. "$(dirname "$0")/lib.sh"

# attempt POINT WHAT CODE TEXT COMMAND...: passes if the command ends with this code and its
# messages contain the text.
attempt() {
  local point=$1 what=$2 expected=$3 text=$4 code=0 result=fail
  shift 4
  "$@" >"$work/out" 2>"$work/err" || code=$?
  [ $code -eq "$expected" ] && [[ $(<"$work/err") == *"$text"* ]] && result=pass
  trial "$point" "$what" $result "exit $code: $(grep -v ' info: ' "$work/err" | tail -3)"
}

# flip FILE OFFSET COUNT: inverts bytes; a negative offset counts from the end.
flip() {
  python3 -c 'import sys
path, offset, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
data = bytearray(open(path, "rb").read())
offset %= len(data)
for i in range(offset, offset + count): data[i] ^= 0xff
open(path, "wb").write(data)' "$@"
}

fresh() { rm -rf "$work/copy" && cp -r "$work/model" "$work/copy"; }

toy_training 500 20
run=("${toy_train[@]}" --batch-tokens 500 --valid-interval 5)
"${run[@]}" --output "$work/model" --max-updates 10 2>"$work/err" ||
  { cat "$work/err" >&2; exit 1; }
cache=$(basename "$(ls -S "$work"/model/data/*.cache | head -1)")

for count in 1 400; do
  fresh
  flip "$work/copy/data/$cache" 5000 $count
  attempt 2 "$count inverted bytes in the ids of a corpus cache" 1 "block 0 " \
    "${run[@]}" --output "$work/copy" --max-updates 40
done
fresh
flip "$work/copy/data/$cache" -100 1
attempt 2 "an inverted byte after the ids: encoded again" 0 "the corpus cache is damaged" \
  "${run[@]}" --output "$work/copy" --max-updates 15
"$dietmt" quantize --model "$work/model" --output "$work/packed" 2>/dev/null
for model in model/best packed; do
  for file in model.safetensors tokenizer.model; do
    rm -rf "$work/copy" && cp -rL "$work/$model" "$work/copy"
    flip "$work/copy/$file" -300 1
    attempt 2 "an inverted byte in $model/$file" 1 "differs in checksum" \
      "$dietmt" translate --model "$work/copy" --input "$work/valid.en"
  done
done
rm "$work/copy/manifest.json"
cp "$work/packed/tokenizer.model" "$work/copy"
attempt 2 "a model directory without a manifest" 0 "" \
  "$dietmt" translate --model "$work/copy" --input "$work/valid.en"
fresh
for checkpoint in "$work"/copy/checkpoints/update-*; do
  flip "$checkpoint/model.safetensors" -300 1
done
attempt 2 "only damaged checkpoints" 1 "--resume never" \
  "${run[@]}" --output "$work/copy" --max-updates 15
attempt 2 "only damaged checkpoints, --resume never" 0 "" \
  "${run[@]}" --output "$work/copy" --max-updates 5 --resume never

for signal in TERM INT HUP; do
  env --default-signal "${run[@]}" --output "$work/$signal" --max-updates 100000 2>"$work/err" &
  pid=$!
  until [ -e "$work/$signal/last" ]; do sleep 0.05; done
  kill -$signal $pid
  wait $pid
  code=$?
  [ $code -eq 75 ] && result=pass || result=fail
  trial 3 "SIG$signal to train" $result "exit $code: $(tail -1 "$work/err")"
done
mkfifo "$work/pipe"
mkdir "$work/folder"
for signal in TERM INT HUP KILL; do
  env --default-signal "$dietmt" translate --model "$work/model" --flush --input "$work/pipe" \
    --output "$work/folder/text" 2>/dev/null &
  pid=$!
  exec 9>"$work/pipe"
  until ls -l /proc/$pid/fd | grep -q "$work/folder"; do sleep 0.05; done
  kill -$signal $pid
  wait $pid 2>/dev/null
  exec 9>&-
  left=$(ls "$work/folder")
  [ -z "$left" ] && result=pass || result=fail
  trial 3 "SIG$signal to translate --output" $result "left: ${left:-nothing}"
done
{ echo dog; head -c 100000000 /dev/zero | tr '\0' a; echo; echo dog; } >"$work/long"
long=(--input "$work/long" --output "$work/long.out")
begin=$SECONDS
/usr/bin/env python3 - "$dietmt" translate --model "$work/model" --max-source-length 20 "${long[@]}" \
  >"$work/memory" 2>"$work/err" <<'PYTHON'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PYTHON
read -r code memory <"$work/memory"
took=$((SECONDS - begin))
{ [ "$code" -eq 0 ] && [ "$memory" -lt 1000 ] && [ $took -lt 60 ]; } && result=pass || result=fail
trial 3 "translate: a line of 100 MB" $result "exit $code, $memory MB, $took s: $(tail -1 "$work/err")"

attempt 6 "another interval without being asked for" 2 "--resume-changed valid-interval" \
  "${toy_train[@]}" --batch-tokens 500 --valid-interval 4 --output "$work/model" --max-updates 14
attempt 6 "--resume-changed valid-interval" 0 "validation at update 12" \
  "${toy_train[@]}" --batch-tokens 500 --valid-interval 4 --output "$work/model" --max-updates 14 \
  --resume-changed valid-interval
attempt 6 "--resume-changed width" 2 "--resume-changed is 'width'" \
  "${run[@]}" --output "$work/model" --resume-changed width
attempt 6 "--max-time" 75 "stopped by --max-time" \
  "${run[@]}" --output "$work/timed" --max-updates 10000 --max-time 0.001
attempt 6 "--quiet and --log-file" 0 "" "${run[@]}" --output "$work/quiet" --max-updates 5 --quiet \
  --log-file "$work/log"
[ -s "$work/err" ] || ! grep -q "validation at update 5" "$work/log" && result=fail || result=pass
trial 6 "stderr empty, log file full" $result "$(wc -c <"$work/err") and $(wc -c <"$work/log") bytes"
