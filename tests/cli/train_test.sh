#!/usr/bin/env bash
# dietmt train from the command line: train_test.sh BINARY OUTPUT
# Leaves trained models in OUTPUT for the tests of translate, score and average.
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

toy_corpus 2000 1 "$work/train"
toy_corpus 40 2 "$work/valid"
gzip -k "$work/train.en" "$work/train.de"

data=(--train-source "$work/train.en.gz" --train-target "$work/train.de.gz"
  --valid-source "$work/valid.en" --valid-target "$work/valid.de")
# Flags on the command line override the configuration file.
cat >"$work/sizes.cfg" <<'CFG'
vocab-size = 90
encoder-layers = 1
decoder-layers = 1
width = 32
feed-forward = 32
heads = 2
dropout = 0.1
batch-tokens = 500
learning-rate = 0.01
warmup = 20
threads = 1
log-interval = 10
CFG
sizes=(--config "$work/sizes.cfg")
train=("$dietmt" train "${data[@]}" "${sizes[@]}")

# A first run, with everything it writes.
expect_code 0 "${train[@]}" --output "$work/model" --max-updates 60 --valid-interval 30
for file in best/config.json best/model.safetensors best/tokenizer.model last/training.json \
  progress.jsonl progress.csv report.html; do
  [ -s "$work/model/$file" ] || fail "$file is missing"
done
[ -z "$out" ] || fail "train wrote to stdout: $out"
expect_text "validation at update 60" "$err"
grep -q '"bleu"' "$work/model/progress.jsonl" || fail "no BLEU in progress.jsonl"

# train_on TARGET VALID_TARGET OPTION...: trains on other targets.
train_on() {
  "$dietmt" train --train-source "$work/train.en" --train-target "$1" \
    --valid-source "$work/valid.en" --valid-target "$2" "${sizes[@]}" "${@:3}"
}

# Unequal line counts are reported before a tokenizer is trained, whichever text they are in.
head -n 39 "$work/valid.de" >"$work/fewer.de"
for targets in "$work/fewer.de $work/valid.de" "$work/train.de $work/fewer.de"; do
  # shellcheck disable=SC2086
  expect_code 1 train_on $targets --output "$work/unequal" --max-updates 1
  expect_text "this line has no counterpart" "$err"
  case $err in *"training the tokenizer"*) fail "a tokenizer is trained on unequal text" ;; esac
done

# Lines that are not UTF-8: refused, replaced, or skipped on both sides, in validation text too; a
# run keeps its choice.
sed '2s/.*/M\xfcnchen/;5s/.*/\xfc/' "$work/valid.de" >"$work/latin1"
sed '7s/$/ \xff/' "$work/train.de" >"$work/odd"
odd=(train_on "$work/odd" "$work/latin1" --output "$work/utf8" --valid-interval 2)
expect_code 1 "${odd[@]}" --max-updates 2
expect_text "$work/latin1:2: not UTF-8 at byte 2; convert the file" "$err"
expect_code 0 "${odd[@]}" --max-updates 2 --invalid-utf8 skip
expect_text "$work/odd: 1 line is not UTF-8, left out: line 7" "$err"
expect_text "$work/latin1: 2 lines are not UTF-8, left out: lines 2, 5" "$err"
expect_text "training text: kept 1999 of 2000 pairs (dropped 1 not UTF-8)" "$err"
grep -q '"bleu"' "$work/utf8/progress.jsonl" || fail "no BLEU of validation text with skipped lines"
expect_code 2 "${odd[@]}" --max-updates 4 --invalid-utf8 replace
expect_text "--invalid-utf8: was skip, is replace" "$err"
expect_code 0 "${odd[@]}" --max-updates 2 --invalid-utf8 replace --resume never
expect_text "$work/odd: 1 line is not UTF-8, with U+FFFD in place of ill-formed bytes: line 7" "$err"
expect_text "training text: kept 2000 of 2000 pairs" "$err"
sed '3s/$/ \x00/' "$work/train.de" >"$work/nul"
expect_code 1 train_on "$work/nul" "$work/valid.de" --output "$work/nul.run" --max-updates 2
expect_text "$work/nul:3: has a NUL at byte" "$err"

# An interrupted and resumed run gives the same weights, bit for bit, as an uninterrupted one.
run=("${train[@]}" --valid-interval 20 --save-interval 10 --keep-last 2 --no-valid-translation
  --ema-decay 0.9)
expect_code 0 "${run[@]}" --output "$work/whole" --max-updates 50
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 20
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 50
expect_text "resuming from update 20" "$err"
for file in model.safetensors training.safetensors; do
  cmp "$work/whole/last/$file" "$work/parts/last/$file" || fail "$file differs after resuming"
done
expect_code 0 "${run[@]}" --output "$work/again" --max-updates 50
cmp "$work/whole/last/model.safetensors" "$work/again/last/model.safetensors" ||
  fail "the same command gives other weights"

# A changed setting is refused with the list of differences; --resume never starts anew.
expect_code 2 "${run[@]}" --output "$work/parts" --max-updates 60 --dropout 0.2
expect_text "--dropout: was 0.1, is 0.2" "$err"
expect_code 0 "${run[@]}" --output "$work/parts" --max-updates 10 --dropout 0.2 --resume never

# --dry-run and --profile: cost and time of a run, which they do not change.
expect_code 0 "${run[@]}" --output "$work/whole" --max-updates 50 --dry-run
for name in parameters memory batches updates time; do
  grep -Eq "^$name +[0-9]" "$work/out" || fail "$name is not in: $out"
done
expect_text ", 50 in " "$out"
expect_code 0 "${run[@]}" --output "$work/whole" --max-updates 50 --dry-run --max-epochs 1 \
  --accumulate 4 --processes 2 --resume never
expect_text " in 1." "$out"
expect_text "MB a process" "$out"
expect_code 2 "${run[@]}" --output "$work/whole" --max-updates 50 --dry-run --width 64
expect_text "--width: was 32, is 64" "$err"
expect_code 2 "${run[@]}" --output "$work/linear" --schedule linear --max-epochs 2
expect_text "--schedule linear ends at --max-updates: give it, too, with --max-epochs" "$err"
expect_code 0 "${run[@]}" --output "$work/batch" --find-batch
grep -Eqx -- '--batch-tokens [1-9][0-9]+' "$work/out" || fail "no batch was found: $out $err"
expect_code 0 "${run[@]}" --output "$work/short" --max-updates 8 --profile
expect_text "no trace: the run ended before update 11" "$err"
expect_code 0 "${run[@]}" --output "$work/short" --max-updates 8
expect_text "training is already complete: update 8" "$err"
expect_code 0 "${run[@]}" --output "$work/traced" --max-updates 50 --profile
cmp "$work/whole/last/model.safetensors" "$work/traced/last/model.safetensors" ||
  fail "--profile gives other weights"
expect_code 0 "${run[@]}" --output "$work/recomputed" --max-updates 20 --checkpoint-activations
python3 - "$work/traced/trace.json" <<'PYTHON' || fail "the trace is not one of ten updates"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
steps = sum(event.get("name") == "aten::_fused_adam_" for event in events)
assert steps > 0 and steps % 10 == 0
assert any("FusedAttention" in event.get("name", "") for event in events)
PYTHON

# A tokenizer left by an earlier attempt is ignored; a resumed run keeps its own.
expect_code 0 "${run[@]}" --output "$work/pieces" --vocab-size 70 --dry-run
expect_text "70 pieces" "$err"
expect_code 0 "${run[@]}" --output "$work/pieces" --max-updates 10
expect_text "90 pieces" "$err"
expect_code 0 "${run[@]}" --output "$work/pieces" --vocab-size 70 --dry-run --resume never
expect_text "70 pieces" "$err"
expect_code 0 "${run[@]}" --output "$work/pieces" --max-updates 20
expect_text "90 pieces" "$err"
expect_text "resuming from update 10" "$err"

# A score belongs to the checkpoint of the update that was validated.
expect_code 0 "${train[@]}" --output "$work/scores" --max-updates 45 --valid-interval 20 \
  --save-interval 15 --keep-last 9 --no-valid-translation
for update in 15 20 30 40 45; do
  record=$work/scores/checkpoints/update-000000$update/checkpoint.json
  grep -q '"valid_loss": [0-9]' "$record" && has=yes || has=no
  case $update in 20 | 40 | 45) want=yes ;; *) want=no ;; esac  # the last update is validated too
  [ $has = $want ] || fail "score in $record: $has instead of $want"
done

# stop_at TEXT PROCESS: SIGTERM as soon as its log has the text; it must end with 75.
stop_at() {
  local code=0
  for _ in $(seq 3000); do
    grep -q "$1" "$work/err" && break
    sleep 0.1
  done
  kill -TERM "$2"
  wait "$2" || code=$?
  [ $code -eq 75 ] || fail "exit code $code instead of 75 after SIGTERM: $(cat "$work/err")"
}

# A signal saves and exits with 75; the same command continues.
: >"$work/err"  # or stop_at would read the last one
"${run[@]}" --output "$work/signal" --max-updates 100000 2>"$work/err" &
stop_at "update 10/" $!
saved=$(sed -n 's/.*"update": *\([0-9]*\).*/\1/p' "$work/signal/last/training.json" | head -n 1)
[ "${saved:-0}" -ge 10 ] || fail "no checkpoint after SIGTERM"
expect_code 0 "${run[@]}" --output "$work/signal" --max-updates $((saved + 1))
expect_text "resuming from update $saved" "$err"

# A signal while the text is encoded; text from a pipe needs a tokenizer.
mkfifo "$work/pipe.en" "$work/pipe.de"
writers=()
trap 'kill "${writers[@]}" 2>/dev/null' EXIT  # they wait for a reader that may have failed
for language in en de; do
  (while cat "$work/train.$language"; do sleep 0.1; done) >"$work/pipe.$language" 2>/dev/null &
  writers+=($!)
done
piped=(--train-source "$work/pipe.en" --train-target "$work/pipe.de" "${data[@]:4}" "${sizes[@]}")
: >"$work/err"
"$dietmt" train "${piped[@]}" --tokenizer "$work/model/best/tokenizer.model" \
  --output "$work/piped" --max-updates 10 2>"$work/err" &
stop_at "encoding $work/pipe" $!
expect_text "stopped by a signal" "$(cat "$work/err")"
expect_code 2 "$dietmt" train "${piped[@]}" --output "$work/piped" --max-updates 10
expect_text "pipe.en can be read only once, but the tokenizer is trained on it first" "$err"
expect_code 2 "$dietmt" train "${data[@]:0:4}" --valid-source - "${data[@]:6}" "${sizes[@]}" \
  --output "$work/piped" --max-updates 10
expect_text "- can be read only once, but validation reads it twice" "$err"

# A run does not continue with another text, whatever its name; with the same text it does, under
# any name.
cp "$work/valid.en" "$work/other.en"
cp -r "$work/parts" "$work/moved"
rest=("${run[@]:10}" --output "$work/moved" --dropout 0.2)
other_valid=("$dietmt" train "${data[@]:0:4}" --valid-source "$work/other.en" "${data[@]:6}"
  "${rest[@]}")
expect_code 0 "${other_valid[@]}" --max-updates 11 --keep-best 2
expect_text "resuming from update 10" "$err"
tac "$work/valid.en" >"$work/other.en"
expect_code 2 "${other_valid[@]}" --max-updates 12
expect_text "the validation text differs from the text of the checkpoint" "$err"
gzip -cd "$work/train.en.gz" | tac | gzip >"$work/turned.en.gz"
expect_code 2 "$dietmt" train --train-source "$work/turned.en.gz" "${data[@]:2}" "${rest[@]}" \
  --max-updates 12
expect_text "the training text differs from the text of the checkpoint" "$err"

# Divergence stops with a sentence and leaves the checkpoint.
expect_code 1 "${train[@]}" --output "$work/nan" --max-updates 200 --valid-interval 5 \
  --no-valid-translation --learning-rate 1000 --clip-norm 0 --warmup 10
expect_text "earlier checkpoints are intact" "$err"

# Wrong options: exit code 2 and all problems at once.
expect_code 2 "${train[@]}" --output "$work/bad" --dropout 1.5 --heads 3 --schedule steps
expect_text "--dropout" "$err"
expect_text "--heads 3" "$err"
expect_text "steps" "$err"
mkdir -p "$work/a_model"
touch "$work/a_model/model.safetensors"
expect_code 2 "${train[@]}" --output "$work/a_model"
expect_text "a_model is a model, which commands would read instead of what is trained" "$err"
expect_code 2 "${train[@]}" --output "$work/whole" --init-from "$work/whole" --resume never
expect_text "--resume never removes the checkpoints of --output, and --init-from is one" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --no-valid-translation --valid-metric bleu
expect_text "--valid-metric is 'bleu'; possible: valid_loss" "$err"
expect_code 2 "$dietmt" train "${data[@]:0:4}" --valid-source "$work/none" "${data[@]:6}" \
  --output "$work/bad" --valid-beam 0 --learning-rate 0 --valid-tokenize x \
  --attention-backend x --max-ratio=-1
for problem in "--valid-source: $work/none does not exist" "--valid-beam is 0; it must be from 1 to 1000" \
  "--learning-rate is 0; it must be from 1e-12 to 1000" "--valid-tokenize is 'x'" "--attention-backend is 'x'" \
  "--max-ratio is -1; it must be from 0 to 1000000000"; do
  expect_text "$problem" "$err"
done
expect_code 2 "${train[@]}" --output "$work/bad" --attention-backend hopper
expect_text "--attention-backend hopper needs --device cuda" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --position learned --max-positions 64
expect_text "use at most 63, or --max-positions 251 or more" "$err"
expect_code 2 "$dietmt" train --no-such-option
expect_text "no-such-option" "$err"
expect_code 2 "${train[@]}" --output "$work/bad" --position 'heads[diet-rel:0]'
expect_text "head 1" "$err"
expect_code 2 "$dietmt" train "${data[@]}" --output "$work/bad" --tied-embeddings all --separate-tokenizers
expect_text "joint tokenizer" "$err"

# Options that others make useless are named, and have no effect.
expect_code 0 "${train[@]}" --output "$work/unused" --dry-run --schedule constant --min-lr 1e-5 \
  --warmup 0 --warmup-init-lr 1e-5 --optimizer adafactor --adam-beta2 0.9 --gradient-type bf16 \
  --corpus-weights 3 --no-valid-translation --valid-beam 3
for text in "--min-lr has no effect with --schedule constant" \
  "--warmup-init-lr has no effect with --warmup 0" "--adam-beta2 has no effect with --optimizer" \
  "--gradient-type has no effect with one process" "--corpus-weights has no effect with one corpus" \
  "--valid-beam has no effect with --no-valid-translation"; do
  expect_text "$text" "$err"
done
expect_code 2 "${train[@]}" --output "$work/bad" --dry-run --find-batch
expect_text "--dry-run and --find-batch cannot be combined" "$err"
expect_code 0 "${train[@]}" --output "$work/slow" --dry-run --learning-rate 1e-8
expect_code 0 "${train[@]}" --output "$work/slow" --dry-run --schedule linear --max-epochs 1 \
  --max-updates 100000
expect_code 0 "${train[@]}" --output "$work/one" --schedule linear --warmup 0 --max-updates 1 \
  --log-interval 1
expect_text "lr 1.00e-02" "$err"

# Wrong data: exit code 1, file and line.
printf 'a\nb\377c\n' >"$work/bad.en"
printf 'a\nb\n' >"$work/bad.de"
expect_code 1 "$dietmt" train "${sizes[@]}" --train-source "$work/bad.en" --train-target "$work/bad.de" \
  --valid-source "$work/valid.en" --valid-target "$work/valid.de" --output "$work/bad" \
  --tokenizer "$work/model/best/tokenizer.model"
expect_text "bad.en:2" "$err"
expect_code 1 "$dietmt" train "${sizes[@]}" --train-source "$work/train.en" --train-target "$work/valid.de" \
  --valid-source "$work/valid.en" --valid-target "$work/valid.de" --output "$work/bad2" \
  --tokenizer "$work/model/best/tokenizer.model"
expect_text "valid.de" "$err"

# Configuration files: a printed one gives the same settings; help is complete.
expect_code 0 "${run[@]}" --output "$work/x" --dump-config
cp "$work/out" "$work/config"
expect_code 0 "$dietmt" train --config "$work/config" --dump-config
cmp "$work/out" "$work/config" || fail "--dump-config does not survive --config"
expect_code 0 "$dietmt" train --help
expect_text "--position SPEC" "$out"
finish
