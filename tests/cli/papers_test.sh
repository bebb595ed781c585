#!/usr/bin/env bash
# All tables and figures of recipes/papers at the scale tiny: papers_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"
recipes=$(cd "$(dirname "$0")/../../recipes/papers" && pwd)
export DIETMT=$dietmt
python3 "$(dirname "$0")/papers_data.py" "$work/data"
table() { expect_code 0 "$recipes/table.sh" "$1" "$work/data" "$work/runs" --scale tiny "${@:2}"; }

# run_jobs TABLE: its jobs as several machines would do them; stages wait for each other.
run_jobs() {
  local job stage=()
  table "$1" --jobs
  cp "$work/out" "$work/jobs"
  echo >>"$work/jobs"
  while read -r job; do
    if [ -n "$job" ]; then
      stage+=("$job")
    else
      printf '%s\0' "${stage[@]}" |
        xargs -0 --max-procs 2 --max-args 1 bash -c >"$work/job.out" 2>"$work/job.err" ||
        fail "$1: $(tail -n 3 "$work/job.err")"
      stage=()
    fi
  done <"$work/jobs"
}

# Before any training, --print has the papers' figures; they give table 5 of Wang et al.
for name in diet-2 wang-2 wang-5; do
  expect_code 0 "$recipes/table.sh" $name "$work/data" "$work/untrained" --scale tiny --print
  grep -Eq '\| here \|( -+ \|)+$' "$work/out" || fail "$name without models: $out"
done
expect_text "|  | its tables 2 to 4 | -0.17 | 0.44 | -0.24 | -0.42 | -0.21 | -0.91 | -0.86 |" "$out"

# The jobs of a table; then its figures and ours.
run_jobs diet-9
expect_equal "$(grep -c . "$work/jobs")" 15 "number of jobs"
table diet-9 --print
expect_text "| DIET-REL, layer-wise | paper | 86.5 | 86.3 | 91.1 | 90.0 | 93.0 | 58.8 | 89.6 | 85.0 |" "$out"
grep -Eq '^\|  \| here \|( [0-9.-]+ ± [0-9.]+, p ([01]\.[0-9]{3}|-) \|){8}$' "$work/out" ||
  fail "no scores with deviation and p: $out"
cp "$work/out" "$work/before"
table diet-9
cmp "$work/out" "$work/before" || fail "a finished table changes"
case $err in *updates*) fail "a finished table is trained again: $err" ;; esac

# All others.
for name in diet-2 diet-8 diet-3 diet-5 diet-6 tupe-2 wang-2 wang-3 wang-4; do
  run_jobs "$name"
  table "$name"
  rows=$(grep -c '| paper |' "$work/out")
  [ "$rows" -gt 4 ] || fail "$name: $out"
  grep '| here |' "$work/out" >"$work/here"
  expect_lines "$work/here" "$rows"
  grep -Eq '\| here \|( -+ \|)+$' "$work/here" && fail "$name has an empty row: $out"
done

table wang-5
grep -Eq '^\|  \| here \|.* p [01]\.[0-9]{3} \|' "$work/out" || fail "no correlations of ours: $out"

# Translation, and settings without training.
run_jobs diet-4
table diet-4
grep -q '| DIET-REL | paper | 39.47 | 38.49 | 18.68 | 23.93 |' "$work/out" || fail "diet-4: $out"
grep -Eq '^\|  \| here \|( [0-9.]+, p [01]\.[0-9]{3} \|){4}$' "$work/out" || fail "diet-4: $out"
table tupe-1
python3 - "$work/out" <<'PYTHON' || fail "the recipe has other settings than the paper: $out"
import sys
rows = [line.strip("| \n").split(" | ") for line in open(sys.argv[1]) if "| paper |" in line or "| here |" in line]
for paper, here in zip(rows[::2], rows[1::2]):
    for theirs, ours in zip(paper[2:], here[-2:]):
        same = theirs in ("-", ours) or (theirs.replace("-", "").replace("e", "").replace(".", "").isdigit()
                                         and float(theirs) == float(ours))
        assert same, (paper, here)
PYTHON

# Figures.
for name in diet-4 tupe-4 tupe-5 wang-1 wang-2 wang-5 wang-6 wang-7 wang-11; do
  expect_code 0 "$recipes/figure.sh" "$name" "$work/data" "$work/runs" --scale tiny
  while read -r page; do
    tail -c 20 "$page" | grep -q '</html>' || fail "$name: $page is not whole"
  done <"$work/out"
done

# Figure 7 has a point for each epoch; the encoder of the last one has been trained on.
python3 - "$work/runs" <<'PYTHON' || fail "other curves in figure wang-7"
import json, pathlib, sys
runs = pathlib.Path(sys.argv[1])
for model in ("wang-ape", "wang-rpe", "wang-learnable-sinusoidal-ape", "wang-learnable-sinusoidal-rpe"):
    lines = [json.loads(line) for line in open(runs / "figures/wang-7" / model / "progress.jsonl")]
    assert [line["epoch"] for line in lines] == [1, 2, 3], lines
    assert [line["update"] for line in lines] == [5, 10, 20], lines
    assert all(0 <= line[f"{task}_f1"] <= 100 for line in lines for task in ("SQuAD1.1", "SQuAD2.0"))
    weights = {(runs / f"models/medium-{model}/epochs/{n}/model.safetensors").read_bytes() for n in (1, 2, 3)}
    assert len(weights) == 3
PYTHON
grep -q '>epoch<' "$work/runs/figures/wang-7/squad.html" || fail "the curves of figure wang-7 are not by epoch"

# Wrong usage.
expect_code 1 "$recipes/table.sh" diet-2 "$work/data" "$work/runs" --scale small
expect_text "has the scale tiny; give another OUTPUT" "$err"
expect_code 2 "$recipes/table.sh" diet-7 "$work/data" "$work/runs"
expect_text "invalid choice" "$err"
expect_code 1 "$recipes/table.sh" diet-2 "$work/data" "$work/runs" --scale tiny --job 'dance x'
expect_text "there is no job 'dance x'" "$err"
expect_code 1 "$recipes/table.sh" diet-2 "$work" "$work/none" --scale tiny --job 'tokenizer diet-rel'
expect_text "there is no text" "$err"
finish
