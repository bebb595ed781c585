#!/usr/bin/env bash
# dietmt import of COMET checkpoints and dietmt evaluate --metric comet: comet_test.sh BINARY CASES,
# where CASES is tests/interchange/comet_cases, with the scores of the Python package.
dietmt=$1
cases=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

python3 - "$cases/segments.json" <<'PYTHON'
import json, sys
for key in ("src", "mt", "ref"):
    with open(key, "w") as file:
        # The package reads spaces at the ends of lines, dietmt does not; there are none.
        file.writelines(segment[key] + "\n" for segment in json.load(open(sys.argv[1])))
PYTHON
rotated() { tail -n +2 "$1"; head -1 "$1"; }
rotated mt >other

for case in normed referenceless unified; do
  expect_code 0 "$dietmt" import --from "$cases/$case" --encoder "$cases/encoder" --output "$case"
done
evaluate=("$dietmt" evaluate --source src --hypothesis mt)
comet=("${evaluate[@]}" --metric comet)

# agrees CASE FILE OPTIONS...: the scores are those of the package, and the system has their mean.
agrees() {
  local expected=$1
  shift
  "${comet[@]}" "$@" --json --sentence-level >result.json || fail "evaluate $* failed"
  python3 - "$cases/$expected" <<'PYTHON' || fail "the scores with $* are not those of $expected"
import json, sys
expected = json.load(open(sys.argv[1]))
result = json.load(open("result.json"))[0]
assert len(expected) == len(result["sentence_scores"]), result
assert max(abs(a - b) for a, b in zip(expected, result["sentence_scores"])) < 1e-5, result
assert abs(result["score"] - sum(expected) / len(expected)) < 1e-5, result
assert result["metric"] == "COMET", result
PYTHON
}
agrees normed/scores.json --comet-model normed --reference ref
agrees unified/scores.json --comet-model unified --reference ref
agrees unified/scores_without_reference.json --comet-model unified
agrees referenceless/scores.json --comet-model referenceless
agrees referenceless/scores.json --comet-model referenceless --reference ref --batch-tokens 30 --threads 1

# Together with other metrics, in their output formats.
expect_code 0 "${evaluate[@]}" --comet-model normed --reference ref --metric bleu,comet
expect_text "COMET = 0." "$out"
expect_text "COMET: nrefs:1|model:normed|version:dietmt-" "$out"
expect_text "BLEU = " "$out"
expect_text "texts are too long for the COMET model" "$err"
expect_code 0 "${comet[@]}" --comet-model normed --reference ref --score-only --digits 1
[[ $out =~ ^-?[0-9]\.[0-9]{3}$ ]] || fail "--score-only --digits 1 printed: $out"
expect_code 0 "$dietmt" evaluate --metric comet --comet-model normed --source src --reference ref \
  --hypothesis mt other --paired randomization
expect_text "(p = " "$out"
printf 'a\na\nb\nb\nb\nb\nb\nb\nb\nc\n' >documents
expect_code 0 "${comet[@]}" --comet-model normed --reference ref --documents documents --document-level
[ "$(wc -l <<<"$out")" -eq 3 ] || fail "not a line for each document: $out"
expect_code 0 "${comet[@]}" --comet-model normed --reference ref --documents documents --subset '^b'
expect_text "nrefs:1|subset:^b|model:normed" "$out"
expect_code 0 bash -c "'$dietmt' evaluate --metric comet --comet-model referenceless --source src \
  --hypothesis - <mt"
expect_text "COMET: nrefs:0|model:referenceless" "$out"

refuses() {
  local words=$1 code=$2
  shift 2
  expect_code "$code" "$@"
  expect_text "$words" "$err"
}
refuses "normed compares translations with references: give --reference FILE" 2 \
  "${comet[@]}" --comet-model normed
refuses "--metric comet needs --comet-model DIR" 2 "${comet[@]}" --reference ref
refuses "--metric comet needs --source FILE" 2 \
  "$dietmt" evaluate --metric comet --comet-model normed --reference ref --hypothesis mt
refuses "--source needs --metric comet" 2 \
  "$dietmt" evaluate --source src --reference ref --hypothesis mt
refuses "--metric comet takes one --reference" 2 "${comet[@]}" --comet-model normed --reference ref mt
refuses "--reference is missing" 2 \
  "${evaluate[@]}" --comet-model referenceless --metric comet,bleu
head -3 src >short
refuses "short 3" 1 "$dietmt" evaluate --metric comet --comet-model referenceless --source short \
  --hypothesis mt
refuses "is not a COMET model of dietmt" 1 "${comet[@]}" --comet-model "$cases/encoder"
refuses "give --encoder DIR" 2 "$dietmt" import --from "$cases/normed" --output never
refuses "--encoder needs a COMET or MetricX checkpoint" 2 \
  "$dietmt" import --from "$cases/encoder" --encoder "$cases/encoder" --output never
[ ! -e never ] || fail "a refused import left its output"
finish
