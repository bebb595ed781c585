#!/usr/bin/env bash
# Compares position encodings in a small BERT (small.cfg) on a machine with two cores: pre-trains one
# for each encoding and seed, and fine-tunes them on five tasks of GLUE. Prints Markdown tables: the
# masked-language loss after equal training time, and the results of all tasks.
#
#   recipes/bert/small.sh TEXT GLUE OUTPUT UPDATES ENCODING...
#
#   for example: recipes/bert/small.sh text glue runs/bert 10000 learned t5 tupe-r diet-rel diet-abs
#
# TEXT is a folder of text files, plain or gzip: those with "valid" in their names are for
# validation, all others for training. GLUE holds folders of the tasks' names (CoLA, MRPC, RTE, STS-B,
# SST-2) with train.tsv and dev.tsv, or the files of the original releases, plain or with .gz. An
# interrupted run continues where it was, a finished one is not run again.
#
# From the environment, for pre-training: SEEDS (default 1; "1 2" for two), VOCABULARY (8000),
# VALID_LINES (1000, of the validation text), OPTIONS, more options of dietmt bert pretrain. For
# fine-tuning: TASKS (the five), RUNS (seeds of each task, 3), RATES (learning rates, 1e-4), EPOCHS
# (3; a third of them for SST-2, which has more examples) and FINETUNE_OPTIONS, of dietmt bert
# finetune. For both: THREADS (2) and DIETMT (the program).
set -euo pipefail
if (($# < 5)) || [[ ! $4 =~ ^[0-9]+$ ]]; then
  echo "usage: $0 TEXT GLUE OUTPUT UPDATES ENCODING..." >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../settings.sh"
dietmt=${DIETMT:-$here/../../build/bin/dietmt}
text=$1 glue=$2 output=$3 updates=$4
shift 4
threads=${THREADS:-2} vocabulary=${VOCABULARY:-8000} valid_lines=${VALID_LINES:-1000}
epochs=${EPOCHS:-3}
read -r -a tasks <<<"${TASKS:-CoLA MRPC RTE STS-B SST-2}"
read -r -a options <<<"${OPTIONS:-}"
read -r -a finetune_options <<<"${FINETUNE_OPTIONS:-}"
mapfile -t train < <(find -L "$text" -type f ! -name '*valid*' | LC_ALL=C sort)
mapfile -t valid < <(find -L "$text" -type f -name '*valid*' | LC_ALL=C sort)
if ((${#train[@]} == 0 || ${#valid[@]} == 0)); then
  echo "$text: there is no text for training, or no file with 'valid' in its name" >&2
  exit 1
fi
keep_settings "$output" "$updates updates, $vocabulary pieces, $valid_lines lines $(result_options "${OPTIONS:-}")"

if [[ ! -e $output/tokenizer.model ]]; then
  "$dietmt" tokenizer --input "${train[@]}" --special bert --lowercase --type unigram \
    --vocab-size "$vocabulary" --output "$output/tokenizer.model"
fi

# A part of the validation text, so that validating does not take the time of training.
if [[ ! -e $output/valid.txt ]]; then
  gzip --decompress --force --stdout "${valid[@]}" | sed -n "1,${valid_lines}p" \
    >"$output/valid.txt.$$"
  mv "$output/valid.txt.$$" "$output/valid.txt"
fi

pretrain() {
  "$dietmt" bert pretrain --config "$here/small.cfg" --position "$1" --seed "$2" --output "$3" \
    --tokenizer "$output/tokenizer.model" --train "${train[@]}" --valid "$output/valid.txt" \
    --max-updates "$updates" --threads "$threads" "${options[@]}"
}

# The original release of MRPC has no development set: every tenth row of training becomes one.
split_mrpc() {
  gzip --decompress --force --stdout "$1" |
    awk -v train="$output/mrpc-train.txt.$$" -v dev="$output/mrpc-dev.txt.$$" \
      'NR == 1 { print >train; print >dev; next } { print >(NR % 10 == 0 ? dev : train) }'
  mv "$output/mrpc-train.txt.$$" "$output/mrpc-train.txt"
  mv "$output/mrpc-dev.txt.$$" "$output/mrpc-dev.txt"
}

# The options that name the data of a task: official files, or those of the original release.
data_of() {
  local folder=$glue/$1 pair ending train dev
  for pair in train.tsv:dev.tsv in_domain_train.tsv:in_domain_dev.tsv sts-train.csv:sts-dev.csv; do
    for ending in "" .gz; do
      train=$folder/${pair%:*}$ending dev=$folder/${pair#*:}$ending
      if [[ -e $train && -e $dev ]]; then
        printf '%s\n' --train "$train" --valid "$dev"
        return
      fi
    done
  done
  for train in "$folder"/msr_paraphrase_train.txt{,.gz}; do
    if [[ -e $train ]]; then
      split_mrpc "$train"
      printf '%s\n' --train "$output/mrpc-train.txt" --valid "$output/mrpc-dev.txt"
      return
    fi
  done
  echo "$folder: there are no files for training and development" >&2
  return 1
}

for task in "${tasks[@]}"; do data_of "$task" >/dev/null; done

finetune() {
  local encoder=$1 task=$2 data passes=$epochs
  data=$(data_of "$task")
  mapfile -t data <<<"$data"
  [[ $task != SST-2 ]] || passes=$(((epochs + 2) / 3))
  "$dietmt" bert finetune --model "$encoder/last" --output "$encoder/tasks/$task" --task "$task" \
    "${data[@]}" --seeds "${RUNS:-3}" --learning-rates "${RATES:-1e-4}" --epochs "$passes" \
    --threads "$threads" "${finetune_options[@]}" >&2
}

gpu=$(gpu_of "${OPTIONS:-}")
encoders=()
for seed in ${SEEDS:-1}; do
  for encoding in "$@"; do
    encoder=$output/$(sed 's/[^a-z0-9]\{1,\}/-/g; s/-$//' <<<"$encoding")-$seed
    encoders+=("$encoder")
    pretrain "$encoding" "$seed" "$encoder"
  done
done
"$here/tables.py" time "${encoders[@]}"
for encoder in "${encoders[@]}"; do
  for task in "${tasks[@]}"; do
    finetune "$encoder" "$task"
  done
  "$here/tables.py" record "$encoder" ${gpu:+"$gpu"}
done
"$here/tables.py" results "${encoders[@]}"
