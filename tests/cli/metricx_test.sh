#!/usr/bin/env bash
# dietmt import of MetricX models, and the commands that score with them: metricx_test.sh BINARY CASES,
# where CASES is tests/interchange/metricx_cases, with the scores of transformers.
dietmt=$1
cases=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

python3 - "$cases/scores.json" <<'PYTHON'
import json, sys
for key in ("src", "mt", "ref"):
    with open(key, "w") as file:
        file.writelines(segment[key] + "\n" for segment in json.load(open(sys.argv[1]))["segments"])
PYTHON
for case in metricx-24 metricx-23 metricx-23-qe; do
  expect_code 0 "$dietmt" import "$cases/$case" --encoder "$cases/mt5" --output "$case"
done
metricx=("$dietmt" evaluate --metric metricx --source src --hypothesis mt --threads 1)

# agrees CASE KIND OPTION...: the scores are those of transformers, and the system has their mean.
agrees() {
  local case=$1 kind=$2
  shift 2
  "${metricx[@]}" --comet-model "$case" "$@" --json --sentence-level >result.json ||
    fail "evaluate $case $* failed"
  python3 - "$cases/scores.json" "$case" "$kind" <<'PYTHON' || fail "the scores of $case $* differ"
import json, sys
expected = json.load(open(sys.argv[1]))["scores"][sys.argv[2]][sys.argv[3]]
result = json.load(open("result.json"))[0]
assert max(abs(a - b) for a, b in zip(expected, result["sentence_scores"], strict=True)) < 1e-4, result
assert abs(result["score"] - sum(expected) / len(expected)) < 1e-4, result
assert result["metric"] == "MetricX", result
PYTHON
}
agrees metricx-24 with --reference ref
agrees metricx-24 without
agrees metricx-23 with --reference ref --batch-tokens 30
agrees metricx-23-qe with

expect_code 0 "${metricx[@]}" --comet-model metricx-24 --reference ref --metric bleu,metricx
expect_text "MetricX: nrefs:1|model:metricx-24|version:dietmt-" "$out"
expect_text "BLEU = " "$out"
expect_text "texts are too long for the MetricX model" "$err"
expect_code 0 "$dietmt" evaluate --metric metricx --comet-model metricx-23-qe --source src \
  --hypothesis mt ref --paired randomization
expect_text "(p = " "$out"

# The candidate with fewer errors comes first.
paste -d '\n' mt ref | sed '/^$/s/.*/hund/' >each
awk '{ printf "%d ||| %s ||| 0.0\n", int((NR - 1) / 2), $0 }' each >nbest
expect_code 0 "$dietmt" rerank --nbest-list nbest --source src --comet-model metricx-23-qe --output best
awk '{ print; print }' src >each.src
expect_code 0 "$dietmt" evaluate --metric metricx --comet-model metricx-23-qe --source each.src \
  --hypothesis each --sentence-level --json
python3 - "$out" <<'PYTHON' || fail "rerank did not choose the translations with the lowest scores"
import json, sys
scores = json.loads(sys.argv[1])[0]["sentence_scores"]
each, best = open("each").read().splitlines(), open("best").read().splitlines()
expected = [each[i] if scores[i] <= scores[i + 1] else each[i + 1] for i in range(0, len(each), 2)]
assert best == expected, (best, expected)
assert best != each[::2] and best != each[1::2]
PYTHON

refuses() {
  local words=$1 code=$2
  shift 2
  expect_code "$code" "$@"
  expect_text "$words" "$err"
}
refuses "metricx-23 compares translations with references: give --reference FILE" 2 \
  "${metricx[@]}" --comet-model metricx-23
refuses "--metric asks for COMET, but --comet-model metricx-24 is a MetricX model" 2 \
  "${metricx[@]}" --comet-model metricx-24 --metric comet
refuses "--comet-model names one model" 2 "${metricx[@]}" --comet-model metricx-24 --metric comet,metricx
refuses "--comet-context needs --metric comet" 2 \
  "${metricx[@]}" --comet-model metricx-24 --documents src --comet-context 2
refuses "give --encoder DIR, the mT5 with its spiece.model" 2 \
  "$dietmt" import "$cases/metricx-24" --output never
refuses 'describes a model of kind "metricx"' 1 "$dietmt" translate --model metricx-24 --input src
cp -r "$cases/metricx-24" plain
refuses "rename the directory" 1 "$dietmt" import plain --encoder "$cases/mt5" --output never
[ ! -e never ] || fail "a refused import left its output"
finish
