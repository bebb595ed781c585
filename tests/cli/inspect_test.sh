#!/usr/bin/env bash
# dietmt inspect positions and attention from the command line: inspect_test.sh BINARY MODEL, where
# MODEL is the output of train_test.sh: sinusoidal positions, one layer, two heads.
dietmt=$1
model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
positions=("$dietmt" inspect positions)

expect_code 0 "${positions[@]}" --list
expect_text "sinusoidal" "$out"

# Tables on stdout: position scores with a row per head and stack, and a row of indicators.
small=(--model "$model" --length 12 --words 5)
expect_code 0 "${positions[@]}" "${small[@]}"
expect_text "rank of position scores" "$out"
[ "$(grep -c $'^encoder\t' "$work/out")" -eq 7 ] ||
  fail "not three rows for each encoder head and one for their mean: $out"
expect_text $'decoder\t1\t' "$out"
grep -q $'^decoder\t.*\tinf\t' "$work/out" || fail "the decoder looks at words to come: $out"

# The page is one self-contained file.
expect_code 0 "${positions[@]}" "${small[@]}" --output "$work/page.html"
[ -z "$out" ] || fail "a page was asked for, yet stdout has: $out"
[ "$(grep -c "<svg class='heat'" "$work/page.html")" -eq 32 ] || fail "the page has not 32 maps"
expect_text "Rank of the position terms" "$(cat "$work/page.html")"
for part in http '<script' '<link' 'src='; do
  grep -q "$part" "$work/page.html" && fail "'$part' is in the page"
done
tail -c 20 "$work/page.html" | grep -q '</html>' || fail "the page is not whole"

# JSON has everything, and the same words for the same seed.
expect_code 0 "${positions[@]}" "${small[@]}" --json --output "$work/again.html"
cmp "$work/page.html" "$work/again.html" || fail "the same command draws another page"
cp "$work/out" "$work/report.json"
python3 - "$work/report.json" <<'PYTHON' || fail "the JSON is not as promised"
import json, math, sys
report = json.load(open(sys.argv[1]))
assert (report["length"], report["words"]) == (12, 5)
encoder, decoder, cross = report["sites"]
assert [s["site"] for s in report["sites"]] == ["encoder", "decoder", "cross"]
assert encoder["position"] == "sinusoidal" and not cross["identical_words"]
for site in encoder, decoder:
    assert len(site["identical_words"]) == len(site["position_scores"]) == 2
    for head in site["identical_words"]:
        for row in head["attention"]:
            assert len(row) == 12 and math.isclose(sum(row), 1, abs_tol=1e-4)
    assert all(1 <= term["rank"] <= 12 for term in site["position_scores"])
    assert len(site["input_positions"]["projected_by_head"]) == 2
    for head in site["first_scores"]["heads"]:
        assert math.isclose(sum(head["shares"].values()), 1, abs_tol=1e-4)
        assert head["rank_without_terms"] <= site["first_scores"]["head_width"]
assert "framed_words" not in encoder  # no [CLS]
assert decoder["identical_words"][0]["db"] is None
assert decoder["position_scores"][0]["scores"][0][1] is None
PYTHON
# The name of the model need not be UTF-8.
ln -s "$(realpath "$model")" "$work/m"$'\377'
expect_code 0 "${positions[@]}" --model "$work/m"$'\377' --length 4 --words 2 --json
python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$work/out" ||
  fail "not JSON: $out"
# Asking for more words than the vocabulary has gives all of them.
expect_code 0 "${positions[@]}" --model "$model" --length 4 --words 100000 --json
grep -q '"words":[0-9][0-9],' "$work/out" || fail "other words than those of the vocabulary"
expect_code 0 "${positions[@]}" "${small[@]}" --json --seed 2
cmp -s "$work/out" "$work/report.json" && fail "--seed makes no difference"

# Each checkpoint of a run.
expect_code 0 "${positions[@]}" --checkpoints "$model" --length 8 --words 3
checkpoints=$(find "$model/checkpoints" -mindepth 1 -maxdepth 1 -name 'update-*' | wc -l)
[ "$(grep -c $'\tencoder\t' "$work/out")" -eq "$checkpoints" ] || fail "not every checkpoint: $out"
expect_code 0 "${positions[@]}" --checkpoints "$model" --length 8 --words 3 --json \
  --output "$work/checkpoints.html"
python3 -c 'import json, sys
updates = [c["update"] for c in json.load(open(sys.argv[1]))["checkpoints"]]
assert updates == sorted(updates) and len(updates) == int(sys.argv[2])' "$work/out" \
  "$checkpoints" || fail "not each checkpoint: $out"
grep -q 'inner AIV' "$work/checkpoints.html" || fail "the page has no curves"
expect_code 1 "${positions[@]}" --checkpoints "$work"
expect_text "$work: no complete checkpoint" "$err"

# Wrong usage.
expect_code 2 "${positions[@]}"
expect_text "--list, --model or --checkpoints is missing" "$err"
expect_code 2 "${positions[@]}" --list --model "$model"
expect_text "give only one of --list, --model and --checkpoints" "$err"
expect_code 2 "${positions[@]}" --list --json
expect_text "--json needs --model" "$err"
expect_code 2 "${positions[@]}" --list --length 8 --words 3 --seed 2
for option in length words seed; do expect_text "--$option needs --model" "$err"; done
expect_code 2 "${positions[@]}" --model "$model" --output -
expect_text "--output is -" "$err"
expect_code 2 "${positions[@]}" --model "$model" --length 1 --words 0
expect_text "--length is 1; it must be from 2 to 1024" "$err"
expect_text "--words is 0" "$err"
expect_code 1 "${positions[@]}" --model "$work/nothing"
expect_text "$work/nothing: no such directory" "$err"

# Sizes describe a new model, not an existing one.
expect_code 2 "$dietmt" inspect params --model "$model" --width 512 --preset big --vocab-size 9
for option in width preset vocab-size; do
  expect_text "--$option is for a new model: leave out --model" "$err"
done

# A printed configuration describes the same model: options that were not given do not override a
# preset or --model.
same_by_config() {
  local command=$1
  shift
  # shellcheck disable=SC2086
  expect_code 0 "$dietmt" $command "$@"
  cp "$work/out" "$work/direct"
  # shellcheck disable=SC2086
  expect_code 0 "$dietmt" $command "$@" --dump-config
  cp "$work/out" "$work/config"
  # shellcheck disable=SC2086
  expect_code 0 "$dietmt" $command --config "$work/config"
  cmp "$work/out" "$work/direct" || fail "another model from --dump-config: $command $*"
}
same_by_config "inspect params" --preset base
same_by_config "inspect params" --preset base --width 128
same_by_config "inspect params" --model "$model"
same_by_config "bert params" --preset tiny

# Attention in a sentence, with a given translation or the model's own.
attention=("$dietmt" inspect attention)
expect_code 0 "${attention[@]}" --model "$model" --text "red cat" --translation "katze rot"
cp "$work/out" "$work/attention.json"
python3 - "$work/attention.json" <<'PYTHON' || fail "the attention is not as promised"
import json, math, sys
answer = json.load(open(sys.argv[1]))
source, target = len(answer["source_tokens"]), len(answer["target_tokens"])
assert answer["source_tokens"][-1] == answer["target_tokens"][-1] == "</s>"
assert "".join(answer["target_tokens"][:-1]).replace("▁", " ") == " katze rot"
sizes = {"encoder": (source, source), "decoder": (target, target), "cross": (target, source)}
for name, (rows, columns) in sizes.items():
    layers = answer["attention"][name]
    assert len(layers) == 1 and len(layers[0]) == 2, name
    for head in layers[0]:
        assert len(head) == rows and all(len(row) == columns for row in head), name
        assert all(math.isclose(sum(row), 1, abs_tol=0.005) for row in head), name
assert all(p == 0 for i, row in enumerate(answer["attention"]["decoder"][0][0]) for p in row[i + 1:])
assert len(answer["position"]["encoder"][0][0]) == source
PYTHON
expect_code 0 "${attention[@]}" --model "$model" --text "red cat"
expect_text '"source_tokens":["' "$out"
expect_code 1 "${attention[@]}" --model "$model" --text "$(printf 'red %.0s' {1..200})"
expect_text "tokens; at most 128 can be shown" "$err"
expect_code 2 "${attention[@]}"
expect_text "--model is missing" "$err"
expect_text "--text is missing" "$err"
# A run compared with itself under another name.
ln -s "$(realpath "$model")" "$work/other"
expect_code 0 "$dietmt" inspect runs "$model" "$work/other"
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "not a header and two runs: $out"
expect_text "best validation loss" "$out"
expect_code 0 "$dietmt" inspect runs "$model" "$work/other" --output "$work/runs.html"
grep -q '<figcaption>training loss</figcaption>' "$work/runs.html" || fail "the page has no curves"
expect_code 1 "$dietmt" inspect runs "$model" "$work"
expect_text "progress.jsonl" "$err"

finish
