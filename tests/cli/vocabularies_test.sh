#!/usr/bin/env bash
# Text that is already cut into pieces, vocabularies of other toolkits, tab-separated text:
# vocabularies_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"

toy_corpus 600 1 "$work/train"
toy_corpus 30 2 "$work/valid"
options=(--encoder-layers 1 --decoder-layers 1 --width 32 --feed-forward 32 --heads 2 --warmup 20
  --batch-tokens 500 --learning-rate 0.01 --threads 1)
valid=(--valid-source "$work/valid.en" --valid-target "$work/valid.de")
train=("$dietmt" train "${options[@]}" --max-updates 40)

# Columns of one file are the same text as two files.
paste "$work/train.en" "$work/train.de" >"$work/train.tsv"
paste <(seq 30) "$work/valid.de" "$work/valid.en" | gzip >"$work/valid.tsv.gz"
expect_code 0 "${train[@]}" --train-source "$work/train.en" --train-target "$work/train.de" \
  "${valid[@]}" --vocab-size 90 --output "$work/files"
columns=(--train-source "$work/train.tsv:1" --train-target "$work/train.tsv:2"
  --valid-source "$work/valid.tsv.gz:3" --valid-target "$work/valid.tsv.gz:2")
expect_code 0 "${train[@]}" "${columns[@]}" --vocab-size 90 --output "$work/columns"
cmp "$work/files/last/model.safetensors" "$work/columns/last/model.safetensors" ||
  fail "columns train another model than files"
bleu() { grep -o '"bleu":[^,}]*' "$1/progress.jsonl"; }
expect_equal "$(bleu "$work/columns")" "$(bleu "$work/files")" "BLEU of columns"
expect_code 2 "${train[@]}" --train-source "$work/train.tsv" --train-target "$work/train.tsv" \
  "${valid[@]}" --output "$work/bad"
expect_text "both $work/train.tsv, which has columns: give $work/train.tsv:1 and $work/train.tsv:2" \
  "$err"
sed '7s/\t.*//' "$work/train.tsv" >"$work/short.tsv"
expect_code 1 "${train[@]}" --train-source "$work/short.tsv:1" --train-target "$work/short.tsv:2" \
  "${valid[@]}" --output "$work/bad"
expect_text "$work/short.tsv:7: the line has 1 column, but the text is in column 2" "$err"
expect_code 2 "${train[@]}" --train-source "$work/none.tsv:1" --train-target "$work/train.de" \
  "${valid[@]}" --output "$work/bad"
expect_text "--train-source: $work/none.tsv does not exist" "$err"
expect_code 0 "${train[@]}" --train-source "$work/train.en" --train-target "$work/train.en" \
  "${valid[@]}" --vocab-size 60 --output "$work/copies" --dry-run
expect_text "$work/train.en is both sides of the training text" "$err"

# Text in BPE with fairseq's dictionaries: their ids, and whole words in BLEU and translations.
for side in en de; do
  for text in train valid; do
    sed -E 's/(^| )([a-z]{2})([a-z]+)/\1\2@@ \3/g' "$work/$text.$side" >"$work/$text.bpe.$side"
  done
  tr ' ' '\n' <"$work/train.bpe.$side" | sort | uniq -c | sort -k1,1nr -k2 |
    awk '{ print $2, $1 }' >"$work/dict.$side.txt"
done
cut_text=(--train-source "$work/train.bpe.en" --train-target "$work/train.bpe.de"
  --valid-source "$work/valid.bpe.en" --valid-target "$work/valid.bpe.de")
expect_code 0 "$dietmt" train "${options[@]}" "${cut_text[@]}" --max-updates 200 --remove-bpe \
  --tied-embeddings decoder --source-tokenizer "$work/dict.en.txt" \
  --target-tokenizer "$work/dict.de.txt" \
  --output "$work/bpe" --valid-output "$work/found"
grep -q "@@" "$work/found" && fail "pieces in the translations of validation"
expect_code 0 "$dietmt" translate --model "$work/bpe" --input "$work/valid.bpe.en" --remove-bpe
cmp -s "$work/out" "$work/found" || fail "translate and validation differ"
grep -vqE '^[a-z ]*$' "$work/out" && fail "not whole words: $(head -1 "$work/out")"
expect_code 0 "$dietmt" score --model "$work/bpe" --source "$work/valid.bpe.en" \
  --target "$work/valid.bpe.de"
expect_code 2 "${train[@]}" "${cut_text[@]}" --tied-embeddings decoder \
  --source-tokenizer "$work/dict.en.txt" \
  --target-tokenizer "$work/dict.de.txt" --bpe-dropout 0.1 --output "$work/bad"
expect_text "--bpe-dropout needs a sentencepiece model" "$err"

# Marian's joint vocabulary, to Marian's format and CTranslate2's; MarianMT has none.
{ printf '</s>: 0\n<unk>: 1\n'; cut -d' ' -f1 "$work/dict.en.txt" "$work/dict.de.txt" | sort -u |
  awk '{ printf "\"%s\": %d\n", $1, NR + 1 }'; } >"$work/vocab.yml"
expect_code 0 "${train[@]}" "${cut_text[@]}" --tokenizer "$work/vocab.yml" --marian \
  --no-valid-translation --output "$work/marian"
expect_text "$(($(wc -l <"$work/vocab.yml") + 1)) pieces" "$err"
expect_code 0 "$dietmt" export "$work/marian" --to marian --output "$work/to_marian"
[ ! -e "$work/to_marian/vocab.spm" ] || fail "an empty sentencepiece model"
grep -q '"</s>": 0' "$work/to_marian/vocab.yml" || fail "other ids: $(head -2 "$work/to_marian/vocab.yml")"
expect_code 2 "$dietmt" export "$work/bpe" --to huggingface --output "$work/to_huggingface"

# Malformed lists.
printf 'a 3\nb\n' >"$work/dict.bad.txt"
expect_code 1 "${train[@]}" "${cut_text[@]}" --tokenizer "$work/dict.bad.txt" --output "$work/bad"
expect_text "$work/dict.bad.txt:2: not a line of a vocabulary" "$err"
printf 'a: 0\nb: 0\n' >"$work/bad.yml"
expect_code 1 "${train[@]}" "${cut_text[@]}" --tokenizer "$work/bad.yml" --output "$work/bad"
expect_text "$work/bad.yml:2: 'a' and 'b' have the same id" "$err"
finish
