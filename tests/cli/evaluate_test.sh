#!/usr/bin/env bash
# Tests of `dietmt evaluate` as a user runs it. Usage: evaluate_test.sh PATH_OF_DIETMT
set -u
dietmt=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

# expect_output NAME EXPECTED COMMAND...: exit code 0 and exactly this text on stdout.
expect_output() {
  local name=$1 expected=$2 got
  shift 2
  if ! got=$("$@" 2>stderr.txt) || [ "$got" != "$expected" ]; then
    printf 'FAILED %s\nexpected:\n%s\ngot:\n%s\n' "$name" "$expected" "$got"
    cat stderr.txt
    failures=$((failures + 1))
  fi
}

# expect_failure NAME CODE TEXT COMMAND...: this exit code, nothing on stdout, TEXT on stderr.
expect_failure() {
  local name=$1 code=$2 text=$3 got status
  shift 3
  got=$("$@" 2>stderr.txt)
  status=$?
  if [ $status -ne "$code" ] || [ -n "$got" ] || ! grep -qF -- "$text" stderr.txt; then
    printf 'FAILED %s: exit code %s (expected %s), stdout "%s", stderr:\n' "$name" $status "$code" "$got"
    cat stderr.txt
    failures=$((failures + 1))
  fi
}

# The value of a key in each object of the JSON array on stdin, one per line.
values() { sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p"; }
export -f values

printf '%s\n' 'The dog bit the man.' 'It was not unexpected.' 'The man bit him first.' >ref1
printf '%s\n' 'The dog had bit the man.' 'No one was surprised.' 'The man had bitten the dog.' >ref2
printf '%s\n' 'The dog bit the man.' "It wasn't surprising." 'The man had just bitten him.' >hyp
sed 's/dog/cat/' hyp >worse
gzip -k hyp

# The scores are those of sacreBLEU 2.6.0.
expect_output 'score and detail' \
  'BLEU = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)' \
  bash -c "'$dietmt' evaluate --reference ref1 ref2 --hypothesis hyp | head -1"
expect_output 'signature' 'BLEU: nrefs:2|case:lc|eff:no|tok:intl|smooth:floor[0.50]' \
  bash -c "'$dietmt' evaluate --reference ref1 ref2 --hypothesis hyp --lowercase --tokenize intl \
    --smooth floor --smooth-value 0.5 | tail -1 | sed 's/|version:dietmt-.*//'"
expect_output 'several metrics' $'BLEU\nchrF2\nchrF2++\nTER' \
  bash -c "'$dietmt' evaluate --reference ref1 --hypothesis hyp --metric bleu,chrf,chrf++,ter \
    --json | values metric"
expect_output 'gzip and standard input' $'48.53\n48.53' bash -c "
  '$dietmt' evaluate --reference ref1 ref2 --hypothesis hyp.gz | sed -n 's/^BLEU = \([0-9.]*\).*/\1/p'
  '$dietmt' evaluate --reference ref1 ref2 --hypothesis - <hyp | sed -n 's/^BLEU = \([0-9.]*\).*/\1/p'"
expect_output 'sentence level' $'100.00\t0.00\n14.79\t75.00\n15.62\t80.00' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --sentence-level --metric bleu,ter
expect_output 'trailing whitespace and CR do not count' '100.00' bash -c "
  sed 's/\$/ \r/' ref1 | '$dietmt' evaluate --reference ref1 --hypothesis - --metric chrf \
    --chrf-whitespace | sed -n 's/^chrF2 = //p'"
expect_output 'a printed configuration gives the same score' 'same' bash -c "
  options='--reference ref1 --hypothesis worse --smooth floor'
  '$dietmt' evaluate \$options --dump-config >config.txt
  '$dietmt' evaluate \$options >direct.txt && '$dietmt' evaluate --config config.txt |
    cmp - direct.txt && echo same"
expect_output 'chrF++ by word order' 'chrF2++' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp --metric chrf --chrf-word-order 2 |
    sed -n 's/ = .*//p'"
expect_output 'paired test gives a p-value for the second system only' $'hyp\nworse\nhyp' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp worse --paired bootstrap --json >paired.json
  values hypothesis <paired.json; values baseline <paired.json"
expect_output 'seeded' 'same' bash -c "
  for run in 1 2; do
    '$dietmt' evaluate --reference ref1 --hypothesis hyp worse --paired randomization --confidence \
      --paired-samples 200 --seed 3 --json >run\$run
  done
  grep -q 'bs:1000|ar:200|seed:3' run1 && cmp run1 run2 && echo same"
expect_output 'a system against itself is no different' 'p_value 1.0' bash -c "
  cp hyp copy
  echo p_value \$('$dietmt' evaluate --reference ref1 --hypothesis hyp copy --paired randomization \
    --json | values p_value)"

head -2 ref1 >short
: >empty
printf 'The dog bit the man.\nIt was \xff\nx\n' >invalid
expect_failure 'unequal lengths' 1 'ref1 3, short 2, hyp 3' \
  "$dietmt" evaluate --reference ref1 short --hypothesis hyp
expect_failure 'empty file' 1 'empty is empty: 0 lines' \
  "$dietmt" evaluate --reference ref1 --hypothesis empty
expect_failure 'missing file' 1 'nowhere' "$dietmt" evaluate --reference nowhere --hypothesis hyp
expect_failure 'no reference' 2 '--reference is missing' "$dietmt" evaluate --hypothesis hyp
expect_failure 'unknown metric' 2 "--metric has 'meteor'; choose bleu, chrf, chrf++, ter, comet or metricx" \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --metric meteor
expect_failure 'unknown tokenizer' 2 "--tokenize is '14'; it must be 13a, intl, char, none, zh, ja-mecab" \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --tokenize 14
expect_failure 'paired test of one system' 2 '--paired compares systems' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --paired bootstrap
expect_failure 'unknown option' 2 'unknown option --tokenizer; did you mean --tokenize?' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --tokenizer 13a
expect_output 'invalid UTF-8 is a warning with its line' '1' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis invalid 2>&1 >/dev/null | grep -c 'invalid:2'"

# Only scores, one line per hypothesis.
expect_output 'score only' $'48.53\t59.73\n29.29\t49.16' \
  "$dietmt" evaluate --reference ref1 ref2 --hypothesis hyp worse --metric bleu,chrf --score-only
expect_failure 'score only and intervals' 2 '--score-only prints neither intervals nor p-values' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp worse --score-only --paired bootstrap
expect_failure 'score only and JSON' 2 '--json and --score-only cannot be combined' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --score-only --json

# Parts of the text score like separate files with these sentences.
printf '%s\n' de en de >origins
printf '%s\n' news.1 news.1 talk.2 >documents
sed -n '1p;3p' ref1 >ref.de; sed -n '1p;3p' hyp >hyp.de
head -2 ref1 >ref.news; head -2 hyp >hyp.news; tail -1 ref1 >ref.talk; tail -1 hyp >hyp.talk
score() { "$dietmt" evaluate --reference "$1" --hypothesis "$2" --score-only --metric bleu,chrf,ter; }
parts=("$dietmt" evaluate --reference ref1 --hypothesis hyp --metric bleu,chrf,ter)
expect_output 'origin' "$(score ref.de hyp.de)" \
  "${parts[@]}" --origins origins --origlang de --score-only
expect_output 'other origins' "$(score ref.de hyp.de)" \
  "${parts[@]}" --origins origins --origlang non-en --score-only
expect_output 'documents by a regular expression' "$(score ref.news hyp.news)" \
  "${parts[@]}" --documents documents --subset '^news\.' --score-only
expect_output 'scores of documents' \
  "news.1"$'\t'"$(score ref.news hyp.news)"$'\n'"talk.2"$'\t'"$(score ref.talk hyp.talk)" \
  "${parts[@]}" --documents documents --document-level
printf '%s\n' news.1 news.1 '' >unnamed
expect_output 'a document without a name' \
  "news.1"$'\t'"$(score ref.news hyp.news)"$'\n\t'"$(score ref.talk hyp.talk)" \
  "${parts[@]}" --documents unnamed --document-level
expect_output 'documents of one origin' "news.1"$'\t'"$(score <(sed 1q ref1) <(sed 1q hyp))" \
  bash -c "'$dietmt' evaluate --reference ref1 --hypothesis hyp --metric bleu,chrf,ter \
    --documents documents --document-level --origins origins --origlang de | head -1"
expect_output 'the signature says which' 'origlang:de|subset:news|case' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp --origins origins --origlang de \
    --documents documents --subset news | grep -o 'origlang.*case'"
expect_output 'documents in JSON' $'news.1\ntalk.2' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp --documents documents --document-level \
    --json | values document"
head -2 documents >fewer
expect_failure 'fewer documents than sentences' 1 'fewer has 2 lines, but the texts have 3' \
  "${parts[@]}" --documents fewer --document-level
expect_failure 'no such origin' 1 '--origlang and --subset leave no sentence to score' \
  "${parts[@]}" --origins origins --origlang fr
expect_failure 'no regular expression' 2 '--subset ( is not a regular expression' \
  "${parts[@]}" --documents documents --subset '('
expect_failure 'subset without documents' 2 '--subset, --document-level and --comet-context need --documents' \
  "${parts[@]}" --subset news

# The page that compares systems.
report=("$dietmt" evaluate --reference ref1 --hypothesis hyp worse --metric bleu,chrf --report)
expect_output 'a report' "$("$dietmt" evaluate --reference ref1 --hypothesis hyp worse \
  --metric bleu,chrf --paired bootstrap)" "${report[@]}" report.html
expect_output 'what a report shows' $'<h2>Scores\n<h2>Length of the reference\n<h2>Length of the source
<h2>Origin\n<h2>Words by frequency in the training text
<h2>N-grams that hyp gets right more often than worse\n<h2>Sentences in which hyp is better than worse' \
  bash -c "'$dietmt' evaluate --reference ref1 --hypothesis hyp worse --report all.html --source ref2 \
    --origins origins --training ref1 hyp.gz >scores.txt && grep -o '<h2>[^<]*' all.html"
expect_output 'no script, no network, and p' $'0\n1' bash -c "
  grep -c '<script\|https\?:' all.html; grep -c '<th>p</th>' all.html"
expect_output 'one system' '1' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp --report one.html >scores.txt &&
    grep -c 'Sentences with the lowest scores' one.html"
expect_output 'the options of a report' '1' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp worse --metric chrf --report chars.html \
    --language zh --paired-samples 200 --confidence-samples 200 --seed 3 >/dev/null &&
  grep -c '<h2>Scores' chars.html"
expect_failure 'a report of another kind' 2 '--report is r.txt; it must end in .html' \
  "${report[@]}" r.txt
expect_failure 'a report of sentences' 2 '--report has intervals: leave out --sentence-level' \
  "${report[@]}" r.html --sentence-level
cp ref1 ref.html
expect_failure 'a report over its source' 2 '--report and an input are one file: ref.html' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --source ref.html --report ref.html
expect_failure 'a report over its input' 2 '--report and an input are one file: ref.html' \
  "$dietmt" evaluate --reference ref.html --hypothesis hyp --report ref.html
expect_failure 'origins without a use' 2 'give --origins and --origlang together' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --origins origins
sed 2d ref1 | sed '1s/$/\n/' >gap
expect_output 'a missing reference is a warning' '1' bash -c "
  '$dietmt' evaluate --reference gap --hypothesis hyp 2>&1 >scores.txt |
    grep -c 'gap 1; they count as references without words, as in sacreBLEU'"
expect_output 'an empty pair is none' '0' bash -c "
  sed '2s/.*//' hyp >blank
  '$dietmt' evaluate --reference gap --hypothesis blank 2>&1 >scores.txt | grep -c 'without words' || true"

# Predictions for tasks.
printf 'index\tsentence1\tsentence2\tlabel\n0\ta\tb\tentailment\n1\ta\tb\tnot_entailment\n' >dev.tsv
printf 'index\tprediction\n1\tnot_entailment\n0\tnot_entailment\n' >RTE.tsv
cat >squad.json <<'JSON'
{"data": [{"paragraphs": [{"context": "The red cat sees Ana.", "qas": [
 {"id": "a", "question": "who", "answers": [{"text": "red cat", "answer_start": 4}]},
 {"id": "b", "question": "whom", "answers": [{"text": "Ana", "answer_start": 17}]}]}]}]}
JSON
echo '{"a": "the red dog", "b": "Ana"}' >answers.json
expect_output 'GLUE' $'accuracy\t50.00' \
  "$dietmt" evaluate --task rte --predictions RTE.tsv --reference dev.tsv
expect_output 'SQuAD 1.1' $'exact_match\t50.00\nf1\t75.00' \
  "$dietmt" evaluate --task squad1 --predictions answers.json --reference squad.json
expect_output 'XQuAD, score only' $'50.0\t75.0' "$dietmt" evaluate --task xquad-de \
  --predictions answers.json --reference squad.json --score-only --digits 1
expect_output 'JSON of a task' $'exact_match\nf1\ntask:SQuAD1.1|examples:2\ntask:SQuAD1.1|examples:2' \
  bash -c "'$dietmt' evaluate --task squad1 --predictions answers.json --reference squad.json \
    --json >task.json; values metric <task.json; values signature <task.json | sed 's/|version.*//'"
expect_output 'a missing answer is a warning' '1' bash -c "
  echo '{\"a\": \"red cat\"}' | '$dietmt' evaluate --task squad1 --predictions - \
    --reference squad.json 2>&1 >/dev/null | grep -c '1 of 2 questions have no prediction'"
expect_failure 'unknown task' 2 "no task 'squad9'" \
  "$dietmt" evaluate --task squad9 --predictions answers.json --reference squad.json
expect_failure 'a missing prediction' 1 '1 predictions for 2 labelled examples' \
  "$dietmt" evaluate --task rte --predictions <(sed 2d RTE.tsv) --reference dev.tsv
expect_failure 'BLEU of a task' 2 '--tokenize is for translations: leave out --task' \
  "$dietmt" evaluate --task rte --predictions RTE.tsv --reference dev.tsv --tokenize zh
expect_failure 'no-answer scores of a task without them' 2 '--null-odds is for tasks whose questions' \
  "$dietmt" evaluate --task squad1 --predictions answers.json --reference squad.json --null-odds odds
expect_failure 'no-answer scores of a task without questions' 2 '--null-odds is for questions' \
  "$dietmt" evaluate --task rte --predictions RTE.tsv --reference dev.tsv --null-odds odds
for option in 'null-odds odds:--task' 'training x:--report' 'source x:--metric comet or --report' 'device cuda:--metric comet' \
  'threads 3:--metric comet' 'smooth-value 3:--smooth floor' 'ter-no-punct:--metric ter' \
  'chrf-beta 3:--metric chrf' 'paired-samples 9:--paired' 'seed 3:--confidence' \
  'confidence-samples 9:--confidence'; do
  words=${option%:*}
  expect_failure "only --$words" 2 "--${words% *} needs ${option#*:}" \
    bash -c "'$dietmt' evaluate --reference ref1 --hypothesis hyp --$words"
done
expect_failure 'intervals of a paired bootstrap' 2 '--confidence-samples needs --confidence' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp worse --paired bootstrap --confidence \
  --confidence-samples 50
expect_failure 'smoothing without BLEU' 2 '--smooth needs --metric bleu' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --metric chrf --smooth floor
expect_failure 'a language of a task that has none' 2 "'de' is no language of RTE" \
  "$dietmt" evaluate --task rte --predictions RTE.tsv --reference dev.tsv --language de
expect_failure 'two files of standard input' 2 'only one file can be -' \
  "$dietmt" evaluate --task rte --predictions - --reference -
printf '%s' '{"a": "red cat", "b"' >cut.json
expect_failure 'predictions that break off' 1 'cut.json: is not valid JSON' \
  "$dietmt" evaluate --task squad1 --predictions cut.json --reference squad.json
nested() { printf '%*s' "$1" '' | tr ' ' '['; }
printf '{"data": [{"paragraphs": [{"context": "x", "qas": [{"id": %s%s, "question": "x"}]}]}]}' \
  "$(nested 300000)" "$(nested 300000 | tr '[' ']')" >deep.json
expect_failure 'an id of brackets' 1 '"id" is neither text nor a number' \
  "$dietmt" evaluate --task squad2 --predictions answers.json --reference deep.json
expect_failure 'another order for chrF++' 2 '--chrf-word-order is for --metric chrf' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --metric chrf++ --chrf-word-order 3
expect_failure 'standard output is full' 1 'standard output cannot be written' \
  bash -c "'$dietmt' evaluate --reference ref1 --hypothesis hyp >/dev/full"
expect_failure 'predictions without a task' 2 '--predictions needs --task' \
  "$dietmt" evaluate --predictions RTE.tsv --reference dev.tsv
expect_failure 'neither translations nor predictions' 2 '--hypothesis is missing' \
  "$dietmt" evaluate --reference ref1

# The tokenizer of a language, and a warning about text in which the usual one finds no words.
printf '%s\n' '一只狗在草地上奔跑。' '设备未连接。' '男人坐在长椅上。' >chinese
expect_output 'the tokenizer of Chinese' 'tok:zh|' bash -c "
  '$dietmt' evaluate --reference chinese --hypothesis chinese --language zh-TW | grep -o 'tok:[^|]*|'"
[ -s stderr.txt ] && { echo "FAILED zh: $(cat stderr.txt)"; failures=$((failures + 1)); }
expect_output 'the tokenizer of German' 'tok:13a|' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp --language de | grep -o 'tok:[^|]*|'"
[ -s stderr.txt ] && { echo "FAILED de: $(cat stderr.txt)"; failures=$((failures + 1)); }
expect_output 'a warning about Chinese' '1' bash -c "
  '$dietmt' evaluate --reference chinese --hypothesis chinese 2>&1 >/dev/null |
    grep -c 'chinese: words without spaces between them, .* add --tokenize zh '"
expect_failure 'a tokenizer and a language' 2 '--tokenize and --language both choose a tokenizer' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --language zh --tokenize zh
expect_failure 'a language without BLEU' 2 '--language needs --metric bleu or --report, whose tokenizer it' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --language zh --metric chrf

# Subwords: as if the text consisted of the model's pieces.
for _ in $(seq 200); do cat ref1 ref2; done >text
"$dietmt" tokenizer --input text --vocab-size 60 --output pieces.model 2>/dev/null
expect_output 'flores' 'tok:flores200|' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp --tokenize flores200 \
    --subword-model pieces.model | grep -o 'tok:[^|]*|'"
expect_output 'spBLEU-1K' 'tok:spBLEU-1K|' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp --tokenize spBLEU-1K \
    --subword-model pieces.model | grep -o 'tok:[^|]*|'"
expect_output 'own subwords are named by their bytes' '1' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis hyp --tokenize spm \
    --subword-model pieces.model | grep -cE 'tok:spm-[0-9a-f]{8}\|'"
expect_output 'pieces are more than words' 'more' bash -c "
  pieces=\$('$dietmt' evaluate --reference ref1 --hypothesis hyp --tokenize spm --json \
    --subword-model pieces.model | values hypothesis_length)
  words=\$('$dietmt' evaluate --reference ref1 --hypothesis hyp --json | values hypothesis_length)
  [ \${pieces%.*} -gt \${words%.*} ] && echo more"
expect_failure 'no subword model' 2 'give --subword-model with --tokenize spm' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --tokenize flores101
expect_failure 'not a subword model' 1 'ref1: not a sentencepiece model' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --tokenize spm --subword-model ref1

# MeCab, if the system has it. The words and the score are those of sacreBLEU 2.6.0.
echo 'これは本です。' >ref.ja
echo '私は本を読みます。' >>ref.ja
echo 'これは本ではない。' >hyp.ja
echo '私は本を読みます。' >>hyp.ja
if "$dietmt" evaluate --reference ref.ja --hypothesis hyp.ja --tokenize ja-mecab >mecab 2>stderr.txt
then
  expect_output 'ja-mecab' 'BLEU = 62.96 78.6/66.7/60.0/50.0 (BP = 1.000 ratio = 1.167 hyp_len = 14 ref_len = 12)' head -1 mecab
  expect_output 'its signature' '1' grep -cE 'tok:ja-mecab-[0-9.]+-IPA(-[0-9]+)?\|' mecab
else
  echo "skipped: ja-mecab: $(cat stderr.txt)"
  expect_failure 'no MeCab' 2 'install libmecab2 and mecab-ipadic-utf8' \
    "$dietmt" evaluate --reference ref.ja --hypothesis hyp.ja --tokenize ja-mecab
fi
expect_failure 'no dictionary there' 2 'ja-mecab' "$dietmt" evaluate --reference ref.ja \
  --hypothesis hyp.ja --tokenize ja-mecab --mecab-dictionary nowhere

[ $failures -eq 0 ] && echo 'all evaluate tests passed'
exit $((failures > 0))
