#!/usr/bin/env bash
# Models of many languages in the commands: languages_test.sh BINARY CASES
#   CASES: those that make_transformers_cases.py wrote
dietmt=$1
cases=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

expect_code 0 "$dietmt" import "$cases/m2m_100" --output m2m
echo "red new blue blue" >text
translate=("$dietmt" translate --model m2m --beam 1 --max-length-offset 8)
expect_code 0 "${translate[@]}" --source-language en --target-language German --input text
german=$out
expect_code 0 "${translate[@]}" --source-language eng_Latn --target-language fr --input text
[ "$german" != "$out" ] || fail "the target language changes nothing"
expect_code 1 "${translate[@]}" --input text
expect_text "the model has 100 languages, so the source language is needed" "$err"
expect_code 1 "${translate[@]}" --source-language en --target-language xx --input text
expect_text "does not have the target language 'xx'" "$err"

# Each line of JSON has its own languages; options are for the others.
cat >lines <<'END'
{"source": "red new blue blue", "target_language": "de"}
{"source": "red new blue blue"}
END
expect_code 0 "${translate[@]}" --source-language en --target-language fr --input-format json \
  --input lines
[ "$(head -1 <<<"$out")" = "$german" ] || fail "a line of JSON gets another language"
[ "$(tail -1 <<<"$out")" != "$german" ] || fail "a line without a language gets that of another"
echo '{"sauce": "red"}' >wrong
expect_code 1 "${translate[@]}" --input-format json --input wrong
expect_text "wrong:1: the field 'sauce' is unknown" "$err"

# So has each line of TSV, whose other columns stay.
printf 'id\tsource\ttarget_language\n1\tred new blue blue\tde\n2\tred new blue blue\t\n' >table
expect_code 0 "${translate[@]}" --source-language en --target-language fr --input-format tsv \
  --input table --scores --alignment hard
[ "$(head -1 <<<"$out")" = $'id\tsource\ttarget_language\ttranslation\tscore\talignment' ] ||
  fail "the header is $(head -1 <<<"$out")"
[[ $(sed -n 2p <<<"$out") == $'1\tred new blue blue\tde\t'"$german"$'\t'-* ]] ||
  fail "a line of TSV is $(sed -n 2p <<<"$out")"
[[ $(tail -1 <<<"$out") == $'2\tred new blue blue\t\t'* ]] || fail "the last line lacks its cells"
expect_code 0 "${translate[@]}" --source-language en --target-language fr --input-format tsv \
  --columns ,source,target_language --input <(sed 1d table)
[ "$(head -1 <<<"$out")" = $'1\tred new blue blue\tde\t'"$german" ] || fail "named columns"
expect_code 1 "${translate[@]}" --input-format tsv --input <(printf 'source\tid\nred\n')
expect_text ":2: the line has 1 column, but there are names for 2" "$err"
expect_code 1 "${translate[@]}" --input-format tsv --input text
expect_text "text:1: no column has the name 'source'" "$err"
expect_code 1 "${translate[@]}" --source-language en --input-format tsv \
  --input <(printf 'source\ttarget_language\nred\txx\n')
expect_text ":2: the model does not have the target language 'xx'" "$err"
expect_code 2 "${translate[@]}" --input-format tsv --columns source,source --json --input table
expect_text "--columns: two columns have the name 'source'" "$err"
expect_text "leave out --json and --nbest" "$err"
expect_code 2 "${translate[@]}" --columns source --input table
expect_text "--columns needs --input-format tsv" "$err"

expect_code 0 "$dietmt" score --model m2m --source text --target <(echo rot) --json \
  --source-language en --target-language de
expect_text '"__de__"' "$out"
expect_text '"token_scores":[0.0,' "$out"

# A model may have its own defaults of the search; options win.
of_case() { python3 -c 'import json, sys; print("\n".join(json.load(open(sys.argv[1]))[sys.argv[2]]))' \
  "$cases/t5_search.json" "$1"; }
expect_code 0 "$dietmt" import "$cases/t5_search" --output own
of_case sources >own.text
expect_code 0 "$dietmt" translate --model own --input own.text
expect_equal "$out" "$(of_case searched)" "the search of the model"
cp -r own usual && rm -f usual/manifest.json
python3 -c 'import json
config = json.load(open("usual/config.json"))
del config["model"]["search"]
json.dump(config, open("usual/config.json", "w"))'
expect_code 0 "$dietmt" translate --model usual --input own.text
usual=$out
expect_code 0 "$dietmt" translate --model own --input own.text --beam 5 --length-penalty 1 \
  --no-repeat-ngram 0 --repetition-penalty 1 --min-length 0 --max-length-factor 2 \
  --max-length-offset 50
expect_equal "$out" "$usual" "a search with options"
expect_code 0 "$dietmt" quantize own --type fp32 --output own.packed
expect_code 0 "$dietmt" translate --model own.packed --input own.text
expect_equal "$out" "$(of_case searched)" "the search of the packed model"
sed -i 's/"beam": 3/"beam": 0/' own/config.json && rm -f own/manifest.json
expect_code 1 "$dietmt" translate --model own --input own.text
expect_text "own/config.json: search: beam is 0" "$err"

# Training goes on in several directions, and validation translates in each.
for i in 1 2 3 4 5 6 7 8; do echo "red dog $i"; done >corpus.en
sed 's/red dog/rot hund/' corpus.en >corpus.de
sed 's/red dog/haus baum/' corpus.en >corpus.fr
train=("$dietmt" train --init-from m2m --train-source corpus.en corpus.en --train-target corpus.de
  corpus.fr --valid-source corpus.en --valid-target corpus.de --max-updates 4 --valid-interval 4
  --batch-tokens 200 --threads 1 --allow-unknown)  # it has no digits
expect_code 2 "${train[@]}" --output lost
expect_text "--target-languages: the model has 100 languages" "$err"
expect_code 2 "${train[@]}" --source-languages en --target-languages de fr es --output lost
expect_text "--target-languages has 3 languages for 2 corpora" "$err"
expect_code 0 "${train[@]}" --source-languages en --target-languages de fr \
  --valid-target-languages de --output tuned
expect_code 0 "$dietmt" translate --model tuned --source-language en --target-language fr --input text

# A new model gets its languages from the options.
expect_code 0 "$dietmt" train --train-source corpus.en corpus.en --train-target corpus.de corpus.fr \
  --target-languages de fr --valid-source corpus.en --valid-target corpus.fr \
  --valid-target-languages fr --vocab-size 60 --preset tiny --max-updates 2 --valid-interval 2 \
  --batch-tokens 200 --threads 1 --output new
expect_code 0 "$dietmt" inspect model new
expect_text '"de": "<2de>"' "$out"
expect_code 0 "$dietmt" translate --model new --target-language French --input text
expect_code 1 "$dietmt" translate --model new --input text
expect_text "the target language is needed: de, fr" "$err"
finish
