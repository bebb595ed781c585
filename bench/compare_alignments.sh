#!/usr/bin/env bash
# Word alignments of models and of the statistical aligner compared with manual links: alignment error
# rates on 100 sentences of Multi30k's validation text EN-DE (lines 1, 11, 21, ...).
#
#   bench/compare_alignments.sh DATA OUTPUT
#
# DATA is github.com/multi30k/dataset's data/task1/tok, its files ending in .lc.norm.tok.en and .de,
# plain or gzip. From the environment: DIETMT (the program), UPDATES (default 2000), SEED (default 1)
# and OPTIONS (more options of dietmt train). bench/alignment/multi30k_val_en_de.links has the links:
# two annotators linked all sentences, independently; a link is sure if it is for both, else possible
# (Och and Ney 2003). The models read the given translation token by token (--prefix). Runs that
# were interrupted continue.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if (($# != 2)); then
  echo "usage: $0 DATA OUTPUT" >&2
  exit 2
fi
data=$1 out=$2 updates=${UPDATES:-2000}
dietmt=${DIETMT:-$here/../build/bin/dietmt}
mkdir -p "$out"

text() {  # NAME LANGUAGE
  local file=$data/$1.lc.norm.tok.$2
  if [ -e "$file" ]; then cat "$file"; else gzip -dc "$file.gz"; fi
}
for language in en de; do
  text train "$language" >"$out/train.$language"
  text val "$language" >"$out/valid.$language"
  awk 'NR <= 1000 && NR % 10 == 1' "$out/valid.$language" >"$out/hundred.$language"
  cat "$out/train.$language" "$out/hundred.$language" >"$out/all.$language"
done
[ -e "$out/joint.model" ] || "$dietmt" tokenizer --input "$out/train.en" "$out/train.de" \
  --vocab-size 9712 --output "$out/joint.model"

align() {  # NAME OPTION...: the links of the statistical aligner
  local name=$1
  shift
  "$dietmt" align --quiet --source "$out/all.en" --target "$out/all.de" "$@" \
    --output "$out/$name.all"
  tail -n 100 "$out/$name.all" >"$out/$name"
}
for links in forward intersection grow-diag-final-and; do
  align "words-$links" --symmetrize "$links"
  align "pieces-$links" --symmetrize "$links" --tokenizer "$out/joint.model"
done
head -n -100 "$out/pieces-intersection.all" >"$out/train.links"

model() {  # NAME OPTION...: the links of a model
  local name=$1
  shift
  # shellcheck disable=SC2086 # OPTIONS are several words
  "$dietmt" train --config "$here/../recipes/multi30k/tiny.cfg" --output "$out/$name.run" \
    --seed "${SEED:-1}" --tokenizer "$out/joint.model" --train-source "$out/train.en" \
    --train-target "$out/train.de" --valid-source "$out/valid.en" --valid-target "$out/valid.de" \
    --accumulate 1 --learning-rate 0.004 --warmup $((updates / 4)) --max-updates "$updates" \
    --valid-interval $((updates / 4)) --save-interval 0 --keep-last 1 "$@" ${OPTIONS:-}
  "$dietmt" translate --model "$out/$name.run" --alignment hard --input "$out/hundred.en" \
    --prefix "$out/hundred.de" --output "$out/$name.all"
  # Words after the given translation have no place in it.
  paste -d '\t' "$out/$name.all" "$out/hundred.de" | awk -F '\t' '{
    n = split($1, parts, / \|\|\| /); words = split($2, target, " "); line = ""
    count = split(parts[n], links, " ")
    for (i = 1; i <= count; ++i) {
      split(links[i], link, "-")
      if (link[2] < words) line = line (line == "" ? "" : " ") links[i]
    }
    print line
  }' >"$out/$name"
}
model plain
model guided-auto --guided-alignment auto
model guided-intersection --guided-alignment "$out/train.links"

cd "$out"
python3 "$here/alignment_error_rate.py" "$here/alignment/multi30k_val_en_de.links" words-forward \
  pieces-forward words-intersection pieces-intersection words-grow-diag-final-and \
  pieces-grow-diag-final-and plain guided-auto guided-intersection
