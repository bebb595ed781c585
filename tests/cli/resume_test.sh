#!/usr/bin/env bash
# Continuing with other operational options, a time limit, and where messages go: resume_test.sh
# BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

toy_training 500 20
run=("${toy_train[@]}" --batch-tokens 500 --schedule linear --output "$work/model")
expect_code 0 "${run[@]}" --valid-interval 10 --max-updates 30

# The end of the schedule and the interval affect the result, so they change only on request.
changed=("${run[@]}" --valid-interval 8 --max-updates 40)
expect_code 2 "${changed[@]}"
expect_text "--valid-interval: was 10, is 8" "$err"
expect_text "--resume-changed max-updates valid-interval" "$err"
expect_code 2 "${changed[@]}" --resume-changed max-updates
expect_code 2 "${changed[@]}" --resume-changed max-updates valid-interval --dropout 0.2
expect_text "--dropout: was" "$err"
case $err in *"was 10, is 8"*) fail "an accepted change is reported: $err" ;; esac
expect_code 2 "${changed[@]}" --resume-changed width
expect_text "--resume-changed is 'width'" "$err"
expect_code 0 "${changed[@]}" --resume-changed max-updates valid-interval
expect_text "from update 30 on, --valid-interval: was 10, is 8" "$err"
expect_text "validation at update 32" "$err"
expect_text "update 40/40" "$err"

# The history keeps earlier values, and the same command continues.
changed=("${run[@]}" --valid-interval 8 --max-updates 48 --valid-beam 2)
expect_code 0 "${changed[@]}" --resume-changed max-updates valid-interval valid-beam
python3 - "$work/model" <<'PYTHON' || fail "the changes are not in the history"
import json, sys
changes = json.load(open(sys.argv[1] + "/last/training.json"))["changes"]
assert [(c["update"], c["option"], c["was"], c["is"]) for c in changes] == [
    (30, "max-updates", "30", "40"), (30, "valid-interval", "10", "8"),
    (40, "max-updates", "40", "48"), (40, "valid-beam", "5", "2")], changes
earlier = json.load(open(sys.argv[1] + "/settings.json"))["settings"]["earlier values"]
assert earlier["max-updates"] == "30 to update 30, 40 to update 40", earlier
PYTHON
# Changing the beam does not affect the metric, valid_loss.
grep -q '"scores_after": 0' "$work/model/last/checkpoint.json" || fail "the loss starts anew"
grep -q "earlier values" "$work/model/report.html" || fail "report.html lacks the changes"

# Scores with another beam are not comparable, so earlier ones do not compete. All of toy_train
# except --no-valid-translation.
beam=("${toy_train[@]::${#toy_train[@]}-1}" --batch-tokens 500 --output "$work/beam"
  --valid-metric bleu --valid-interval 10)
expect_code 0 "${beam[@]}" --max-updates 10
expect_code 0 "${beam[@]}" --max-updates 20 --valid-beam 1 --resume-changed valid-beam
grep -q '"scores_after": 10' "$work/beam/last/checkpoint.json" || fail "earlier scores compete"
[ "$(readlink "$work/beam/best")" = checkpoints/update-00000020 ] || fail "best is of other scores"

# Another number of threads rounds sums differently; resuming with another one says so.
threads=(--no-valid-translation --batch-tokens 500 --output "$work/threads" --valid-interval 10)
expect_code 0 "${toy_train[@]::${#toy_train[@]}-1}" "${threads[@]}" --max-updates 10
grep -q '"threads": "1"' "$work/threads/settings.json" || fail "settings.json lacks the threads"
expect_code 0 "${toy_train[@]::${#toy_train[@]}-1}" "${threads[@]}" --max-updates 20
case $err in *"this run had"*) fail "the same threads: $err" ;; esac
expect_code 0 "${toy_train[@]::${#toy_train[@]}-2}" 2 "${threads[@]}" --max-updates 30
expect_text "this run had 1 threads and now has 2" "$err"

# A stop by --patience says so, and so does the same command again. adam's weight decay is L2.
patient=("${toy_train[@]}" --batch-tokens 500 --output "$work/patient" --schedule constant --learning-rate 1e-12 --patience 2
  --optimizer adam --weight-decay 1e-3 --valid-interval 2 --max-updates 100)
for _ in 1 2; do
  expect_code 0 "${patient[@]}"
  expect_text "has not improved in the last 2 validations (--patience 2)" "$err"
  expect_text "fairseq's adam" "$err"
done
expect_text "already complete" "$err"

# --vocab-size is ignored with --tokenizer, so it may be left out when resuming.
given=("${toy_train[@]}" --batch-tokens 500 --output "$work/given" --valid-interval 10
  --tokenizer "$work/model/data/tokenizer.model")
expect_code 0 "${given[@]}" --max-updates 10
for at in "${!given[@]}"; do
  [ "${given[at]-}" = --vocab-size ] && unset "given[at]" "given[at + 1]"
done
expect_code 0 "${given[@]}" --max-updates 20
expect_text "resuming from update 10" "$err"

# Several validation texts have separate scores and translations; a command scores them.
several=("${toy_train[@]:0:6}" --valid-source "$work/valid.en" "$work/valid.en"
  --valid-target "$work/valid.de" "$work/valid.de" "${toy_train[@]:10:${#toy_train[@]}-11}"
  --batch-tokens 500 --output "$work/several" --valid-output "$work/translations"
  --valid-command "sh -c 'cat \"\$@\" | wc -w' sh" --valid-metric command --max-updates 5)
expect_code 0 "${several[@]}"
expect_lines "$work/translations.1" 20
expect_lines "$work/translations.2" 20
for name in bleu_1 chrf_2 command; do
  grep -q "\"$name\"" "$work/several/progress.jsonl" || fail "progress.jsonl lacks $name"
done
expect_code 2 "${several[@]}" --valid-source-tag "<a>"
expect_text "--valid-source-tag has 1 tags for 2 files" "$err"

# --max-time saves and ends like a signal. The log file has what --quiet keeps from stderr.
limited=("${toy_train[@]}" --batch-tokens 500 --valid-interval 1000 --output "$work/limited"
  --quiet --log-file "$work/log")
expect_code 75 "${limited[@]}" --max-updates 10000 --max-time 0.001
[ -z "$err" ] || fail "--quiet lets through: $err"
expect_text "stopped by --max-time at update" "$(cat "$work/log")"
update=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["update"])' \
  "$work/limited/last/training.json")
expect_code 0 "${limited[@]}" --max-updates $((update + 1))
expect_text "resuming from update $update" "$(cat "$work/log")"
expect_text "stopped by --max-time at update" "$(cat "$work/log")"
expect_code 1 "$dietmt" translate --model "$work/nothing" --quiet
[ -n "$err" ] || fail "--quiet hides an error"
expect_code 2 "$dietmt" translate --model "$work/limited" --log-file "$work/no/such/folder/"
expect_text "--log-file $work/no/such/folder/: cannot be opened" "$err"
finish
