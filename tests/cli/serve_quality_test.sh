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
start_server "$model" --quality-model referenceless
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
stop

expect_code 2 "$dietmt" serve --model "en-de=$model" --port 0 --quality-model normed
expect_text "--quality-model normed compares translations with references: choose one that reads none" "$err"
expect_code 2 "$dietmt" serve --model "en-de=$model" --port 0 --quality-model normed --worker --data d
expect_text "--quality-model is for requests, which a --worker does not answer" "$err"
expect_code 1 "$dietmt" serve --model "en-de=$model" --port 0 --quality-model nowhere
expect_text "nowhere" "$err"
finish
