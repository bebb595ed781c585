#!/usr/bin/env bash
# dietmt inspect compare and correlate from the command line: inspect_models_test.sh BINARY RUNS,
# where RUNS is the output folder of bert_pretrain_test.sh.
dietmt=$1
runs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

# results SCORE...: results.json of bert finetune, a run for each score.
results() {
  local list
  list=$(printf '{"scores": {"accuracy": %s}}, ' "$@")
  printf '{"task": "RTE", "metric": "accuracy", "best_learning_rate": 1, "rates": [{"learning_rate": 1,
    "scores": {"accuracy": 0}, "runs": [%s]}]}' "${list%, }"
}
for copy in model:a model:b pairs:c; do
  cp -r "$runs/${copy%:*}" "$work/${copy#*:}"
  mkdir -p "$work/${copy#*:}/tasks/RTE"
done
results 60.2 59.1 >"$work/a/tasks/RTE/results.json"
results 58.9 61.3 60.4 >"$work/b/tasks/RTE/results.json"
results 70 71 >"$work/c/tasks/RTE/results.json"

small=(--length 12 --words 5)
expect_code 0 "$dietmt" inspect compare "$work/a" "$work/b" "${small[@]}"
expect_text $'model\taiv\t' "$out"
expect_text $'RTE\taccuracy\ta\t2\t59.65\t0.78\t-\t-' "$out"
expect_text $'RTE\taccuracy\tb\t3\t60.20\t1.21\t0.55\t0.5808' "$out"
expect_text $'validation\tmlm_accuracy\ta\t1\t' "$out"
expect_text $'model\tparameters\tupdates\ttime\ttokens/s' "$out"
expect_text $'\t40\t' "$out"
expect_code 0 "$dietmt" inspect compare "$work/a,$work/b" "$work/c" "${small[@]}" --json
python3 - "$work/out" <<'PYTHON' || fail "the JSON is not as promised: $out"
import json, sys
both, one = json.load(open(sys.argv[1]))
values = next(score["values"] for score in both["scores"] if score["task"] == "RTE")
assert [round(value, 6) for value in values] == [59.65, 60.2]
assert len(one["by_reach"]["opr"]) == 11 and len(one["attention_by_offset"]) == 23
PYTHON
expect_code 0 "$dietmt" inspect compare "$work/a" "$work/b" "${small[@]}" --output "$work/page.html"
[ -z "$out" ] || fail "a page was asked for, yet stdout has: $out"
for text in "mean attention by offset" "OPR of the nearest offsets" "validation loss" "0.5808"; do
  grep -q "$text" "$work/page.html" || fail "the page lacks '$text'"
done

expect_code 0 "$dietmt" inspect correlate "$work/a" "$work/b" "$work/c" "${small[@]}"
expect_text $'aiv\tRTE accuracy\t3\t' "$out"
printf 'model\tOPR\tSQuAD\na\t1\t9\nb\t2\t8\nc\t4\t1\nd\t5\t-\n' >"$work/table.tsv"
expect_code 0 "$dietmt" inspect correlate --table "$work/table.tsv" --indicators OPR
expect_text $'OPR\tSQuAD\t3\t-0.98\t' "$out"
expect_code 0 "$dietmt" inspect correlate "$work/a" "$work/b" "$work/c" "${small[@]}" \
  --output "$work/correlations.html"
grep -q 'of the nearest offsets' "$work/correlations.html" || fail "the page has no curves"

expect_code 2 "$dietmt" inspect correlate
expect_text "give --models or --table" "$err"
expect_code 2 "$dietmt" inspect correlate "$work/a" --indicators OPR
expect_text "--indicators needs --table" "$err"
expect_code 2 "$dietmt" inspect correlate --table "$work/table.tsv" --indicators AIV
expect_text "has no such column" "$err"
mkdir "$work/empty"
expect_code 1 "$dietmt" inspect compare "$work/empty"
expect_text "empty: neither a model nor results of bert finetune" "$err"
finish
