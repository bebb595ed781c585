#!/usr/bin/env bash
# dietmt serve --quality-model: serve_quality_test.sh MODEL CASES, after the binary, where CASES is
# tests/interchange/comet_cases.
dietmt=$1
model=$2
cases=$3
. "$(dirname "$0")/serve_lib.sh"
cd "$work" || exit 1

for case in normed referenceless; do
  expect_code 0 "$dietmt" import --from "$cases/$case" --encoder "$cases/encoder" --output "$case"
done
toy_corpus 20 5 text
start_server "$model" --quality-model referenceless --data data
python3 - <<'END' >request.json
import json
print(json.dumps({"text": open("text.en").read().splitlines(), "source": "en", "target": "de",
                  "nbest": 2, "beam": 3, "quality": True, "split_sentences": False, "keep": "none"}))
END
curl -s -H "Content-Type: application/json" -d @request.json "$url/v1/translate" >answer.json

# The estimates of evaluate.
python3 - <<'END' || fail "an answer without estimates: $(head -c 500 answer.json)"
import json
with open("src", "w") as src, open("mt", "w") as mt, open("found", "w") as found:
    for result in json.load(open("answer.json"))["results"]:
        for sentence in result["sentences"]:
            for one in sentence["translations"]:
                print(sentence["source"], file=src), print(one["text"], file=mt)
                print(one["quality"], file=found)
END
expect_lines found 40
"$dietmt" evaluate --metric comet --comet-model referenceless --source src --hypothesis mt \
  --sentence-level --json >expected.json || fail "evaluate failed"
python3 - <<'END' || fail "the estimates are not those of evaluate"
import json
expected = json.load(open("expected.json"))[0]["sentence_scores"]
found = [float(line) for line in open("found")]
assert len(set(found)) > 10 and max(abs(a - b) for a, b in zip(expected, found)) < 1e-5, (expected, found)
END

# A batch job of a table has them, too.
paste <(seq 20) text.en >table.tsv
job() { curl -s -F file=@table.tsv -F source=en -F target=de -F column=2 "$@" "$url/v1/jobs"; }
id=$(job -F output=add -F quality=true | sed 's/.*"id": *"\([0-9a-f]*\)".*/\1/')
for _ in $(seq 100); do
  curl -s "$url/v1/jobs/$id" | grep -q '"state": *"done"' && break
  sleep 0.2
done
curl -s "$url/v1/jobs/$id/result" >result.tsv
expect_lines result.tsv 20
cut -f 2 result.tsv >src
cut -f 3 result.tsv >mt
cut -f 4 result.tsv >found
"$dietmt" evaluate --metric comet --comet-model referenceless --source src --hypothesis mt \
  --sentence-level --json >expected.json || fail "evaluate failed"
python3 - <<'END' || fail "the estimates of the job are not those of evaluate: $(head -n 3 result.tsv)"
import json
expected = json.load(open("expected.json"))[0]["sentence_scores"]
found = [float(line) for line in open("found")]
assert len(set(found)) > 5 and max(abs(a - b) for a, b in zip(expected, found)) < 1e-4, (expected, found)
END
expect_equal "$(job -F quality=true)" '{"error":"quality: only with output=add"}' "a job without a place"
stop

start_server "$model" --data data
expect_equal "$(job -F output=add -F quality=true)" \
  '{"error":"quality: this server estimates none; start it with --quality-model","option":"quality"}' "no model"
stop

expect_code 2 "$dietmt" serve --model "en-de=$model" --port 0 --quality-model normed
expect_text "--quality-model normed compares translations with references: choose one that reads none" "$err"
expect_code 1 "$dietmt" serve --model "en-de=$model" --port 0 --quality-model nowhere
expect_text "nowhere" "$err"
finish
