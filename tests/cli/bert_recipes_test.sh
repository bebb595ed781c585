#!/usr/bin/env bash
# The files of recipes/bert on toy text: bert_recipes_test.sh BINARY RUNS, where RUNS is the output
# folder of bert_pretrain_test.sh.
dietmt=$1
runs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
recipes=$(cd "$(dirname "$0")/../../recipes/bert" && pwd)
export DIETMT=$dietmt

mkdir "$work/text" "$work/train" "$work/valid"
cp "$runs/train.txt.gz" "$work/train"
cp "$runs/valid.txt" "$work/valid"
cp "$work/train"/* "$work/valid"/* "$work/text"
tiny=(--layers 1 --width 24 --feed-forward 24 --heads 2 --threads 1)
data=(--train "$work/train/train.txt.gz" --valid "$work/valid/valid.txt"
  --tokenizer "$runs/model/data/tokenizer.model")

for script in "$recipes"/*.sh; do
  bash -n "$script" || fail "$script has a syntax error"
done

# Every model of the table, by its settings and encoding.
models=0
while IFS=$'\t' read -r name settings position segments; do
  [[ $name == \#* ]] && continue
  [ "$settings" = wang ] && settings=wang-128
  expect_code 0 "$dietmt" bert pretrain --config "$recipes/$settings.cfg" --position "$position" \
    --segment-encoding "$segments" "${data[@]}" "${tiny[@]}" --output "$work/$settings" --dry-run
  expect_text "parameters" "$err"
  models=$((models + 1))
done <"$recipes/models.tsv"
[ "$models" -eq "$(grep -c -v '^#' "$recipes/models.tsv")" ] || fail "only $models models were tried"
[ "$(cut -f1 "$recipes/models.tsv" | sort | uniq -d)" = "" ] || fail "a name is there twice"
[ "$(grep -c '^wang-' "$recipes/models.tsv")" -eq 13 ] || fail "Wang et al. have 13 encodings"

# One of them end to end, in one part and in two.
pretrain=(bash "$recipes/pretrain.sh")
short=("${tiny[@]}" --tokenizer "$runs/model/data/tokenizer.model" --batch-tokens 600
  --accumulate 1 --max-updates 2 --warmup 1 --valid-interval 2)
expect_code 0 "${pretrain[@]}" tupe-r "$work/train" "$work/valid" "$work/tupe" "${short[@]}"
grep -q '"position": "tupe-r"' "$work/tupe/best/config.json" || fail "the model is no TUPE-R"
expect_code 0 "${pretrain[@]}" wang-rpe "$work/train" "$work/valid" "$work/wang" "${short[@]}" \
  in-128 --clip-norm 3 in-512 --clip-norm 4
for part in 128 512; do
  grep -q '"position": "shaw(clip=64' "$work/wang/$part/best/config.json" ||
    fail "part $part has another encoding"
done
for setting in 128:3 512:4; do
  grep -q "\"clip-norm\": \"${setting#*:}\"" "$work/wang/${setting%:*}/settings.json" ||
    fail "part ${setting%:*} lacks its own option"
done
expect_code 0 "${pretrain[@]}" --list
expect_text "tupe-a(cls=tied)" "$out"
expect_code 2 "${pretrain[@]}" bert-z "$work/train" "$work/valid" "$work/never"
expect_text "there is no model 'bert-z'" "$err"
expect_code 2 "${pretrain[@]}" bert-a
expect_text "usage" "$err"

# The comparison on two cores: pre-training, fine-tuning and their tables.
mkdir -p "$work/glue/CoLA"
printf 'x\t1\t\tred dog\nx\t0\t*\tdog red\n' >"$work/glue/CoLA/in_domain_train.tsv"
cp "$work/glue/CoLA/in_domain_train.tsv" "$work/glue/CoLA/in_domain_dev.tsv"
small=(env TASKS=CoLA RUNS=2 EPOCHS=1 SEEDS="1 2" THREADS=1 VOCABULARY=40
  OPTIONS="--preset tiny --valid-interval 5 --log-interval 5" bash "$recipes/small.sh" "$work/text"
  "$work/glue" "$work/small")
expect_code 1 "${small[@]/TASKS=CoLA/TASKS=CoLA RTE}" 10 learned
expect_text "glue/RTE: there are no files for training and development" "$err"
[ ! -e "$work/small/learned-1" ] || fail "training began without the data of a task"
expect_code 0 "${small[@]}" 10 learned 'diet-rel(share=layers)'
expect_text "seconds of training" "$out"
for encoding in learned 'diet-rel(share=layers)'; do
  expect_text "| \`$encoding\` | 1, 2 |" "$out"
done
expect_text "CoLA, matthews" "$out"
python3 - "$work"/small/*-[12]/result.json <<'PYTHON' || fail "a result"
import json, statistics, sys
results = [json.load(open(path)) for path in sys.argv[1:]]
assert sorted((result["encoding"], result["seed"]) for result in results) == [
    ("diet-rel(share=layers)", 1), ("diet-rel(share=layers)", 2), ("learned", 1), ("learned", 2)]
for result in results:
    assert result["updates"] == 10 and result["validation"]["valid_loss"] > 0
    assert len(result["tasks"]["CoLA"]["scores"]["matthews"]) == 2
losses = [result["validation"]["valid_loss"] for result in results if result["encoding"] == "learned"]
assert losses[0] != losses[1], "both seeds are the same"
PYTHON
# Losses at equal time. The first run is twice as fast as the second.
pace() {  # RUN SECONDS_PER_UPDATE
  mkdir -p "$work/paced/$1"
  cp "$work/small/$1/settings.json" "$work/paced/$1"
  python3 - "$work/small/$1" "$work/paced/$1" "$2" <<'PYTHON'
import json, sys
source, target, pace = sys.argv[1:]
with open(f"{target}/progress.jsonl", "w") as out:
    for line in open(f"{source}/progress.jsonl"):
        entry = json.loads(line)
        if "update" in entry:
            entry["seconds"] = entry["update"] * float(pace)
        print(json.dumps(entry), file=out)
PYTHON
}
pace learned-1 1
pace diet-rel-share-layers-1 2
expect_code 0 "$recipes/tables.py" time "$work/paced/learned-1" "$work/paced/diet-rel-share-layers-1"
expect_text "Validation after 10 seconds of training, or the last one before" "$out"
expect_text '| `learned` | 10 |' "$out"
expect_text '| `diet-rel(share=layers)` | 5 |' "$out"
pace diet-rel-share-layers-1 3
expect_code 0 "$recipes/tables.py" time "$work/paced/learned-1" "$work/paced/diet-rel-share-layers-1"
expect_text "After 10 seconds of training not all runs had been validated" "$out"
# Finished work is not repeated, and other settings do not mix with it.
results=$(cat "$work"/small/*/result.json)
expect_code 0 "${small[@]}" 10 learned 'diet-rel(share=layers)'
[ "$(cat "$work"/small/*/result.json)" = "$results" ] || fail "another result"
expect_code 2 "${small[@]}" 20 learned
expect_text "is of other settings: 10 updates" "$err"
for config in glue-tupe glue-wang squad-wang glue-diet xtreme-diet; do
  # Its options are right, but the first of its tasks has no data here.
  expect_code 1 "$dietmt" bert finetune --config "$recipes/$config.cfg" --model "$runs/model" \
    --data "$work/valid" --output "$work/never" --dry-run
  expect_text "no such file" "$err"
done
expect_code 2 "${small[@]}" weeks learned
expect_text "usage" "$err"

# Without a network no files are left; existing files are not fetched again.
fetch=(env PATH="$work/programs:$PATH" bash "$recipes/fetch.sh" "$work/fetched")
mkdir "$work/programs"
printf '#!/bin/sh\necho "curl: no network" >&2\nexit 6\n' >"$work/programs/curl"
chmod +x "$work/programs/curl"
expect_code 1 "${fetch[@]}" squad
expect_text "train-v1.1.json could not be fetched" "$err"
[ -z "$(find "$work/fetched" -type f)" ] || fail "a failed download leaves a file"
mkdir -p "$work/fetched/SQuAD2.0"
touch "$work/fetched/SQuAD1.1/"{train,dev}-v1.1.json "$work/fetched/SQuAD2.0/"{train,dev}-v2.0.json
expect_code 0 "${fetch[@]}" squad
expect_code 2 "${fetch[@]}" everything
expect_text "'everything' is not known" "$err"

# With made-up files in place of GLUE's: archives are unpacked, and MRPC is split by its list.
mkdir "$work/served"
python3 - "$work/served" <<'P'
import sys, zipfile
for task, name in (("CoLA", "CoLA"), ("SST-2", "SST-2"), ("QQP", "QQP-clean"), ("STS-B", "STS-B"),
                   ("QNLI", "QNLIv2"), ("RTE", "RTE"), ("WNLI", "WNLI"), ("MNLI", "MNLI")):
    parts = ["train", "dev", "test"]
    if task == "MNLI":
        parts = ["train"] + [f"{p}_{m}" for p in ("dev", "test") for m in ("matched", "mismatched")]
    with zipfile.ZipFile(f"{sys.argv[1]}/{name}.zip", "w") as archive:
        for part in parts:
            archive.writestr(f"{task}/{part}.tsv", f"{task} {part}\n")
P
printf 'Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t1\t2\ta\tb\r\n0\t3\t4\tc\td\r\n' \
  >"$work/served/msr_paraphrase_train.txt"
touch "$work/served/msr_paraphrase_test.txt"
printf '3\t4\n' >"$work/served/mrpc_dev_ids.tsv"
cat >"$work/programs/curl" <<'P'
#!/bin/sh
while [ $# -gt 1 ]; do
  if [ "$1" = --output ]; then target=$2; fi
  shift
done
cp "$SERVED/$(basename "$1")" "$target"
P
export SERVED=$work/served
expect_code 0 "${fetch[@]}" glue
[ "$(cat "$work/fetched/QNLI/dev.tsv")" = "QNLI dev" ] || fail "QNLI was not unpacked"
[ "$(cat "$work/fetched/MNLI/test_mismatched.tsv")" = "MNLI test_mismatched" ] || fail "no MNLI"
[ "$(tail -n +2 "$work/fetched/MRPC/train.tsv")" = "1	1	2	a	b" ] || fail "MRPC's training set"
[ "$(tail -n +2 "$work/fetched/MRPC/dev.tsv")" = "0	3	4	c	d" ] || fail "MRPC's development set"
expect_code 0 "${fetch[@]}" glue
[ -z "$err" ] || fail "GLUE is fetched again: $err"
finish
