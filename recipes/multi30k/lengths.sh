#!/usr/bin/env bash
# How finished runs translate sentences of other lengths than those of their training: the validation
# text in single lines, and 2, 3 and 4 lines in one; and single lines by the length of the source.
#
#   recipes/multi30k/lengths.sh tok|raw SOURCE TARGET DATA RUN...
#
# The first words are those of run.sh, and RUN is an OUTPUT of it or a run of compare.sh. Prints two
# Markdown tables with a row for each RUN: BLEU and the ratio of the lengths of translation and
# reference; writes them to RUN/lengths.json. DIETMT is the program.
set -euo pipefail
if (($# < 5)); then
  echo "usage: $0 tok|raw SOURCE TARGET DATA RUN..." >&2
  exit 2
fi
form=$1 source=$2 target=$3 data=$4
shift 4
dietmt=${DIETMT:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin/dietmt}
case $form in
  tok) infix=.lc.norm.tok score=(--tokenize none --lowercase) ;;
  raw) infix= score=() ;;
  *) echo "the first word is tok or raw, not '$form'" >&2; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

joined() {  # LANGUAGE N: the validation text with N lines in one; leftover lines are dropped
  local path=$data/val$infix.$1
  if [ -e "$path" ]; then cat "$path"; else gzip -dc "$path.gz"; fi |
    awk -v n="$2" '{ line = line (line == "" ? "" : " ") $0 } NR % n == 0 { print line; line = "" }'
}

for lines in 1 2 3 4; do
  joined "$source" "$lines" >"$work/source.$lines"
  joined "$target" "$lines" >"$work/reference.$lines"
done
# score TRANSLATION REFERENCE OPTION...: BLEU and the ratio.
score() {
  "$dietmt" evaluate --reference "$2" --hypothesis "$1" "${score[@]}" "${@:3}" |
    sed -nE 's/^BLEU = ([0-9.]+) .*ratio = ([0-9.]+).*/\1 \2/p'
}

runs=("$@")
numbers=()  # of each run, as JSON
# table COLUMN...: the row of run I has the scores that cell I COLUMN prints, if there are any.
table() {
  echo "| run |$(printf ' %s |' "$@")"
  echo "|---|$(printf -- '---|%.0s' "$@")"
  local i column row scores bleu ratio
  for i in "${!runs[@]}"; do
    row=
    for column in "$@"; do
      scores=$(cell "$i" "$column")
      read -r bleu ratio <<<"$scores"
      row+=" ${bleu:-none}${ratio:+ ($ratio)} |"
      if [[ -n $ratio ]]; then numbers[i]+="\"$column\": [$bleu, $ratio], "; fi
    done
    echo "| $(basename "${runs[i]}") |$row"
  done
}

cell() {
  local lines=${2%% *}
  "$dietmt" translate --quiet --model "${runs[$1]}/averaged" --input "$work/source.$lines" \
    --output "$work/$1.$lines"
  score "$work/$1.$lines" "$work/reference.$lines"
}
table "1 line" "2 lines" "3 lines" "4 lines"

# Lengths of the source in words: a third, a third, a sixth and a sixth of the validation text.
awk '{ print NF < 10 ? "1-9" : NF < 13 ? "10-12" : NF < 17 ? "13-16" : "17-" }' \
  "$work/source.1" >"$work/lengths"
cell() {
  local length=${2%% *}
  if grep -qx -e "$length" "$work/lengths"; then
    score "$work/$1.1" "$work/reference.1" --documents "$work/lengths" --subset "^$length\$"
  fi
}
echo
table "1-9 words" "10-12 words" "13-16 words" "17- words"

for i in "${!runs[@]}"; do echo "{${numbers[i]%, }}" >"${runs[i]}/lengths.json"; done
