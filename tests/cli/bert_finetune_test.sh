#!/usr/bin/env bash
# dietmt bert finetune and predict from the command line:
#   bert_finetune_test.sh BINARY SCRATCH MODEL     (MODEL: what bert_pretrain_test.sh leaves)
dietmt=$1
work=$2
model=$3
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

# Class "animal": the text contains a cat, a dog or a bird.
toy_table() {
  toy_corpus "$1" "$2" "$work/toy"
  awk 'BEGIN { print "sentence\tlabel" }
       { print $0 "\t" (/cat|dog|bird/ ? "animal" : "other") }' "$work/toy.en"
}
toy_table 300 1 >"$work/train.tsv"
toy_table 80 2 | gzip >"$work/valid.tsv.gz"
toy_table 40 3 >"$work/test.tsv"

own=("$dietmt" bert finetune --model "$model" --threads 1)
run=("${own[@]}" --train "$work/train.tsv" --valid "$work/valid.tsv.gz" --batch-size 16
  --max-length 16 --epochs 8)

# Two rates, two seeds: a table of the runs, and the best run's model.
protocol=(--learning-rates 1e-4,1e-2 --seeds 2)
expect_code 0 "${run[@]}" "${protocol[@]}" --output "$work/runs_done"
expect_text $'learning rate\tmedian\tseed 1\tseed 2' "$out"
expect_text "0.01*" "$out"
grep -q '"best_learning_rate": 0.01' "$work/runs_done/results.json" || fail "no best rate in results.json"
[ -e "$work/runs_done/best/model.safetensors" ] || fail "the best model is not kept"
[ "$(find "$work/runs_done/runs" -name '*.safetensors')" = \
  "$work/runs_done/$(readlink "$work/runs_done/best")/model.safetensors" ] ||
  fail "checkpoints of runs are left"

# Repeating the command trains nothing; another seed adds runs; another option is refused.
expect_code 0 "${run[@]}" "${protocol[@]}" --output "$work/runs_done"
expect_text "0.01*" "$out"
case $err in *"seed 1:"*) fail "a run was repeated" ;; esac
expect_code 2 "${run[@]}" "${protocol[@]}" --output "$work/runs_done" --weight-decay 0.2
expect_text "--weight-decay: was 0.01, is 0.2" "$err"

# Predictions: one row per example, and the metric, since the file has labels.
expect_code 0 "$dietmt" bert predict --model "$work/runs_done" --input "$work/test.tsv" \
  --output "$work/predictions.tsv" --threads 1
expect_text $'accuracy\t' "$out"
awk -F'\t' '$2 < 90 { exit 1 }' <<<"$out" || fail "the test set is not learned: $out"
[ "$(wc -l <"$work/predictions.tsv")" -eq 41 ] || fail "not a prediction for each row"
[ "$(head -n 1 "$work/predictions.tsv")" = $'index\tprediction' ] || fail "no header"
right=$(paste <(tail -n +2 "$work/test.tsv") <(tail -n +2 "$work/predictions.tsv") |
  awk -F'\t' '$2 == $4 { n++ } END { printf "accuracy\t%.2f", 100 * n / NR }')
[ "$right" = "$out" ] || fail "the file says $right, the program $out"
cut -f 1 "$work/test.tsv" >"$work/unlabelled.tsv"
expect_code 0 "$dietmt" bert predict --model "$work/runs_done/best" --input "$work/unlabelled.tsv" \
  --output "$work/again.tsv" --threads 1
[ -z "$out" ] || fail "metrics without labels: $out"
cmp "$work/predictions.tsv" "$work/again.tsv" || fail "labels change the predictions"
cp "$work/test.tsv" "$work/both.tsv"
expect_code 2 "$dietmt" bert predict --model "$work/runs_done" --input "$work/both.tsv" \
  --output "$work/both.tsv"
expect_text "--output and --input are one file" "$err"
cmp "$work/test.tsv" "$work/both.tsv" || fail "predictions replaced their input"

# One command at a time, from one model, and never over the files of a run or of the model.
expect_code 2 "${run[@]}" --output "$model"
expect_text "--output $model is the output of a training run" "$err"
expect_code 2 "$dietmt" bert finetune --threads 1 --model "$work/runs_done" --train "$work/train.tsv" \
  --valid "$work/valid.tsv.gz" --output "$work/runs_done"
expect_text "has --model among the files of its runs" "$err"
exec 9>>"$work/runs_done/.lock" && flock 9
expect_code 1 "${run[@]}" "${protocol[@]}" --output "$work/runs_done" --resume never
expect_text "another training run is writing to this directory" "$err"
exec 9>&-
[ -e "$work/runs_done/best" ] || fail "runs of another command were discarded"
cp -rL "$model/best" "$work/moving"
expect_code 0 "$dietmt" bert finetune --threads 1 --model "$work/moving" --train "$work/train.tsv" \
  --valid "$work/valid.tsv.gz" --max-length 16 --epochs 1 --output "$work/moved"
cp "$work/runs_done/best/model.safetensors" "$work/runs_done/best/config.json" "$work/moving"
rm -f "$work/moving/manifest.json"
expect_code 2 "$dietmt" bert finetune --threads 1 --model "$work/moving" --train "$work/train.tsv" \
  --valid "$work/valid.tsv.gz" --max-length 16 --epochs 1 --seeds 2 --output "$work/moved"
expect_text "was made with other weights in --model" "$err"

# An output that cannot be written is reported before predictions are computed.
for place in "$work/nowhere/p.tsv:nowhere" "$work:a regular file"; do
  expect_code 1 "$dietmt" bert predict --model "$work/runs_done" --input "$work/test.tsv" \
    --output "${place%%:*}" --threads 1
  expect_text "${place##*:}" "$err"
  case $err in *examples*) fail "the input was read first: $err" ;; esac
done
expect_code 2 "$dietmt" bert predict --model "$work/runs_done" --input "$work/test.tsv" --output -
expect_text "--output is -; this command needs the name of a file" "$err"
expect_code 2 "$dietmt" bert predict --model "$work/runs_done" --input "$work/test.tsv" \
  --output "$work/no.tsv" --nbest 3 --language de
expect_text "--nbest needs a model that answers questions" "$err"
expect_text "--language: the files of classification have one language" "$err"
(printf '{"sentence": "x", "label": '; printf '%*s' 300000 '' | tr ' ' '['; echo) >"$work/deep.jsonl"
expect_code 1 "${own[@]}" --train "$work/deep.jsonl" --valid "$work/deep.jsonl" --format jsonl \
  --output "$work/bad"
expect_text "deep.jsonl:1: is nested more than 500 levels deep" "$err"
printf '{"sentence": "red cat", "index": "a\\tb"}\n' >"$work/tab.jsonl"
sed 's/\(.*\)\t\(.*\)/{"sentence": "\1", "label": "\2"}/' "$work/test.tsv" >"$work/test.jsonl"
expect_code 0 "${own[@]}" --train "$work/test.jsonl" --valid "$work/test.jsonl" --format jsonl \
  --output "$work/jsonl" --epochs 1 --max-length 16
expect_code 1 "$dietmt" bert predict --model "$work/jsonl" --input "$work/tab.jsonl" \
  --output "$work/no.tsv" --threads 1
expect_text "would split a row of the predictions" "$err"

# A stop in the middle of a run and the same command again: same results as without a stop.
slow=("${own[@]}" --train "$work/train.tsv" --valid "$work/valid.tsv.gz" --batch-size 2
  --max-length 16 --epochs 12 --learning-rates 1e-3 --seeds 2)
expect_code 0 "${slow[@]}" --output "$work/whole"
"${slow[@]}" --output "$work/parts" >/dev/null 2>"$work/parts.err" &
process=$!
while kill -0 $process 2>/dev/null && [ ! -e "$work/parts/runs/lr-0.001-seed-1/last" ]; do
  sleep 0.01
done
kill -TERM $process
code=0
wait $process || code=$?
[ "$code" -eq 75 ] || fail "exit code $code after SIGTERM: $(cat "$work/parts.err")"
expect_code 0 "${slow[@]}" --output "$work/parts"
cmp "$work/whole/results.json" "$work/parts/results.json" || fail "a stop changes the results"
cmp "$work/whole/best/model.safetensors" "$work/parts/best/model.safetensors" ||
  fail "a stop changes the model"

# A task of the table, from its original files, with another position encoding.
mkdir -p "$work/glue/RTE"
for split in train dev; do
  awk 'BEGIN { print "index\tsentence1\tsentence2\tlabel" }
       NR > 1 && NR < 40 { print NR "\tred cat\t" $1 " house\t" (NR % 3 ? "entailment" : "not_entailment") }' \
    "$work/train.tsv" >"$work/glue/RTE/$split.tsv"
done
expect_code 0 "${own[@]}" --task rte --data "$work/glue" --output "$work/rte" --epochs 1 \
  --max-length 32 --position shaw --head-dropout 0.2
expect_text $'main metric\tRTE' "$out"
case $out in *"et al."*) fail "one task looks like a paper's: $out" ;; esac
expect_text "is initialised at random" "$err"

# Pairs in a table without header; a regression in JSON lines.
tail -n +2 "$work/train.tsv" | awk -F'\t' '{ print $2 ",red cat,\"" $1 "\"" }' >"$work/pairs.csv"
expect_code 0 "${own[@]}" --train "$work/pairs.csv" --valid "$work/pairs.csv" --format csv \
  --no-header --first 2 --second 3 --label 1 --labels other,animal --metrics f1,accuracy \
  --epochs 1 --max-length 24 --output "$work/csv"
expect_text "classification: f1" "$out"
again=("${own[@]}" --train "$work/pairs.csv" --valid "$work/pairs.csv" --format csv --no-header
  --first 2 --label 1 --epochs 1 --max-length 24 --output "$work/csv")
expect_code 2 "${again[@]}"
expect_text "--second: was 3, is" "$err"
expect_code 0 "${again[@]}" --resume never
expect_text "classification: accuracy" "$out"
grep -q '"accuracy"' "$work/csv/results.json" || fail "accuracy is not measured"
awk -F'\t' 'NR > 1 { printf "{\"text\": \"%s\", \"words\": %d}\n", $1, split($1, words, " ") }' \
  "$work/train.tsv" >"$work/words.jsonl"
expect_code 0 "${own[@]}" --kind regression --train "$work/words.jsonl" \
  --valid "$work/words.jsonl" --format jsonl --first text --label words --lowest 1 --highest 9 \
  --epochs 1 --max-length 16 --output "$work/words"
expect_text "regression: pearson" "$out"
expect_code 0 "$dietmt" bert predict --model "$work/words" --input "$work/words.jsonl" \
  --output "$work/words.tsv" --threads 1
expect_text "spearman" "$out"

# Questions.
cat >"$work/squad.json" <<'JSON'
{"data": [{"title": "toy", "paragraphs": [{"context": "the red cat sees the blue house",
  "qas": [{"id": "q1", "question": "red cat", "answers": [{"text": "blue house", "answer_start": 21}]},
          {"id": "q2", "question": "house", "answers": [{"text": "red cat", "answer_start": 4}]}]}]}]}
JSON
expect_code 0 "${own[@]}" --kind spans --train "$work/squad.json" --valid "$work/squad.json" \
  --output "$work/spans" --epochs 2 --max-length 32 --max-question 8 --stride 8
expect_text "spans: f1" "$out"
expect_code 0 "$dietmt" bert predict --model "$work/spans" --input "$work/squad.json" \
  --output "$work/answers" --threads 1
expect_text "exact_match" "$out"
grep -q '"q2"' "$work/answers/predictions.json" || fail "no answer to q2"

# Tags of words: XTREME's files in several languages, one with languages before the words and one
# sentence that is longer than an input. Predictions are scored the same by both commands.
mkdir -p "$work/panx"
tagged() {
  awk -v prefix="$1" '{
    for (i = 1; i <= NF; ++i)
      print prefix $i "\t" ($i ~ /cat|dog|bird/ ? "B-PER" : $i == "house" ? "B-LOC" : "O")
    print "" }'
}
tagged "" <"$work/toy.en" >"$work/panx/train-en.tsv"
head -n 20 "$work/toy.en" | tagged "" >"$work/panx/dev-en.tsv"
tr '\n' ' ' <"$work/toy.en" | tagged de: >"$work/panx/dev-de.tsv"
expect_code 0 "${own[@]}" --task panx --data "$work/panx" --output "$work/names" --epochs 6 \
  --max-length 16 --batch-size 8 --learning-rates 1e-2
expect_text "PANX: f1" "$out"
expect_text "more windows for long sentences" "$err"
for score in f1 f1_de f1_mean accuracy accuracy_de accuracy_mean; do
  grep -q "\"$score\"" "$work/names/results.json" || fail "no $score"
done
expect_code 0 "$dietmt" bert predict --model "$work/names" --input "$work/panx/dev-de.tsv" \
  --output "$work/test-de.tsv" --threads 1
expect_text $'f1\t' "$out"
awk -F'\t' '$2 < 90 { exit 1 }' <<<"$out" || fail "tags are not learned: $out"
predicted=$out
[ "$(wc -l <"$work/test-de.tsv")" -eq "$(grep -c . "$work/panx/dev-de.tsv")" ] ||
  fail "not a tag for each word"
expect_code 0 "$dietmt" evaluate --task panx-de --reference "$work/panx/dev-de.tsv" \
  --predictions "$work/test-de.tsv"
[ "$out" = "$predicted" ] || fail "evaluate says $out, predict $predicted"
cut -f 1 "$work/panx/dev-en.tsv" >"$work/words.tsv"
expect_code 0 "$dietmt" bert predict --model "$work/names" --input "$work/words.tsv" \
  --output "$work/test-en.tsv" --threads 1
[ -z "$out" ] || fail "metrics without tags: $out"
[ "$(grep -c '^$' "$work/test-en.tsv")" -eq 19 ] || fail "sentences are not kept apart"
expect_code 0 "${own[@]}" --kind tags --train "$work/panx/train-en.tsv" --valid \
  "$work/panx/dev-en.tsv" --metrics accuracy --epochs 1 --max-length 16 --output "$work/own_tags"
expect_text "tags: accuracy" "$out"
printf 'red\tO\ncat\n' >"$work/untagged.tsv"
expect_code 1 "${own[@]}" --kind tags --train "$work/untagged.tsv" --valid "$work/untagged.tsv" \
  --output "$work/bad"
expect_text "untagged.tsv:2: no tag; expected a word, a tab and its tag" "$err"

# A dry run prints the cost of both tasks and trains nothing.
expect_code 0 "${run[@]}" "${protocol[@]}" --output "$work/tried" --accumulate 2 --dry-run
for name in task runs parameters memory batches updates time; do
  grep -Eq "^$name +[0-9c]" "$work/out" || fail "$name is not in: $out"
done
expect_text "runs        4, each as follows" "$out"
expect_text "batches     19 an epoch" "$out"
expect_text "76 in 8.0 epochs" "$out"
[ ! -e "$work/tried/runs" ] || fail "a dry run trains"

# Updates of several batches continue across epochs: 3 epochs of 19 batches are 8 updates.
expect_code 0 "${own[@]}" --train "$work/train.tsv" --valid "$work/valid.tsv.gz" --batch-size 16 \
  --max-length 16 --epochs 3 --accumulate 8 --output "$work/sums"
expect_text "19 batches per epoch, 3 epochs, 8 updates" "$err"
[ "$(grep -c '"kind":"valid"' "$work"/sums/runs/*/progress.jsonl)" -eq 3 ] ||
  fail "not one validation for each epoch"

# All tasks are read before one is trained.
mkdir -p "$work/half/CoLA"
awk '{ print "x\t" NR % 2 "\t\t" $0 }' "$work/toy.en" | tee "$work/half/CoLA/train.tsv" >"$work/half/CoLA/dev.tsv"
expect_code 1 "${own[@]}" --task CoLA,RTE --data "$work/half" --epochs 1 --output "$work/several"
expect_text "half/RTE" "$err"
[ ! -e "$work/several/CoLA/runs" ] || fail "a task is trained before the next one is read"

# Wrong options: exit code 2 and all problems at once.
expect_code 2 "${own[@]}"
expect_text "--output is missing" "$err"
expect_text "--data is missing: give --data, or --train and --valid" "$err"
expect_code 2 "${own[@]}" --task cola,dance --data "$work" --output "$work/bad" --seeds 0 \
  --learning-rates 1e-5,fast --kind spans
expect_text "no task 'dance'" "$err"
expect_text "--seeds is 0; it must be from 1 to 100000" "$err"
expect_text "'fast'" "$err"
expect_text "--kind describes a task of your own" "$err"
expect_code 2 "${run[@]}" --output "$work/bad" --stride 8 --unanswerable --highest 3 --labels y,y
expect_text "--stride is for questions" "$err"
expect_text "--unanswerable is for questions" "$err"
expect_text "--highest is for regressions" "$err"
expect_text "--labels has y twice" "$err"
expect_code 2 "${run[@]}" --output "$work/bad" --learning-rates 1e-5,0.00001
expect_text "twice" "$err"
expect_code 2 "${run[@]}" --output "$work/bad" --metrics pearson
expect_text "pearson" "$err"
spans=("${own[@]}" --train "$work/squad.json" --valid "$work/squad.json" --output "$work/bad")
expect_code 2 "${spans[@]}" --kind spans --first text --null-threshold 2 --head-dropout 0.5
expect_text "--head-dropout is for classes, numbers and tags" "$err"
expect_text "--first is for tables" "$err"
expect_text "--null-threshold is for questions that may have no answer" "$err"
expect_code 2 "${spans[@]}" --kind spans --metrics best_f1
expect_text "--metrics has 'best_f1'" "$err"
expect_code 2 "${own[@]}" --train "$work/train.tsv" --output "$work/bad" --languages en de de \
  --valid "$work/valid.tsv.gz" "$work/train.tsv" "$work/test.tsv"
expect_text "--languages has de twice" "$err"
expect_code 2 "${spans[@]}" --task MLQA --languages german
expect_text "'german' is no language of MLQA; it has ar, de," "$err"
expect_code 2 "${own[@]}" --train "$work/train.tsv" --valid "$work/valid.tsv.gz" \
  --output "$work/bad" --position learned --max-length 4000
expect_text "4000" "$err"
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n%s\n' "$(seq 100 300)" >"$work/vocab.txt"
expect_code 2 "${run[@]}" --output "$work/bad" --tokenizer "$work/vocab.txt"
expect_text "use the tokenizer that the model was trained with" "$err"

# Wrong data: exit code 1 and the place.
head -n 1 "$work/words.jsonl" >"$work/one.jsonl"
expect_code 1 "${own[@]}" --kind regression --train "$work/words.jsonl" --valid "$work/one.jsonl" \
  --format jsonl --first text --label words --lowest 1 --highest 9 --output "$work/bad"
expect_text "one.jsonl: one example is too little for a correlation" "$err"
expect_code 1 "${own[@]}" --task CoLA --data "$work" --output "$work/bad"
expect_text "$work/dev.tsv: no such file" "$err"
expect_code 1 "${own[@]}" --task QNLI --data "$work/glue" --output "$work/bad"
expect_text "$work/glue/train.tsv" "$err"
printf 'sentence\tlabel\nred\tanimal\nblue\tplant\n' >"$work/strange.tsv"
expect_code 1 "${own[@]}" --train "$work/train.tsv" --valid "$work/strange.tsv" --output "$work/bad"
expect_text "$work/strange.tsv:3: label 'plant'" "$err"
sed 's/"answers": .*}]},$/"is_impossible": true},/' "$work/squad.json" >"$work/partly.json"
expect_code 1 "${spans[@]}" --kind spans --valid "$work/partly.json"
expect_text "$work/partly.json: question q1 has no answer; give --unanswerable" "$err"
expect_code 1 "$dietmt" bert predict --model "$model" --input "$work/test.tsv" --output "$work/no"
expect_text "task.json" "$err"
finish
