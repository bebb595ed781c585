#!/usr/bin/env bash
# Rules for input: prefixes, compressed output, names with commas, text that is not UTF-8, unequal
# texts, scores in batches. input_trials.sh BUILD WORK
dietmt=$1/bin/dietmt
work=$2
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../cli/lib.sh"
cd "$work" || exit 1

# try WHAT CODE TEXT COMMAND...: passes if the command ends with CODE and prints TEXT.
try() {
  local what=$1 expected=$2 text=$3 code=0 seen result=fail
  shift 3
  seen=$("$@" 2>&1) || code=$?
  [ "$code" -eq "$expected" ] && [[ $seen == *"$text"* ]] && result=pass
  trial 4 "$what" $result "exit $code: $(tail -n 1 <<<"$seen" | cut -c 1-160)"
}

# train_on TARGET OPTION...: trains a small model.
train_on() {
  "$dietmt" train --train-source train.en --train-target "$1" --valid-source valid.en \
    --valid-target valid.de --vocab-size 90 --encoder-layers 1 --decoder-layers 1 --warmup 20 \
    --threads 1 --no-valid-translation "${@:2}"
}
narrow=(--width 64 --feed-forward 64 --heads 2)
toy_corpus 300 1 train
toy_corpus 20 2 valid
train_on train.de "${narrow[@]}" --output model --max-updates 40 2>train.log ||
  { echo "the toy model cannot be trained: $(tail -n 1 train.log)" >&2; exit 1; }
translate=("$dietmt" translate --model model --input valid.en)

sed 's/.*/rot/' valid.en >prefix
echo blau | cat prefix - >longer
head -n 9 prefix >shorter
try "prefix for each line" 0 rot "${translate[@]}" --prefix prefix
try "prefix with more lines" 1 "longer:21: this prefix has no line" "${translate[@]}" --prefix longer
try "prefix with fewer lines" 1 "shorter:9: the prefixes end here" "${translate[@]}" --prefix shorter

same_text() { gzip -dc "$1" | cmp - "$2" && echo same; }
packed() { "$@" && same_text "${@: -1}" plain; }
"${translate[@]}" >plain
try "translate to FILE.gz" 0 same packed "${translate[@]}" --output text.gz
"$dietmt" score --model model --threads 1 --source valid.en --target valid.de >plain
try "score to FILE.gz" 0 same packed "$dietmt" score --model model --threads 1 --source valid.en \
  --target valid.de --output scores.gz
"${translate[@]}" >plain
try "distill to FILE.gz" 0 same packed "$dietmt" distill --model model --source valid.en \
  --output-source kd.en.gz --output-target kd.de.gz
stop_and_go() {  # a distillation that is killed and continued
  local command=("$dietmt" distill --model model --source many.en --output-source many.src.gz
    --output-target many.trg.gz)
  for _ in $(seq 400); do cat valid.en; done >many.en
  "${command[@]}" 2>/dev/null &
  for _ in $(seq 200); do [ -s many.trg.gz.part ] && break; sleep 0.05; done
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
  "${command[@]}" && [ "$(zcat many.trg.gz | wc -l)" -eq 8000 ] && same_text many.src.gz many.en
}
try "distill to FILE.gz, killed and continued" 0 same stop_and_go

ln -s model 'a,b'
try "model in a directory with a comma" 0 "" "$dietmt" translate --model a,b --input valid.en
try "ensemble with such a directory" 0 "" "$dietmt" translate --model a,b --model model \
  --input valid.en
try "ensemble as a list" 0 "" "$dietmt" translate --model model,model --input valid.en
try "no such directory" 1 nowhere "$dietmt" translate --model nowhere,model --input valid.en

sed '7s/$/ \xff/' train.de >odd
odd=(train_on odd "${narrow[@]}")
try "training text that is not UTF-8" 1 "odd:7: not UTF-8" "${odd[@]}" --max-updates 2 --output odd-run
try "the same, skipped" 0 "kept 299 of 300 pairs (dropped 1 not UTF-8)" "${odd[@]}" \
  --max-updates 2 --output skip-run --invalid-utf8 skip
try "the same, replaced" 0 "odd: 1 line is not UTF-8" "${odd[@]}" --max-updates 2 --output replace-run \
  --invalid-utf8 replace
try "the choice cannot change" 2 "--invalid-utf8: was skip" "${odd[@]}" --output skip-run \
  --invalid-utf8 replace --max-updates 4

head -n 299 train.de >fewer
unequal() {
  train_on fewer "${narrow[@]}" --output unequal-run --max-updates 2 2>&1 |
    grep -v "training the tokenizer"
  return "${PIPESTATUS[0]}"
}
try "unequal texts" 1 "this line has no counterpart" unequal
[ -e unequal-run/data/tokenizer.model ] && early=fail || early=pass
trial 4 "unequal texts show before a tokenizer is trained" $early \
  "$(ls unequal-run/data 2>/dev/null || echo no files)"

train_on train.de --width 512 --feed-forward 2048 --heads 8 --max-updates 2 --output wide \
  2>wide.log || echo "the wide model cannot be trained: $(tail -n 1 wide.log)" >&2
scores() {
  "$dietmt" score --model wide --threads 1 --source train.en --target train.de --json \
    --batch-tokens "$1"
}
scores 4096 >scores.4096
for tokens in 1 100 700; do
  lines=$(scores $tokens | cmp -l - scores.4096 2>&1 | wc -l)
  [ "$lines" -eq 0 ] && result=pass || result=fail
  trial 4 "scores in batches of $tokens and 4096 tokens" $result "$lines different bytes"
done
