#!/usr/bin/env bash
# A row of the DIET paper's translation table: trains a base Transformer with one position encoding
# for each direction, averages its last checkpoints, translates newstest2018 once and prints BLEU.
#
#   recipes/wmt18/run.sh sinusoidal|shaw|diet-rel DATA OUTPUT [option of dietmt train ...]
#
# DATA is what fetch.sh made: DATA/PAIR/{train,valid,test}.LANGUAGE, plain or .gz. Models and
# translations go to OUTPUT/DIRECTION. Options given here win over base.cfg, for instance
# --device cuda --precision bf16. A run that was interrupted continues; a finished direction is not
# trained again. From the environment: DIRECTIONS (default "en-de de-en en-cs cs-en"), AVERAGE
# (checkpoints, default 20) and DIETMT (the program).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../settings.sh"
if (($# < 3)); then
  echo "usage: $0 sinusoidal|shaw|diet-rel DATA OUTPUT [option of dietmt train ...]" >&2
  exit 2
fi
encoding=$1 data=$2 output=$3
shift 3
dietmt=${DIETMT:-$here/../../build/bin/dietmt}
case $encoding in
  sinusoidal) position=sinusoidal ;;
  shaw) position='shaw(clip=16)' ;;
  diet-rel) position=diet-rel ;;
  *) echo "'$encoding' is not known; possible: sinusoidal, shaw, diet-rel" >&2; exit 2 ;;
esac

# text FOLDER NAME: the file, plain or compressed.
text() {
  local file
  for file in "$1/$2" "$1/$2.gz"; do
    if [[ -e $file ]]; then echo "$file" && return; fi
  done
  echo "run.sh: $1/$2 is missing; recipes/wmt18/fetch.sh makes it" >&2
  exit 1
}

settings="$encoding $(result_options "$@")"

row="| $encoding |"
header='| encoding |'
for direction in ${DIRECTIONS:-en-de de-en en-cs cs-en}; do
  source=${direction%-*} target=${direction#*-}
  folder=$data/$source-$target
  [[ -d $folder ]] || folder=$data/$target-$source
  run=$output/$direction
  options=()
  for part in train valid; do
    source_file=$(text "$folder" "$part.$source")
    target_file=$(text "$folder" "$part.$target")
    options+=("--$part-source" "$source_file" "--$part-target" "$target_file")
  done
  test_source=$(text "$folder" "test.$source")
  test_target=$(text "$folder" "test.$target")
  keep_settings "$run" "$settings"
  if [[ ! -e $run/bleu.json ]]; then
    "$dietmt" train --config "$here/base.cfg" --position "$position" "${options[@]}" \
      --output "$run" "$@"
    rm -rf "$run/averaged"  # of an earlier call
    "$dietmt" average --inputs "$run" --last "${AVERAGE:-20}" --output "$run/averaged"
    # tensor2tensor's length penalty (Wu et al. 2016).
    "$dietmt" translate --model "$run/averaged" --input "$test_source" \
      --output "$run/newstest2018.$target" --beam 10 --length-norm gnmt --length-penalty 0.6
    "$dietmt" evaluate --reference "$test_target" --hypothesis "$run/newstest2018.$target" \
      --metric bleu --json >"$run/bleu.json.part"
    mv "$run/bleu.json.part" "$run/bleu.json"
  fi
  bleu=$(sed -n 's/.*"score": *\([0-9.]*\).*/\1/p' "$run/bleu.json")
  header+=" ${direction^^} |"
  row+=$(LC_ALL=C printf ' %.2f |' "${bleu%%$'\n'*}")
done
printf '%s\n%s\n%s\n' "$header" "$(sed 's/[^|]*|/---|/g; s/^---|/|/' <<<"$header")" "$row"
