#!/usr/bin/env bash
# dietmt train in several processes: processes_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"
unset RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE MASTER_ADDR MASTER_PORT

toy_training 600 20
run=("${toy_train[@]}" --batch-tokens 200 --dropout 0.1 --ema-decay 0.9 --accumulate 4
  --valid-interval 10 --save-interval 5 --log-interval 5 --keep-last 9)

# start_ranks COUNT OPTION...: starts the processes one by one, with their pids in $ranks and their
# stderr in $work/rank0 ... Options may refer to the rank as @.
start_ranks() {
  local count=$1 port rank
  shift
  port=$(free_port)
  ranks=()
  rm -f "$work"/rank*
  for ((rank = 0; rank < count; ++rank)); do
    RANK=$rank WORLD_SIZE=$count LOCAL_RANK=$rank MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
      "${run[@]}" "${@//@/$rank}" 2>"$work/rank$rank" &
    ranks+=($!)
  done
}

# expect_end CODE RANK: that process ends with this code.
expect_end() {
  local code=0
  wait "${ranks[$2]}" || code=$?
  [ "$code" -eq "$1" ] || fail "rank $2 ended with $code instead of $1: $(cat "$work/rank$2")"
}

# wait_for TEXT FILE
wait_for() {
  for _ in $(seq 3000); do
    grep -q "$1" "$2" 2>/dev/null && return
    sleep 0.05
  done
  fail "'$1' does not come in $2: $(cat "$2")"
}

errors_in() { cat "$@" | grep -cE '(^| )error: '; }

# expect_same FOLDER TOLERANCE [ONE]: losses, validations and weights equal those of one process.
expect_same() {
  python3 - "${3:-$work/one}" "$1" "$2" <<'P' || fail "$1 differs from one process"
import array, json, struct, sys
one, other, tolerance = sys.argv[1], sys.argv[2], float(sys.argv[3])
def curve(folder):
    lines = [json.loads(line) for line in open(folder + "/progress.jsonl")]
    names = "loss", "gradient_norm", "valid_loss", "epoch"
    return [((line["kind"], line["update"], name), line[name]) for line in lines
            for name in names if name in line]
def tensors(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    for name, entry in sorted(header.items()):
        begin, end = entry["data_offsets"]
        for value in array.array("f", data[8 + size + begin:8 + size + end]):
            yield name, value
def compare(a, b, what):
    a, b = list(a), list(b)
    assert [x for x, _ in a] == [x for x, _ in b], what + ": other entries"
    for (name, x), (_, y) in zip(a, b):
        assert abs(x - y) <= tolerance * max(1, abs(x)), f"{what} {name}: {x} and {y}"
compare(curve(one), curve(other), "progress")
for name in "model", "training":
    file = f"/last/{name}.safetensors"
    compare(tensors(one + file), tensors(other + file), file)
P
}

# The curve, the weights, their average and the optimiser's state equal those of one process.
expect_code 0 "${run[@]}" --output "$work/one" --max-updates 30
expect_code 0 "${run[@]}" --output "$work/two" --max-updates 30 --processes 2
expect_text "2 processes" "$err"
[ "$(grep -c 'validation at update 30' "$work/err")" -eq 1 ] || fail "not one log: $err"
expect_same "$work/two" 1e-4

# Likewise with recomputed activations.
expect_code 0 "${run[@]}" --output "$work/again" --max-updates 30 --processes 2 \
  --checkpoint-activations
expect_same "$work/again" 1e-4

# Resumed with a different number of processes each time.
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 10 --processes 4
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 20
start_ranks 3 --output "$work/parts" --max-updates 30
for rank in 0 1 2; do expect_end 0 $rank; done
expect_text "resuming from update 20" "$(cat "$work/rank0")"
[ -s "$work/rank1" ] && fail "rank 1 has something to say: $(cat "$work/rank1")"
expect_same "$work/parts" 1e-4

# Also if each process reaches the directory by a different path.
mkdir -p "$work/near" "$work/else"
port=$(free_port) ranks=() paths=(near/../parts ../parts) folders=(. else)
for rank in 0 1; do
  (cd "$work/${folders[$rank]}" && RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank MASTER_ADDR=127.0.0.1 \
    MASTER_PORT=$port exec "${run[@]}" --output "${paths[$rank]}" --max-updates 35) \
    2>"$work/rank$rank" &
  ranks+=($!)
done
for rank in 0 1; do expect_end 0 $rank; done
expect_text "resuming from update 30" "$(cat "$work/rank0")"
expect_code 0 "${run[@]}" --output "$work/further" --max-updates 35
expect_same "$work/parts" 1e-4 "$work/further"

# A signal to the first process while the others wait for it.
for _ in $(seq 300); do cat "$work/train.en"; done >"$work/long.en"
for _ in $(seq 300); do cat "$work/train.de"; done >"$work/long.de"
start_ranks 2 --output "$work/encoding" --max-updates 100000 --train-source "$work/long.en" \
  --train-target "$work/long.de" --tokenizer "$work/one/last/tokenizer.model"
wait_for "encoding .*long" "$work/rank0"
kill -TERM "${ranks[0]}"
for rank in 0 1; do expect_end 75 $rank; done

# A process with other options than the first one names them.
start_ranks 2 --output "$work/differ" --max-updates 20 --patience @
for rank in 0 1; do expect_end 2 $rank; done
expect_text "1 of 2 processes were started with other options" "$(cat "$work/rank0")"
expect_text "--patience: was 0, is 1" "$(cat "$work/rank1")"

# A signal to any process stops all after one update.
start_ranks 2 --output "$work/signal" --max-updates 100000
wait_for "update 5/" "$work/rank0"
kill -TERM "${ranks[1]}"
for rank in 0 1; do expect_end 75 $rank; done
expect_text "stopped by a signal" "$(cat "$work/rank0")"
[ "$(errors_in "$work"/rank[01])" -eq 0 ] || fail "errors: $(cat "$work"/rank[01])"
saved=$(sed -n 's/.*"update": *\([0-9]*\).*/\1/p' "$work/signal/last/training.json" | head -n 1)
# A lost process ends the other one with one sentence, and the same command continues.
for lost in 1 0; do
  start_ranks 2 --output "$work/signal" --max-updates 100000
  wait_for "update [0-9]*5/" "$work/rank0"
  kill -KILL "${ranks[$lost]}"
  expect_end 137 $lost 2>/dev/null  # the shell says "Killed"
  expect_end 75 $((1 - lost))
  [ "$(errors_in "$work/rank$((1 - lost))")" -eq 1 ] || fail "not one: $(cat "$work/rank$((1 - lost))")"
  expect_text "another process of this training has ended" "$(cat "$work/rank$((1 - lost))")"
done
expect_text "resuming from update" "$(cat "$work/rank0")"
[ "$(sed -n 's/.*resuming from update \([0-9]*\).*/\1/p' "$work/rank0")" -ge "$saved" ] ||
  fail "the checkpoint of the signal is lost"

# Likewise if dietmt has started them: signals are forwarded, and a lost process is named.
start_here() {
  rm -f "$work/here"
  "${run[@]}" --output "$work/signal" --max-updates 100000 --processes 2 2>"$work/here" &
  launcher=$!
  wait_for "update [0-9]*5/" "$work/here"
}
start_here
kill -TERM $launcher
ranks=($launcher) && cp "$work/here" "$work/rank0" && expect_end 75 0
expect_text "stopped by a signal" "$(cat "$work/here")"
start_here
read -r _ victim _ <"/proc/$launcher/task/$launcher/children"
kill -KILL "$victim"
ranks=($launcher) && expect_end 75 0
[ "$(errors_in "$work/here")" -eq 1 ] || fail "not one sentence: $(cat "$work/here")"
expect_text "the process of rank 1 was killed by signal 9" "$(cat "$work/here")"
# Also if the other process has ended by the time it looks.
start_here
read -r other victim _ <"/proc/$launcher/task/$launcher/children"
kill -STOP $launcher
kill -KILL "$victim"
for _ in $(seq 600); do grep -q '^State:.*Z' "/proc/$other/status" && break; sleep 0.1; done
kill -CONT $launcher
ranks=($launcher) && expect_end 75 0
expect_text "the process of rank 1 was killed by signal 9" "$(cat "$work/here")"
expect_code 0 "${run[@]}" --output "$work/signal" --max-updates 1 --processes 2

# Also for pre-training.
pretrain=("$dietmt" bert pretrain --train "$work/train.en" --valid "$work/valid.en" --vocab-size 70
  --documents every-line --preset tiny --width 32 --feed-forward 64 --length 16 --batch-tokens 200
  --warmup 5 --schedule constant --threads 1 --accumulate 2 --max-updates 6 --valid-interval 6
  --log-interval 2)
expect_code 0 "${pretrain[@]}" --output "$work/bert1"
expect_code 0 "${pretrain[@]}" --output "$work/bert2" --processes 2
expect_same "$work/bert2" 1e-4 "$work/bert1"

# Problems are reported once, before anything is trained.
expect_code 2 "${run[@]}" --output "$work/bad" --processes 5
expect_text "--accumulate 4 gives fewer batches than the 5 processes need" "$err"
expect_code 2 env RANK=0 "${run[@]}" --output "$work/bad"
expect_text "WORLD_SIZE is not set, but RANK is" "$err"
expect_code 2 env RANK=2 WORLD_SIZE=2 "${run[@]}" --output "$work/bad"
expect_text "RANK is 2, but WORLD_SIZE is 2" "$err"
expect_code 2 env RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 "${run[@]}" --output "$work/bad"
expect_text "MASTER_PORT is not set" "$err"
expect_code 2 env SLURM_PROCID=0 SLURM_NTASKS=2 "${run[@]}" --output "$work/bad"
expect_text "MASTER_ADDR is not set, but SLURM_NTASKS is" "$err"
expect_code 2 env RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=1 \
  "${run[@]}" --output "$work/bad" --processes 2
expect_text "--processes starts processes" "$err"
for option in --dry-run --find-batch; do
  expect_code 2 env RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=1 \
    "${run[@]}" --output "$work/bad" $option
  expect_text "train $option trains in one process" "$err"
done
expect_code 2 "${run[@]}" --output "$work/two" --max-updates 40 --processes 2 --label-smoothing 0.2
expect_text "--label-smoothing: was 0.1, is 0.2" "$err"
[ "$(errors_in "$work/err")" -eq 1 ] || fail "said more than once: $err"
printf 'a\377b\n' >"$work/bad.en"
printf 'a b\n' >"$work/bad.de"
expect_code 1 "${run[@]//\/valid./\/bad.}" --output "$work/bad" --processes 2 --max-updates 1
expect_text "bad.en:1" "$err"
[ "$(errors_in "$work/err")" -eq 1 ] || fail "said more than once: $err"
start_ranks 2 --output "$work/own@" --max-updates 1
for rank in 0 1; do expect_end 1 $rank; done
expect_text "1 of 2 processes do not see" "$(cat "$work"/rank[01])"
# Problems that the command itself can see are reported once.
expect_code 2 "${run[@]}" --output "$work/never" --processes 2 --config <(echo "dropout = 0.2")
expect_text "is not a regular file, and several processes must read it" "$err"
expect_code 2 "${run[@]/%valid.en/absent.en}" --output "$work/never" --processes 2
[ "$(errors_in "$work/err")" -eq 1 ] || fail "not one sentence: $err"
expect_text "--valid-source: $work/absent.en does not exist" "$err"
mkfifo "$work/pipe.en"
expect_code 2 "${run[@]/%valid.en/pipe.en}" --output "$work/never" --processes 2
expect_text "$work/pipe.en is not a regular file" "$err"

finish
