#!/usr/bin/env bash
# Pre-trains one of the papers' models (models.tsv), with their settings.
#
#   recipes/bert/pretrain.sh MODEL TRAIN VALID OUTPUT [option of dietmt bert pretrain ...]
#   recipes/bert/pretrain.sh --list
#
# TRAIN and VALID are text files, or folders whose files are read: one sentence a line, an empty
# line between documents, plain or gzip. Options given here win, for instance --batch-tokens 4096
# --accumulate 32 where memory is short. A run that was interrupted continues.
#
# Models whose name begins with "wang-" are trained in two parts, OUTPUT/128 and OUTPUT/512; the
# paper starts them from a trained BERT: add --init-from DIR, a folder of Hugging Face's
# bert-base-uncased. Options after the words "in-128" and "in-512" are for that part only;
# "only-128" and "only-512" do only that part. From the environment: DIETMT (the program).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dietmt=${DIETMT:-$here/../../build/bin/dietmt}
if [[ ${1:-} == --list ]]; then
  awk -F '\t' 'NR == FNR { for (i = 1; i < NF; ++i) if (length($i) > width[i]) width[i] = length($i); next }
    { for (i = 1; i < NF; ++i) printf "%-" width[i] "s  ", $i; print $NF }' "$here"/models.tsv{,}
  exit
fi
if (($# < 4)); then
  echo "usage: $0 MODEL TRAIN VALID OUTPUT [option of dietmt bert pretrain ...]" >&2
  exit 2
fi
model=$1 output=$4
row=$(awk -F '\t' -v name="$model" '$1 == name' "$here/models.tsv")
if [[ -z $row ]]; then
  echo "there is no model '$model'; $0 --list shows them" >&2
  exit 2
fi
IFS=$'\t' read -r _ settings position segments <<<"$row"
mapfile -t train < <(find -L "$2" -type f | LC_ALL=C sort)
mapfile -t valid < <(find -L "$3" -type f | LC_ALL=C sort)
shift 4

# pretrain SETTINGS OUTPUT OPTION...
pretrain() {
  "$dietmt" bert pretrain --config "$here/$1.cfg" --output "$2" --train "${train[@]}" \
    --valid "${valid[@]}" --segment-encoding "$segments" "${@:3}"
}

if [[ $settings != wang ]]; then
  pretrain "$settings" "$output" --position "$position" "$@"
  exit
fi
# The second part continues the first, which determines sizes and encoding.
first=() second=() part=both only=
while (($# > 0)); do
  values=("$1")
  case $1 in
    in-128 | in-512) part=$1 values=() ;;
    only-128 | only-512) only=$1 values=() ;;
    --init-from=* | --preset=* | --layers=* | --width=* | --feed-forward=* | --heads=*)
      first+=("$1") values=() ;;
    --init-from | --preset | --layers | --width | --feed-forward | --heads)
      first+=("$1" "$2") values=() && shift ;;
  esac
  [[ $part == in-512 ]] || first+=("${values[@]}")
  [[ $part == in-128 ]] || second+=("${values[@]}")
  shift
done
[[ $only == only-512 ]] || pretrain wang-128 "$output/128" --position "$position" "${first[@]}"
[[ $only == only-128 ]] || pretrain wang-512 "$output/512" --init-from "$output/128" "${second[@]}"
