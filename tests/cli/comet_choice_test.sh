#!/usr/bin/env bash
# COMET chooses: checkpoints, translations and students. comet_choice_test.sh BINARY CASES, where
# CASES is tests/interchange/comet_cases.
dietmt=$1
cases=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

for case in normed referenceless; do
  expect_code 0 "$dietmt" import --from "$cases/$case" --encoder "$cases/encoder" --output "$case"
done

# Training: the checkpoint with the highest score is the best, whatever the loss says.
toy_training 400 20
train=("${toy_train[@]::${#toy_train[@]}-1}" --batch-tokens 500 --valid-interval 10 --max-updates 30
  --keep-last 3)
by_comet=(--comet-model normed --valid-metric comet)
expect_code 0 "${train[@]}" --output run "${by_comet[@]}" --valid-output valid.out
expect_code 0 "$dietmt" evaluate --metric comet --comet-model normed --source valid.en \
  --reference valid.de --hypothesis valid.out --json
python3 - "$out" <<'END' || fail "the best checkpoint is not the one with the best COMET"
import json, sys
scores = {}
for line in open("run/progress.jsonl"):
    values = json.loads(line)
    if "comet" in values: scores[values["update"]] = values["comet"]
assert sorted(scores) == [10, 20, 30], scores
best = json.load(open("run/best/training.json"))["update"]
assert scores[best] == max(scores.values()), (best, scores)
assert abs(scores[30] - json.loads(sys.argv[1])[0]["score"]) < 1e-6, scores
END
expect_code 2 "${train[@]}" --output bad --valid-metric comet
expect_text "--valid-metric is 'comet'; possible: valid_loss, bleu, chrf" "$err"
expect_code 1 "${train[@]}" --output bad --comet-model run/best --valid-metric comet
expect_text "is not a COMET model of dietmt" "$err"
[ ! -e bad/data/tokenizer.model ] || fail "a wrong COMET model shows after the tokenizer is trained"

# Translation: the expected score against all candidates, weighted by their probabilities.
toy_corpus 12 7 text
translate=("$dietmt" translate --model run --input text.en --beam 5)
"${translate[@]}" --nbest 5 --json >all.json || fail "translate --json failed"
python3 - <<'END'
import json
with open("src", "w") as src, open("mt", "w") as mt, open("ref", "w") as ref, open("each", "w") as each, \
        open("each.src", "w") as each_src, open("list", "w") as listed:
    for i, line in enumerate(map(json.loads, open("all.json"))):
        texts = [one["text"] for one in line["translations"]]
        for text in texts:
            print(line["source"], file=each_src), print(text, file=each)
            print(f"{i} ||| {text} ||| 0.0", file=listed)
            for other in texts:
                print(line["source"], file=src), print(text, file=mt), print(other, file=ref)
END
"$dietmt" evaluate --metric comet --comet-model normed --source src --reference ref \
  --hypothesis mt --sentence-level --json >pairs.json || fail "evaluate pairs failed"
"$dietmt" evaluate --metric comet --comet-model referenceless --source each.src --hypothesis each \
  --sentence-level --json >each.json || fail "evaluate candidates failed"
"${translate[@]}" --mbr comet --comet-model normed --nbest 5 --json >mbr.json || fail "mbr failed"
"${translate[@]}" --mbr comet --comet-model normed >mbr.txt || fail "mbr to text failed"
"${translate[@]}" --mbr comet --comet-model referenceless --scores >estimated.txt ||
  fail "mbr without references failed"
"${translate[@]}" --nbest 5 --json --quality-model referenceless >quality.json ||
  fail "--quality-model failed"
"$dietmt" rerank --nbest-list list --source text.en --comet-model referenceless,normed --nbest 5 \
  --json >reranked.json || fail "rerank failed"
python3 - <<'END' || fail "the scores of candidates are not those of evaluate"
import json, math
lines = lambda name: [json.loads(line) for line in open(name)]
scores = lambda name: iter(json.load(open(name))[0]["sentence_scores"])
pairs, each = scores("pairs.json"), scores("each.json")
texts, estimated = [l.rstrip("\n") for l in open("mbr.txt")], list(open("estimated.txt"))
moved = 0
for i, (line, mbr, quality, reranked) in enumerate(zip(
        lines("all.json"), lines("mbr.json"), lines("quality.json"), lines("reranked.json"))):
    found = line["translations"]
    rows = [[next(pairs) for _ in found] for _ in found]
    estimates = [next(each) for _ in found]
    weights = [math.exp(sum(one["token_scores"])) for one in found]
    expected = [sum(w * s for w, s in zip(weights, row)) / sum(weights) for row in rows]
    values = {one["text"]: value for one, value in zip(found, expected)}
    assert [one["text"] for one in mbr["translations"]] == sorted(
        values, key=lambda text: -values[text]), (i, values, mbr)
    for one in mbr["translations"]: assert abs(one["score"] - values[one["text"]]) < 1e-5, (i, one)
    assert texts[i] == mbr["translations"][0]["text"], i
    moved += texts[i] != found[0]["text"]
    score, text = estimated[i].rstrip("\n").split("\t")
    assert abs(float(score) - max(estimates)) < 1e-5, (i, score, estimates)
    assert abs(estimates[[one["text"] for one in found].index(text)] - max(estimates)) < 1e-6, i
    for one, estimate in zip(quality["translations"], estimates):
        assert abs(one["quality"] - estimate) < 1e-5, (i, one, estimate)
    features = {one["text"]: one["features"] for one in reranked["translations"]}
    for one, estimate, row in zip(found, estimates, rows):
        assert abs(features[one["text"]]["comet"] - estimate) < 1e-5, (i, one)
        assert abs(features[one["text"]]["comet2"] - sum(row) / len(row)) < 1e-5, (i, one)
assert moved > 0, "COMET agrees with the beam everywhere"
END
"${translate[@]}" --sample --mbr-candidates 6 --mbr comet --comet-model normed --seed 3 >sampled.txt ||
  fail "mbr of samples failed"
expect_lines sampled.txt 12

# Distillation chooses in the same way, and goes on with the same model only.
expect_code 0 "$dietmt" distill --model run --source text.en --output-source student.en \
  --output-target student.de --beam 5 --mbr comet --comet-model normed
cmp student.de mbr.txt || fail "distill --mbr comet keeps other translations"

refuses() {
  local words=$1
  shift
  expect_code 2 "$@"
  expect_text "$words" "$err"
}
refuses "--mbr comet needs --comet-model DIR" "${translate[@]}" --mbr comet
refuses "--comet-model needs --mbr comet" "${translate[@]}" --mbr chrf --comet-model normed
refuses "--mbr-exact is for --mbr chrf and bleu" \
  "${translate[@]}" --mbr comet --comet-model normed --mbr-exact 2
refuses "--quality-model needs --json" "${translate[@]}" --quality-model referenceless
refuses "--quality-model normed compares translations with references: choose one that reads none" \
  "${translate[@]}" --json --quality-model normed
refuses "--mbr comet is for --model, not for --teacher-url" \
  "$dietmt" distill --teacher-url http://localhost:1/v1 --teacher-model m --nbest 2 --mbr comet \
  --comet-model normed --source text.en --output-source s --output-target t
expect_code 1 "${translate[@]}" --mbr comet --comet-model nowhere
expect_text "nowhere" "$err"
finish
