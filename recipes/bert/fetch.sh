#!/usr/bin/env bash
# Fetches the data of the BERT recipes from their public homes into DATA, in the layout that
# `dietmt bert finetune --data DATA` reads.
#
#   recipes/bert/fetch.sh DATA [glue|squad|xtreme|wikitext ...]     without a name: all of them
#
# Existing files are not fetched again; a file appears when it is complete. Each data set has
# its own licence, which its home states. The addresses are those that the data sets' own scripts and
# pages name. They could not be reached where this script was written: it has been tried without a
# network and with only made-up files. XQuAD is checked against xquad.sha256 (eleven of its twelve
# languages); for the others no checksums are known.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if (($# < 1)) || [[ $1 == -* ]]; then
  echo "usage: $0 DATA [glue|squad|xtreme|wikitext ...]" >&2
  exit 2
fi
mkdir -p "$1"
data=$(cd "$1" && pwd)
shift
. "$here/../fetching.sh"
need_programs curl unzip tar

facebook=https://dl.fbaipublicfiles.com
squad=https://rajpurkar.github.io/SQuAD-explorer/dataset
xquad=https://raw.githubusercontent.com/deepmind/xquad/60cac411649156efb6aab9dd4c9cde787a2c0345
pawsx=https://storage.googleapis.com/paws/pawsx
tydiqa=https://storage.googleapis.com/tydiqa/v1.1
wikitext=https://wikitext.smerity.com

# fetch_archive URL FOLDER MEMBER...: unpacks an archive and puts the members, paths in it, into
# FOLDER under their last names.
fetch_archive() {
  local url=$1 folder=$2 member
  shift 2
  local missing=()
  for member in "$@"; do
    [[ -e $folder/$(basename "$member") ]] || missing+=("$member")
  done
  if ((${#missing[@]} == 0)); then return; fi
  local unpacked=$data/.unpacked
  rm -rf "$unpacked" && mkdir -p "$unpacked" "$folder"
  fetch "$url" "$unpacked/archive"
  case $url in
    *.zip) unzip -q "$unpacked/archive" -d "$unpacked" ;;
    *) tar -xf "$unpacked/archive" -C "$unpacked" ;;
  esac
  for member in "${missing[@]}"; do
    mv "$unpacked/$member" "$folder/"
  done
  rm -rf "$unpacked"
}

# GLUE splits the training file of the Microsoft Research Paraphrase Corpus by a list of id pairs;
# its development set is dev.tsv.
fetch_mrpc() {
  local folder=$data/MRPC
  fetch "$facebook/senteval/senteval_data/msr_paraphrase_train.txt" "$folder/msr_paraphrase_train.txt"
  fetch "$facebook/senteval/senteval_data/msr_paraphrase_test.txt" "$folder/msr_paraphrase_test.txt"
  fetch "$facebook/glue/data/mrpc_dev_ids.tsv" "$folder/mrpc_dev_ids.tsv"
  local part
  for part in train dev; do
    if [[ -e $folder/$part.tsv ]]; then continue; fi
    awk -F '\t' -v part=$part '
      { sub(/\r$/, "") }
      NR == FNR { dev[$1 "\t" $2] = 1; next }
      FNR == 1 || ((($2 "\t" $3) in dev) == (part == "dev"))
    ' "$folder/mrpc_dev_ids.tsv" "$folder/msr_paraphrase_train.txt" >"$folder/$part.tsv.part"
    mv "$folder/$part.tsv.part" "$folder/$part.tsv"
  done
}

fetch_glue() {
  # Task and archive; all but MNLI have the same three files.
  local pair task
  for pair in CoLA:CoLA SST-2:SST-2 QQP:QQP-clean STS-B:STS-B QNLI:QNLIv2 RTE:RTE WNLI:WNLI; do
    task=${pair%:*}
    fetch_archive "$facebook/glue/data/${pair#*:}.zip" "$data/$task" \
      "$task/train.tsv" "$task/dev.tsv" "$task/test.tsv"
  done
  fetch_archive "$facebook/glue/data/MNLI.zip" "$data/MNLI" MNLI/train.tsv \
    MNLI/dev_matched.tsv MNLI/dev_mismatched.tsv MNLI/test_matched.tsv MNLI/test_mismatched.tsv
  fetch_mrpc
}

fetch_squad() {
  local version part
  for version in 1.1 2.0; do
    for part in train dev; do
      fetch "$squad/$part-v$version.json" "$data/SQuAD$version/$part-v$version.json"
    done
  done
}

fetch_xtreme() {
  fetch_archive "$facebook/XNLI/XNLI-1.0.zip" "$data/XNLI" \
    XNLI-1.0/xnli.dev.tsv XNLI-1.0/xnli.test.tsv
  fetch_archive "$facebook/XNLI/XNLI-MT-1.0.zip" "$data/XNLI" \
    XNLI-MT-1.0/multinli/multinli.train.en.tsv

  local language part members=()
  for language in de en es fr ja ko zh; do
    members+=("x-final/$language")
  done
  fetch_archive "$pawsx/x-final.tar.gz" "$data/PAWS-X" "${members[@]}"
  members=()

  for language in ar de el en es hi ro ru th tr vi zh; do
    fetch "$xquad/xquad.$language.json" "$data/XQuAD/xquad.$language.json"
  done
  (cd "$data/XQuAD" && sha256sum --quiet --check "$here/xquad.sha256")

  for language in ar de en es hi vi zh; do
    for part in dev test; do
      members+=("MLQA_V1/$part/$part-context-$language-question-$language.json")
    done
  done
  fetch_archive "$facebook/MLQA/MLQA_V1.zip" "$data/MLQA" "${members[@]}"

  # Both are trained on SQuAD 1.1.
  fetch "$squad/train-v1.1.json" "$data/SQuAD1.1/train-v1.1.json"
  ln -sf ../SQuAD1.1/train-v1.1.json "$data/XQuAD/train-v1.1.json"
  ln -sf ../SQuAD1.1/train-v1.1.json "$data/MLQA/train-v1.1.json"

  fetch "$tydiqa/tydiqa-goldp-v1.1-train.json" "$data/TyDiQA-GoldP/tydiqa-goldp-v1.1-train.json"
  members=()
  for language in arabic bengali english finnish indonesian korean russian swahili telugu; do
    members+=("tydiqa-goldp-v1.1-dev/tydiqa-goldp-dev-$language.json")
  done
  fetch_archive "$tydiqa/tydiqa-goldp-v1.1-dev.tgz" "$data/TyDiQA-GoldP" "${members[@]}"
}

fetch_wikitext() {
  fetch_archive "$wikitext/wikitext-103-raw-v1.zip" "$data/wikitext-103-raw" \
    wikitext-103-raw/wiki.train.raw wikitext-103-raw/wiki.valid.raw wikitext-103-raw/wiki.test.raw
}

if (($# == 0)); then set -- glue squad xtreme wikitext; fi
for name in "$@"; do
  case $name in
    glue | squad | xtreme | wikitext) "fetch_$name" ;;
    *)
      echo "'$name' is not known; possible: glue, squad, xtreme, wikitext" >&2
      exit 2
      ;;
  esac
done
