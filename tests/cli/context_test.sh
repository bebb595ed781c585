#!/usr/bin/env bash
# Document context: context_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

# Documents whose later lines contain "it", translated as "er" or "sie" depending on the noun of the
# previous line.
python3 - "$work" <<'PYTHON' || fail "no corpus"
import random, sys
NOUNS = {"dog": "hund er", "tree": "baum er", "chair": "stuhl er", "river": "fluss er",
         "cat": "katze sie", "bird": "amsel sie", "lamp": "lampe sie", "door": "tuer sie"}
VERBS = {"stands": "steht", "falls": "faellt", "waits": "wartet", "moves": "geht"}
def write(name, documents, seed):
    random.seed(seed)
    source, target = [], []
    for _ in range(documents):
        for _ in range(random.randint(1, 2)):
            (noun, german), (verb, doing) = random.choice([*NOUNS.items()]), random.choice([*VERBS.items()])
            source.append(f"the {noun} {verb}")
            target.append(f"das {german.split()[0]} {doing}")
            verb, doing = random.choice([*VERBS.items()])
            source.append(f"it {verb}")
            target.append(f"{german.split()[1]} {doing}")
        source.append("")
        target.append("")
    for suffix, lines in (("en", source), ("de", target)):
        open(f"{sys.argv[1]}/{name}.{suffix}", "w").write("\n".join(lines) + "\n")
write("train", 1000, 1)
write("valid", 40, 2)
PYTHON
train=("$dietmt" train --train-source "$work/train.en" --train-target "$work/train.de"
  --valid-source "$work/valid.en" --valid-target "$work/valid.de" --vocab-size 70
  --encoder-layers 1 --decoder-layers 1 --width 64 --feed-forward 64 --heads 2 --dropout 0
  --embedding-dropout 0 --learning-rate 0.005 --warmup 20 --threads 1 --batch-tokens 600
  --valid-interval 150)

# accuracy FILE: the percentage of correct lines among those with "it".
accuracy() {
  paste -d '|' "$work/valid.en" "$work/valid.de" "$1" |
    awk -F '|' '/^it/ { ++n; right += $2 == $3 } END { print int(100 * right / n) }'
}
translated() {  # MODEL OPTION...
  "$dietmt" translate --model "$1" --input "$work/valid.en" --output "$work/out.de" "${@:2}" ||
    fail "no translation by $1"
  [ "$(wc -l <"$work/out.de")" = "$(wc -l <"$work/valid.en")" ] || fail "$1: other lines"
  accuracy "$work/out.de"
}
expect_learned() {  # PERCENT NAME
  [ "$1" -ge 95 ] || fail "$2: only $1 % are right"
}

expect_code 0 "${train[@]}" --output "$work/plain" --max-updates 450
plain=$(translated "$work/plain")
[ "$plain" -le 75 ] || fail "the task needs no context: $plain %"
expect_code 0 "${train[@]}" --context 1 --output "$work/source" --max-updates 450
# Sampled pieces lengthen joined sentences, although these already fill --max-tokens.
batches() { sed -nE 's/^batches +([0-9]+) .*/\1/p' <<<"$out"; }
expect_code 0 "${train[@]}" --context 20 --max-tokens 40 --output "$work/usual" --dry-run
usual=$(batches)
expect_code 0 "${train[@]}" --context 20 --max-tokens 40 --bpe-dropout 0.5 --output "$work/drawn" --dry-run
[ "$(batches)" -gt $((usual * 5 / 4)) ] || fail "$(batches) batches with drawn pieces, $usual without"
expect_learned "$(translated "$work/source")" source
expect_code 0 "${train[@]}" --context 1 --context-sides both --output "$work/both" --max-updates 450
expect_learned "$(translated "$work/both")" both
expect_text '"context": 1' "$(cat "$work/source/best/config.json")"
expect_text '"context_sides": "both"' "$(cat "$work/both/best/config.json")"

# Validation also gave the model its context.
python3 - "$work" <<'PYTHON' || fail "the score of validation"
import json, sys
def chrf(run):
    lines = [json.loads(line) for line in open(f"{sys.argv[1]}/{run}/progress.jsonl")]
    return max(line["chrf"] for line in lines if line["kind"] == "valid")
assert chrf("source") > chrf("plain") + 5, (chrf("source"), chrf("plain"))
PYTHON

# A training run that was stopped ends with the same weights.
expect_code 0 "${train[@]}" --context 1 --output "$work/parts" --max-updates 140
expect_code 0 "${train[@]}" --context 1 --output "$work/parts" --max-updates 450
expect_text "resuming from update 140" "$err"
for file in model.safetensors training.safetensors; do
  cmp "$work/source/last/$file" "$work/parts/last/$file" || fail "$file differs after a stop"
done

# The context is the same line by line, in int8 and with two models.
translated "$work/source" >/dev/null && cp "$work/out.de" "$work/expected.de"
translated "$work/source" --flush >/dev/null
cmp "$work/out.de" "$work/expected.de" || fail "--flush translates other lines"
for model in source both; do
  expect_code 0 "$dietmt" quantize --model "$work/$model" --type int8 --output "$work/$model.int8"
  expect_learned "$(translated "$work/$model.int8")" "$model in int8"
  # For the tests of the library.
  expect_code 0 "$dietmt" quantize --model "$work/$model" --type fp32 --output "$work/$model.fp32"
done
# Also in the report of quantize.
expect_code 0 "$dietmt" quantize --model "$work/source" --type int8 --output "$work/reported" \
  --source "$work/valid.en" --reference "$work/valid.de" --runs 1
translated "$work/source" --beam 5 >/dev/null
chrf=$("$dietmt" evaluate --reference "$work/valid.de" --hypothesis "$work/out.de" --metric chrf \
  --score-only)
awk -F '\t' -v chrf="$chrf" '$1 == "fp32" { exit ($5 - chrf)^2 > 1e-4 }' "$work/out" ||
  fail "quantize reports another chrF than $chrf: $(cat "$work/out")"
expect_code 0 "$dietmt" translate --model "$work/source" --input "$work/valid.en" --alignment hard
first=$(head -n 2 "$work/out" | tail -n 1)
case ${first##*||| } in *[2-9]-*|*-[2-9]*) fail "the alignment of '$first' leaves the line" ;; esac

# Scores distinguish right from wrong only with context; the context of neither side counts.
sed 's/^er /x /; s/^sie /er /; s/^x /sie /' "$work/valid.de" >"$work/wrong.de"
for model in source both; do
  for side in valid wrong; do
    "$dietmt" score --model "$work/$model" --source "$work/valid.en" --target "$work/$side.de" \
      --output "$work/$side.scores" || fail "no scores"
  done
  paste "$work/valid.en" "$work/valid.scores" "$work/wrong.scores" |
    awk -F '\t' '/^it/ { ++n; right += $2 > $3 } END { exit right < 0.95 * n }' ||
    fail "$model: wrong translations score higher"
done

# distill continues after a stop with the preceding lines.
distill=("$dietmt" distill --model "$work/source" --source "$work/valid.en" --beam 1)
expect_code 0 "${distill[@]}" --output-source "$work/whole.en" --output-target "$work/whole.de"
expect_learned "$(accuracy "$work/whole.de")" distill
cmp "$work/whole.en" "$work/valid.en" || fail "distill loses the ends of documents"

# A model without context continues with it, with its own pieces and one more.
expect_code 0 "${train[@]}" --context 1 --init-from "$work/plain" --output "$work/tuned" \
  --max-updates 600
expect_text "is extended" "$err"
expect_learned "$(translated "$work/tuned")" "the tuned model"
expect_code 2 "${train[@]}" --context 1 --init-from "$work/plain" --lora-rank 2 \
  --output "$work/refused"
expect_text "--lora-rank keeps the context of" "$err"

# An adapter keeps its model's limit, whatever --max-tokens filters.
cp -rL "$work/source/best" "$work/base"
limit=$(grep '"context_tokens"' "$work/base/config.json")
for kind in lora:--lora-rank bottleneck:--adapter-size; do
  name=${kind%:*}
  expect_code 0 "${train[@]}" --init-from "$work/base" "${kind#*:}" 2 --max-tokens 12 \
    --output "$work/$name" --max-updates 10
  expect_text "$limit" "$(cat "$work/$name/best/config.json")"
  cp "$work/$name/best/$name.adapter" "$work/base/"
  translated "$work/$name" >/dev/null && cp "$work/out.de" "$work/expected.de"
  translated "$work/base/$name.adapter" >/dev/null
  cmp "$work/out.de" "$work/expected.de" || fail "$name: the adapter is not its checkpoint"
done

expect_code 2 "${train[@]}" --context-sides both --output "$work/refused"
expect_text "--context-sides needs --context" "$err"
expect_code 2 "${train[@]}" --context 1 --guided-alignment auto --output "$work/refused"
expect_text "leave out --context" "$err"
expect_code 2 "$dietmt" translate --model "$work/source,$work/both" --input "$work/valid.en"
expect_text "read different context" "$err"

# In the service a text provides context for its sentences, and a request for what it sends before.
if has_service && command -v curl >/dev/null; then
  start_server "$work/source" --guard off
  ask() {  # JSON: the texts of the answer, with spaces between them
    curl -s --max-time 60 -H "Content-Type: application/json" "$url/v1/translate" -d "$1" |
      python3 -c 'import json, sys
print(*[r["text"] for r in json.load(sys.stdin)["results"]], sep=" | ")'
  }
  options='"source": "en", "target": "de"'
  for pair in dog:er cat:sie; do
    noun=${pair%:*} pronoun=${pair#*:}
    expect_text "$pronoun wartet" "$(ask "{\"text\": \"the $noun stands\nit waits\", $options}")"
    expect_text "$pronoun wartet" \
      "$(ask "{\"text\": \"it waits\", \"context\": [\"the $noun stands\"], $options}")"
    expect_text "$pronoun wartet | $pronoun geht" \
      "$(ask "{\"text\": [\"it waits\", \"it moves\"], \"context\": \"the $noun stands\", $options}")"
  done
  printf 'the cat stands\n\nit waits\n\nthe dog falls\n\nit waits\n' >"$work/text.txt"
  answer=$(curl -s --max-time 60 -F "file=@$work/text.txt" -F source=en -F target=de \
    "$url/translate_file" | python3 -c 'import json, sys; print(json.load(sys.stdin)["translatedFileUrl"])')
  expect_text "er wartet" "$(curl -s --max-time 60 "$answer")"
  expect_text "sie wartet" "$(curl -s --max-time 60 "$answer")"
  kill "$server"
  wait "$server"
fi
finish
