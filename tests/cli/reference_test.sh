#!/usr/bin/env bash
# docs/reference names every key and file that a training run writes: reference_test.sh BINARY RUN
# ENCODER (RUN, ENCODER: from train_test.sh and bert_pretrain_test.sh)
run=$2
encoder=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
reference=$(cd "$(dirname "$0")/../.." && pwd)/docs/reference

# named PAGE NAME...
named() {
  local page=$1
  shift
  (($# > 1)) || fail "nothing to look for in $page"
  for name in "$@"; do
    grep -qF "\`$name" "$reference/$page" || fail "docs/reference/$page does not name $name"
  done
}
keys() { python3 -c 'import json, sys; print(*json.load(sys.stdin)'"$1"')'; }

# shellcheck disable=SC2046  # names are words
named config.md $(keys '["model"]' <"$run/best/config.json")
# shellcheck disable=SC2046
named config.md $(keys '["model"]' <"$encoder/best/config.json")
# shellcheck disable=SC2046
named progress.md $(keys '' <"$run/last/training.json")
# shellcheck disable=SC2046
named progress.md $(keys '' <"$run/last/checkpoint.json")
# shellcheck disable=SC2046
named progress.md $(python3 -c 'import json, sys; print(*{key for line in sys.stdin for key in json.loads(line)})' \
  <"$run/progress.jsonl")
for file in "$run"/* "$run"/last/*; do
  name=$(basename "$file")
  case $name in
    events.out.tfevents.*) name=events.out.tfevents. ;;
    *.sh | *.en | *.de) continue ;;
  esac
  grep -qF "\`$name" "$reference/progress.md" "$reference/config.md" ||
    fail "docs/reference does not name the file $name"
done
finish
