#!/usr/bin/env bash
# recipes/student from made-up text to a bundle, also after it was killed:
#   student_recipe_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"
recipe=$(dirname "$0")/../../recipes/student/student.py

toy_corpus 80 1 "$work/more"
for part in train valid test; do toy_corpus 60 1 "$work/$part"; done
head -n 40 "$work/train.en" >>"$work/train.en"  # copies, which cleaning removes
head -n 40 "$work/train.de" >>"$work/train.de"
paste "$work/more.en" "$work/more.de" | gzip >"$work/more.tsv.gz"
gzip -c "$work/more.de" >"$work/mono.de.gz"
printf -- '- remove_duplicates\n' >"$work/rules.yaml"
cat >"$work/settings.toml" <<'TOML'
source = "en"
target = "de"
name = "toy"
license = "CC0-1.0"
average = 2
machine = ["--threads", "1"]
options = ["--width", "32", "--feed-forward", "32", "--heads", "2", "--encoder-layers", "1",
  "--decoder-layers", "1", "--batch-tokens", "500", "--save-interval", "2", "--valid-interval", "4",
  "--no-valid-translation", "--max-updates", "4"]
[text]
train_source = ["train.en", "more.tsv.gz:1"]
train_target = ["train.de", "more.tsv.gz:2"]
valid = ["valid.en", "valid.de"]
test = ["test.en", "test.de"]
monolingual = "mono.de.gz"
[clean]
rules = "rules.yaml"
[teacher]
positions = ["diet-rel", "sinusoidal"]
options = ["--vocab-size", "90"]
[student]
options = ["--decoder-layer", "ssru", "--decoder-position", "none"]
baseline = true
[evaluate]
rounds = 2
TOML
run() { env DIETMT="$dietmt" python3 "$recipe" "$work/settings.toml" "$1"; }

expect_code 0 run "$work/whole"
[ "$(grep -c '^| ' <<<"$out")" -eq 10 ] || fail "the table does not have nine systems: $out"
expect_lines "$work/whole/clean/1.en" 60
expect_lines "$work/whole/distilled/2.de" 80
cmp <(gzip -dc "$work/mono.de.gz") "$work/whole/back/back.de" || fail "other text was translated back"
grep -q '"decoder_layer": "ssru"' "$work/whole/student/int8/config.json" || fail "not an SSRU"
for text in "toy" "CC0-1.0" "140 pairs and 80 lines translated back" "BLEU"; do
  grep -qF "$text" "$work/whole/bundle/toy/MODEL_CARD.md" || fail "not on the model card: $text"
done
for text in "student on the same text" "teacher-1/report.html" "clean/1.html" "bundle/toy.tar.gz"; do
  grep -qF "$text" "$work/whole/summary.html" || fail "not on the summary page: $text"
done
python3 - "$work/whole/evaluated/results.jsonl" <<'PYTHON' || fail "results.jsonl"
import json, sys
results = {entry["system"]: entry for entry in map(json.loads, open(sys.argv[1]))}
for entry in results.values():
    assert len(entry["seconds"]) == len(entry["start_seconds"]) == 2
    assert entry["memory_mb"] > 1 and entry["lines_per_second"] > 0
    assert all(training["updates"] == 4 for training in entry["trainings"])
averages = ["teacher, diet-rel, averaged", "teacher, sinusoidal, averaged", "ensemble of the teachers"]
best = max(averages, key=lambda name: results[name]["validation"]["BLEU"])
distilled = ["student", "the same in int8", "the same with a shortlist"]
assert {name: entry["teacher"] for name, entry in results.items()} == \
    {name: best if name in distilled else None for name in results}
size = {name: entry["megabytes"] for name, entry in results.items()}
assert size["the same in int8"] < size["the same with a shortlist"]
assert size["ensemble of the teachers"] > size["teacher, diet-rel, averaged"]
PYTHON

# The bundle works by itself.
mkdir "$work/unpacked" && tar -xzf "$work/whole/bundle/toy.tar.gz" -C "$work/unpacked"
expect_code 0 "$dietmt" translate --model "$work/unpacked/toy" --input "$work/test.en" \
  --shortlist "$work/unpacked/toy/shortlist.bin"
expect_lines "$work/out" 60

# Killed in the second teacher and in the student, it makes the same translator.
kill_in() { # STEP
  setsid env DIETMT="$dietmt" python3 "$recipe" "$work/settings.toml" "$work/killed" 2>"$work/err" &
  local pid=$!
  until [ -e "$work/killed/$1/step.json" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
  sleep 0.3
  kill -KILL -- -$pid 2>/dev/null
  wait $pid 2>/dev/null
  [ ! -e "$work/killed/$1/done.json" ] || fail "$1 ended before it was killed"
}
kill_in teacher-2
kill_in student
expect_code 0 run "$work/killed"
case $err in *"student.py: teacher-1"*) fail "a step is done twice: $err" ;; esac
cmp "$work/whole/student/int8/model.safetensors" "$work/killed/student/int8/model.safetensors" ||
  fail "a killed run makes another student"
expect_code 0 run "$work/killed"
case $err in *"student.py: "*) fail "a finished run works again: $err" ;; esac

# Settings that are wrong, or other ones.
refused() { # SED TEXT
  sed -i.before "$1" "$work/settings.toml"
  expect_code 2 run "$work/killed"
  expect_text "$2" "$err"
  mv "$work/settings.toml.before" "$work/settings.toml"
}
refused 's/^rounds = 2/rounds = 3/' "$work/killed/evaluated is of other settings"
refused 's/^positions/postions/' "teacher.postions is not a setting; there are config, options, positions"
refused 's/^average = 2/average = "2"/' "average must be of type int"
refused 's/mono.de.gz/absent.gz/' "absent.gz does not exist"
refused 's/^valid = .*//' "text needs software = true, or files"
expect_code 2 python3 "$recipe" "$work/settings.toml"
expect_text "student.py SETTINGS.toml OUTPUT" "$err"
finish
