#!/usr/bin/env bash
# dietmt rerank from the command line: rerank_test.sh BINARY MODEL ENCODER
dietmt=$1
model=$2
encoder=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

toy_corpus 40 7 "$work/toy"
source=$work/toy.en
"$dietmt" translate --model "$model" --input "$source" --nbest 4 >"$work/list"
"$dietmt" translate --model "$model" --input "$source" --nbest 4 --json >"$work/list.json"
rerank=("$dietmt" rerank --nbest-list "$work/list" --source "$source" --model "$model")

# A model's features are the scores of `dietmt score`, per token; both list formats give the same;
# the result is a list that can be reranked again.
expect_code 0 "$dietmt" rerank --nbest-list "$work/list.json" --model "$model" \
  --reverse-model "$model" --json --nbest 4
cp "$work/out" "$work/reranked.json"
awk -F ' [|][|][|] ' 'NR == FNR { source[NR - 1] = $0; next } { print source[$1] }' \
  "$source" "$work/list" >"$work/sources"
awk -F ' [|][|][|] ' '{ print $2 }' "$work/list" >"$work/targets"
"$dietmt" score --model "$model" --threads 1 --source "$work/sources" --target "$work/targets" \
  --json >"$work/forward"
"$dietmt" score --model "$model" --threads 1 --source "$work/targets" --target "$work/sources" \
  --json >"$work/backward"
python3 - "$work" <<'END' || fail "the features are not those of dietmt score"
import json, sys
def lines(name):
    return open(f"{sys.argv[1]}/{name}", encoding="utf-8").read().splitlines()
wanted = {}
for source, target, forward, backward in zip(lines("sources"), lines("targets"),
                                             *map(lambda n: map(json.loads, lines(n)),
                                                  ("forward", "backward"))):
    wanted[source, target] = [one["score"] / len(one["tokens"]) for one in (forward, backward)]
rows = [json.loads(line) for line in lines("reranked.json")]
assert len(rows) == 40
seen = 0
for row in rows:
    scores = [one["score"] for one in row["translations"]]
    assert scores == sorted(scores, reverse=True), scores
    for one in row["translations"]:
        features = one["features"]
        assert list(features) == ["score", "model", "reverse", "length"], features
        forward, backward = wanted[row["source"], one["text"]]
        assert abs(features["model"] - forward) < 1e-4, (row, forward)
        assert abs(features["reverse"] - backward) < 1e-4, (row, backward)
        assert abs(features["length"] - len(one["text"]) / len(row["source"])) < 1e-9, one
        assert abs(one["score"] - sum(features[f] for f in ("score", "model", "reverse"))) < 1e-9
        seen += 1
assert seen > 100, seen
END
expect_code 0 "${rerank[@]}" --reverse-model "$model" --nbest 4
expect_equal "$(awk -F ' [|][|][|] ' '{ print $2 }' "$work/out")" \
  "$(python3 -c 'import json, sys
for line in sys.stdin:
    for one in json.loads(line)["translations"]: print(one["text"])' <"$work/reranked.json")" \
  "the text form and JSON"
cp "$work/out" "$work/again"
expect_code 0 "${rerank[@]}" --reverse-model "$model"
expect_equal "$(wc -l <"$work/out")" 40 "lines"
cp "$work/out" "$work/best"
expect_code 0 "$dietmt" rerank --nbest-list "$work/again" --source "$source" \
  --weights <(echo '{"weights": {"score": 1, "length": 0}}')
cmp "$work/out" "$work/best" || fail "a reranked list has another best translation"
expect_code 0 "$dietmt" rerank --nbest-list "$work/reranked.json" \
  --weights <(echo '{"weights": {"score": 1, "length": 0}}') --output "$work/best.gz"
gzip -dc "$work/best.gz" | cmp - "$work/best" || fail "reranked JSON has another best translation"

# A language model sees only the translation, whatever the list says.
printf '0 ||| small cat sees big house ||| -1\n0 ||| house house ||| -2\n1 ||| house house ||| -3\n' \
  >"$work/english.list"
printf 'a\nb\n' >"$work/english.source"
language=("$dietmt" rerank --nbest-list "$work/english.list" --source "$work/english.source"
  --language-model "$encoder")
expect_code 0 "${language[@]}" --json --nbest 2
python3 - "$work/out" <<'END' || fail "a language model scores other texts than the translations"
import json, sys
found = {}
for line in open(sys.argv[1], encoding="utf-8"):
    for one in json.loads(line)["translations"]:
        assert list(one["features"]) == ["score", "language", "length"], one
        found.setdefault(one["text"], []).append(one["features"]["language"])
same, other = found["house house"], found["small cat sees big house"]
assert abs(same[0] - same[1]) < 1e-6 and same[0] < 0 and abs(same[0] - other[0]) > 1e-3, found
END
expect_code 1 "${language[@]/$encoder/$work}"
expect_text "$work: has neither model.safetensors nor a checkpoint" "$err"

# The features of a Moses or Marian list are features, which only weights count.
printf '0 ||| b ||| F0= -3 LM= -7 ||| -1\n0 ||| a ||| 0-0 ||| F0= -5 LM= -2 ||| -2\n' \
  >"$work/marian.list"
echo x >"$work/marian.source"
marian=("$dietmt" rerank --nbest-list "$work/marian.list" --source "$work/marian.source")
expect_code 0 "${marian[@]}" --weights <(echo '{"weights": {"score": 0, "F0": 0, "LM": 1, "length": 0}}')
expect_equal "$(cat "$work/out")" a "best by the language model of the list"
expect_code 0 "${marian[@]}" --model "$model" --json --nbest 2
expect_text '"features":{"score":-1.0,"F0":-3.0,"LM":-7.0,"model":' "$out"
sed 's/LM=/model=/' "$work/marian.list" >"$work/collision.list"
expect_code 1 "$dietmt" rerank --nbest-list "$work/collision.list" --source "$work/marian.source" \
  --model "$model"
expect_text "two features are called 'model': rename the one in the n-best list" "$err"

# A list in which the length identifies the right translation: tuning finds it, and the same weights
# again.
awk '{ print NR - 1 " ||| " $0 " x y ||| -0.1"; print NR - 1 " ||| " $0 " ||| -0.2"
       print NR - 1 " ||| x y ||| -0.3" }' "$work/toy.de" >"$work/toy.list"
toy_list=("$dietmt" rerank --nbest-list "$work/toy.list" --source "$source")
tune=("${toy_list[@]}" --tune "$work/toy.de")
for metric in bleu chrf; do
  expect_code 0 "${tune[@]}" --weights "$work/weights" --metric "$metric" --seed 3
  expect_text "100.00 by those in $work/weights" "$err"
  expect_code 0 "${toy_list[@]}" --weights "$work/weights"
  cmp "$work/out" "$work/toy.de" || fail "the tuned weights do not choose the references"
done
cp "$work/weights" "$work/weights1"
expect_code 0 "${tune[@]}" --weights "$work/weights" --metric chrf --seed 3
cmp "$work/weights" "$work/weights1" || fail "the same seed finds other weights"

# No output replaces an input, and tuned weights replace only weights.
cp "$source" "$work/kept"
kept() {  # TEXT OPTION...: refused, and the file stays
  expect_code 2 "$dietmt" rerank --nbest-list "$work/kept" --source "$work/kept" --model "$model" "${@:2}"
  expect_text "$1: $work/kept" "$err"
  cmp "$work/kept" "$source" || fail "an output replaced an input: ${*:2}"
}
kept "--output and --nbest-list are one file" --output "$work/kept"
kept "--output and --source are one file" --output "$work/kept"
kept "--output and --weights are one file" --output "$work/kept" --weights "$work/kept"
for option in nbest-list source tune; do
  kept "--weights and --$option are one file" --tune "$work/kept" --weights "$work/kept"
done

# A file that cannot be written, and a tag that the model does not know, are reported before
# scoring.
expect_code 1 "${tune[@]}" --weights "$work/nowhere/w"
expect_text "$work/nowhere/w: cannot be written" "$err"
expect_code 1 "$dietmt" rerank --nbest-list "$work/list" --source "$source" --model "$model" \
  --source-tag '<2xx>'
expect_text "'<2xx>'" "$err"

# Errors name file and line, or the option.
head -n 39 "$source" >"$work/short"
expect_code 1 "$dietmt" rerank --nbest-list "$work/list" --source "$work/short" --model "$model"
expect_text "a translation of line 39, but the source ends after 39 lines: $work/short:39" "$err"
cat "$source" "$work/short" >"$work/long"
expect_code 1 "$dietmt" rerank --nbest-list "$work/list" --source "$work/long" --model "$model" \
  --output "$work/never"
expect_text "$work/list: line 40, counted from 0, has no translation" "$err"
[ -e "$work/never" ] && fail "a file is left after an error"
sed '/^5 /d' "$work/list" >"$work/gap"
expect_code 1 "$dietmt" rerank --nbest-list "$work/gap" --source "$source" --model "$model"
expect_text "line 5, counted from 0, has no translation; its source is $source:6" "$err"
sed '9s/.*/nonsense/' "$work/list" >"$work/broken"
expect_code 1 "$dietmt" rerank --nbest-list "$work/broken" --source "$source" --model "$model"
expect_text "$work/broken:9: this is not" "$err"
echo '{"weights": {"score": 1, "length": 0, "comet": 1}}' >"$work/unknown"
expect_code 1 "${rerank[@]}" --weights "$work/unknown"
expect_text "$work/unknown: a weight of 'comet', but the features are score, model, length" "$err"
echo '{"weights": {"score": 1, "length": 0}}' >"$work/few"
expect_code 1 "${rerank[@]}" --weights "$work/few"
expect_text "$work/few" "$err"
expect_text "model" "$err"
expect_code 1 "${toy_list[@]}" --weights "$work/w" --tune "$work/short"
expect_text "$work/short:39: the references end here" "$err"
expect_code 1 "${toy_list[@]}" --weights "$work/w" --tune "$work/long"
expect_text "$work/long:41: this reference has no source line" "$err"
expect_code 2 "$dietmt" rerank --nbest-list "$work/list" --source "$source"
expect_text "nothing to rerank by" "$err"
expect_code 2 "$dietmt" rerank --nbest-list "$work/list" --model "$model"
expect_text "give them with --source" "$err"
expect_code 2 "$dietmt" rerank --nbest-list "$work/list.json" --source "$source" --model "$model"
expect_text "leave out --source" "$err"
expect_code 2 "$dietmt" rerank --nbest-list - --model "$model" <"$work/list"
expect_text "<stdin> has no source lines" "$err"
expect_code 1 "$dietmt" rerank --nbest-list - --source "$source" --model "$model" <"$work/broken"
expect_text "<stdin>:9: this is not" "$err"
expect_code 1 "$dietmt" rerank --nbest-list - --source "$source" --model "$model" </dev/null
expect_text "<stdin>: line 0, counted from 0, has no translation" "$err"
expect_code 2 "${rerank[@]}" --metric chrf --restarts 3 --tokenize zh
for option in metric restarts tokenize; do expect_text "--$option needs --tune" "$err"; done
expect_text "--tokenize is for --metric bleu" "$err"
expect_code 2 "$dietmt" rerank --nbest-list "$work/list" --source "$source" --source-tag '<2de>' \
  --reverse-model ,
expect_text "--source-tag needs --model" "$err"
expect_code 2 "$dietmt" rerank --nbest-list "$work/list" --source "$source" --reverse-model ,
expect_text "--reverse-model ,: empty directory name" "$err"
expect_code 2 "${tune[@]}" --output "$work/never"
expect_text "--tune needs --weights" "$err"
expect_text "--tune writes only weights" "$err"
finish
