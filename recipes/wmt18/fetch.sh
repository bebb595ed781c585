#!/usr/bin/env bash
# Fetches the corpora of WMT18 that the DIET paper trains on, from their public home, and makes of
# them DATA/PAIR/{train,valid,test}.LANGUAGE for the pairs de-en and cs-en.
#
#   recipes/wmt18/fetch.sh DATA [de-en|cs-en ...]     without a pair: both
#
# Training text is Europarl v7, CommonCrawl and News Commentary v13, cleaned by clean.sh; validation
# is newstest2017, the test set newstest2018. Existing files are not fetched or made again; a
# file appears when it is complete. The corpora have their own licences, which their home
# (statmt.org/wmt18) states. It could not be reached where this script was written: it has been tried
# only with made-up archives.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if (($# < 1)) || [[ $1 == -* ]]; then
  echo "usage: $0 DATA [de-en|cs-en ...]" >&2
  exit 2
fi
mkdir -p "$1"
data=$(cd "$1" && pwd)
shift
if (($# == 0)); then set -- de-en cs-en; fi
for pair in "$@"; do
  case $pair in
    de-en | cs-en) ;;
    *) echo "'$pair' is not known; possible: de-en, cs-en" >&2; exit 2 ;;
  esac
done
. "$here/../fetching.sh"
need_programs curl tar sort

europarl=http://www.statmt.org/wmt13/training-parallel-europarl-v7.tgz
commoncrawl=http://www.statmt.org/wmt13/training-parallel-commoncrawl.tgz
commentary=http://data.statmt.org/wmt18/translation-task/training-parallel-nc-v13.tgz
earlier=http://data.statmt.org/wmt18/translation-task/dev.tgz
test=http://data.statmt.org/wmt18/translation-task/test.tgz

# unpacked URL MEMBER: the text of a member. "./" stands before the names of some archives.
unpacked() {
  local archive
  archive=$data/archives/$(basename "$1")
  fetch "$1" "$archive"
  tar -xzOf "$archive" --wildcards "*$2"
}

# The segments of a test set in WMT's markup, a line each.
segments() {
  sed -n 's/^ *<seg[^>]*>\(.*\)<\/seg>.*/\1/p' |
    sed 's/^ *//; s/ *$//; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&apos;/'\''/g; s/&amp;/\&/g'
}

# keep FILE COMMAND...: the command's output, complete, under this name.
keep() {
  [[ -s $1 ]] && return
  "${@:2}" >"$1.part"
  if [[ ! -s $1.part ]]; then
    echo "fetch.sh: nothing came for $1" >&2
    exit 1
  fi
  mv "$1.part" "$1"
}

joined() {
  unpacked "$europarl" "training/europarl-v7.$1.$2"
  unpacked "$commoncrawl" "commoncrawl.$1.$2"
  unpacked "$commentary" "training-parallel-nc-v13/news-commentary-v13.$1.$2"
}
newstest() { unpacked "$1" "$2" | segments; }

for pair in "$@"; do
  foreign=${pair%-*} name=en${pair%-*} folder=$data/$pair
  mkdir -p "$folder"
  for language in "$foreign" en; do
    side=ref && [[ $language == en ]] && side=src
    keep "$folder/valid.$language" newstest "$earlier" "dev/newstest2017-$name-$side.$language.sgm"
    keep "$folder/test.$language" newstest "$test" "test/newstest2018-$name-$side.$language.sgm"
    if [[ ! -e $folder/train.$language ]]; then
      keep "$folder/raw.$language" joined "$pair" "$language"
    fi
  done
  if [[ ! -e $folder/train.en ]]; then
    "$here/clean.sh" "$folder/raw.$foreign" "$folder/raw.en" "$folder/train.$foreign" "$folder/train.en"
    rm "$folder/raw.$foreign" "$folder/raw.en"
  fi
done
