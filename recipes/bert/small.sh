#!/usr/bin/env bash
# Compares position encodings in a small BERT (small.cfg) on a machine with two cores: pre-trains one
# for each, prints their masked-language loss at equal updates and at equal time, and fine-tunes
# them on five tasks of GLUE. Prints Markdown tables.
#
#   recipes/bert/small.sh TEXT GLUE OUTPUT minutes|updates NUMBER ENCODING...
#
#   for example: recipes/bert/small.sh text glue runs/bert minutes 25 learned t5 tupe-r diet-rel diet-abs
#
# TEXT is a folder of text files, plain or gzip: those with "valid" in their names are for
# validation, all others for training. GLUE holds folders of the tasks' names (CoLA, MRPC, RTE, STS-B,
# SST-2) with train.tsv and dev.tsv, or the files of the original releases, plain or with .gz. Every
# run gets NUMBER minutes or updates; one that was interrupted continues where it was, a finished one
# is not run again. From the environment: DIETMT (the program), THREADS (default 2), SEEDS (3),
# RATES (1e-4), TASKS (the five), VOCABULARY (8000), VALID_LINES (1000, of the validation text), OPTIONS,
# more options of dietmt bert pretrain, and FINETUNE_OPTIONS, of dietmt bert finetune.
set -euo pipefail
if (($# < 6)) || [[ $4 != minutes && $4 != updates ]]; then
  echo "usage: $0 TEXT GLUE OUTPUT minutes|updates NUMBER ENCODING..." >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
dietmt=${DIETMT:-$here/../../build/bin/dietmt}
text=$1 glue=$2 output=$3 unit=$4 number=$5
shift 5
threads=${THREADS:-2}
read -r -a tasks <<<"${TASKS:-CoLA MRPC RTE STS-B SST-2}"
read -r -a options <<<"${OPTIONS:-}"
read -r -a finetune_options <<<"${FINETUNE_OPTIONS:-}"
mapfile -t train < <(find -L "$text" -type f ! -name '*valid*' | LC_ALL=C sort)
mapfile -t valid < <(find -L "$text" -type f -name '*valid*' | LC_ALL=C sort)
if ((${#train[@]} == 0 || ${#valid[@]} == 0)); then
  echo "$text: there is no text for training, or no file with 'valid' in its name" >&2
  exit 1
fi

if [[ ! -e $output/tokenizer.model ]]; then
  mkdir -p "$output"
  "$dietmt" tokenizer --input "${train[@]}" --special bert --lowercase --type unigram \
    --vocab-size "${VOCABULARY:-8000}" --output "$output/tokenizer.model"
fi

# A part of the validation text, so that validating does not take the time of training.
if [[ ! -e $output/valid.txt ]]; then
  gzip --decompress --force --stdout "${valid[@]}" | sed -n "1,${VALID_LINES:-1000}p" \
    >"$output/valid.txt.part"
  mv "$output/valid.txt.part" "$output/valid.txt"
fi

folder_of() { echo "$output/$(tr -c 'a-z0-9\n' '-' <<<"$1" | sed 's/-*$//')"; }

# pretrain ENCODING FOLDER [OPTION...]: the rest of the run's minutes or updates.
pretrain() {
  local command=("$dietmt" bert pretrain --config "$here/small.cfg" --position "$1" --output "$2"
    --tokenizer "$output/tokenizer.model" --train "${train[@]}" --valid "$output/valid.txt"
    --threads "$threads" "${options[@]}")
  if [[ $unit == updates ]]; then
    "${command[@]}" --max-updates "$number"
    return
  fi
  local left code=0
  left=$(python3 "$here/tables.py" seconds-left "$2" "$number")
  timeout --foreground --signal=TERM "$left" "${command[@]}" || code=$?
  # 124: its time is over. At a signal from the user it is the program's 75, and the end.
  ((code == 0 || code == 124)) || exit "$code"
}

# The original release of MRPC has no development set: every tenth row of training becomes one.
split_mrpc() {
  gzip --decompress --force --stdout "$1" |
    awk -v train="$output/mrpc-train.txt" -v dev="$output/mrpc-dev.txt" \
      'NR == 1 { print >train; print >dev; next } { print >(NR % 10 == 0 ? dev : train) }'
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

finetune() {
  local encoder=$1 task=$2 data
  data=$(data_of "$task")
  mapfile -t data <<<"$data"
  "$dietmt" bert finetune --model "$encoder/last" --output "$encoder/tasks/$task" --task "$task" \
    "${data[@]}" --seeds "${SEEDS:-3}" --learning-rates "${RATES:-1e-4}" --threads "$threads" \
    "${finetune_options[@]}" >&2
}

folders=()
for encoding in "$@"; do
  folder=$(folder_of "$encoding")
  folders+=("$folder")
  if [[ ! -e $folder/pretrained ]]; then
    pretrain "$encoding" "$folder"
    touch "$folder/pretrained"
  fi
done
python3 "$here/tables.py" pretraining "${folders[@]}"
for folder in "${folders[@]}"; do
  for task in "${tasks[@]}"; do
    finetune "$folder" "$task"
  done
done
python3 "$here/tables.py" tasks "${folders[@]}"
