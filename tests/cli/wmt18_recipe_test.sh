#!/usr/bin/env bash
# recipes/wmt18 end to end: wmt18_recipe_test.sh BINARY OUTPUT. On a slice of real text if
# DIETMT_SHARED has it, else on the toy corpus; models are small.
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work/data/de-en"
. "$(dirname "$0")/lib.sh"
recipe=$(cd "$(dirname "$0")/../../recipes/wmt18" && pwd)

slices=$DIETMT_SHARED/data/onmt-ende
if [ -d "$slices" ]; then
  for side in src:en tgt:de; do
    gzip -cd "$slices/${side%:*}-train.txt.gz" | head -n 600 >"$work/raw.${side#*:}"
    gzip -cd "$slices/${side%:*}-val.txt.gz" | head -n 12 >"$work/data/de-en/valid.${side#*:}"
    gzip -cd "$slices/${side%:*}-train.txt.gz" | tail -n 12 >"$work/data/de-en/test.${side#*:}"
  done
else
  echo "$slices is not there: the toy corpus takes its place"
  toy_corpus 600 1 "$work/raw"
  toy_corpus 12 2 "$work/data/de-en/valid"
  toy_corpus 12 3 "$work/data/de-en/test"
fi

# Cleaning: one of these pairs stays.
printf '%s\n' 'A pair.' '' 'same' 'A pair.' 'x' $'bad \xff byte' 'a b c d e f' >"$work/dirty.en"
printf '%s\n' ' Ein Paar. ' 'leer' 'same' 'Ein Paar.' 'viel zu lang dazu' 'schlecht' 'a b c' \
  >"$work/dirty.de"
expect_code 0 env MAX_WORDS=5 bash "$recipe/clean.sh" "$work/dirty.en" "$work/dirty.de" \
  "$work/clean.en" "$work/clean.de"
expect_text "7 pairs, 1 of them are left" "$err"
[ "$(paste -d= "$work/clean.en" "$work/clean.de")" = 'A pair.=Ein Paar.' ] ||
  fail "cleaned: $(paste -d= "$work/clean.en" "$work/clean.de")"
expect_code 1 bash "$recipe/clean.sh" "$work/dirty.en" "$work/clean.de" "$work/a" "$work/b"
expect_text "has 7 lines" "$err"

expect_code 0 bash "$recipe/clean.sh" "$work/raw.en" "$work/raw.de" "$work/data/de-en/train.en" \
  "$work/data/de-en/train.de"
gzip "$work/data/de-en/train.en" "$work/data/de-en/train.de"
cp -r "$work/data/de-en" "$work/data/cs-en"
for file in "$work"/data/cs-en/*.de*; do mv "$file" "${file/.de/.cs}"; done

small=(--vocab-size 400 --tokenizer-type bpe --encoder-layers 1 --decoder-layers 1 --width 32
  --feed-forward 32 --heads 2 --batch-tokens 500 --accumulate 2 --save-interval 2 --valid-interval 4
  --no-valid-translation --threads 1 --max-updates 4)
[ -d "$slices" ] || small[1]=90
run=(env DIETMT="$dietmt" AVERAGE=2 bash "$recipe/run.sh")
for encoding in sinusoidal shaw diet-rel; do
  expect_code 0 "${run[@]}" "$encoding" "$work/data" "$work/$encoding" "${small[@]}"
  expect_text '| encoding | EN-DE | DE-EN | EN-CS | CS-EN |' "$out"
  grep -Eq "^\\| $encoding \\|( [0-9]+\\.[0-9]{2} \\|){4}\$" "$work/out" || fail "the row: $out"
done
# A finished row is printed again, and nothing is trained.
row=$out
expect_code 0 "${run[@]}" diet-rel "$work/data" "$work/diet-rel" "${small[@]}"
[ "$out" = "$row" ] || fail "another row: $out"
[ -z "$err" ] || fail "something was done again: $err"
expect_code 2 "${run[@]}" shaw "$work/data" "$work/diet-rel" "${small[@]}"
expect_text "en-de is of other settings: diet-rel" "$err"
expect_code 2 "${run[@]}" rope "$work/data" "$work/rope"
expect_text "'rope' is not known" "$err"
expect_code 1 env DIRECTIONS=en-fr "${run[@]}" shaw "$work/data" "$work/fr"
expect_text "train.en is missing" "$err"

# Fetching, with made-up archives in place of the corpora's.
served=$work/served
mkdir -p "$served/training" "$served/training-parallel-nc-v13" "$served/dev" "$served/test" \
  "$work/programs"
for pair in de cs; do
  for language in $pair en; do
    for corpus in training/europarl-v7 commoncrawl training-parallel-nc-v13/news-commentary-v13; do
      echo "$(basename "$corpus") in $language" >"$served/$corpus.$pair-en.$language"
    done
    side=ref && [ "$language" = en ] && side=src
    for set in dev/newstest2017 test/newstest2018; do
      printf '<srcset>\n<seg id="1">A &amp; B &lt;%s&gt;</seg>\n</srcset>\n' "$language" \
        >"$served/$set-en$pair-$side.$language.sgm"
    done
  done
done
(
  cd "$served" || exit
  tar -czf training-parallel-europarl-v7.tgz training
  tar -czf training-parallel-commoncrawl.tgz ./commoncrawl.*
  tar -czf training-parallel-nc-v13.tgz training-parallel-nc-v13
  tar -czf dev.tgz dev
  tar -czf test.tgz test
)
cat >"$work/programs/curl" <<'P'
#!/bin/sh
while [ $# -gt 1 ]; do
  if [ "$1" = --output ]; then target=$2; fi
  shift
done
[ -n "$SERVED" ] || { echo "curl: no network" >&2; exit 6; }
cp "$SERVED/$(basename "$1")" "$target"
P
chmod +x "$work/programs/curl"
fetch=(env PATH="$work/programs:$PATH" bash "$recipe/fetch.sh" "$work/fetched")
expect_code 1 env SERVED= "${fetch[@]}"
expect_text "could not be fetched" "$err"
expect_code 2 "${fetch[@]}" fr-en
expect_text "'fr-en' is not known" "$err"
expect_code 0 env SERVED="$served" "${fetch[@]}"
for pair in de cs; do
  [ "$(cat "$work/fetched/$pair-en/test.$pair")" = "A & B <$pair>" ] || fail "test set of $pair-en"
  [ "$(cat "$work/fetched/$pair-en/valid.en")" = "A & B <en>" ] || fail "validation of $pair-en"
  [ "$(wc -l <"$work/fetched/$pair-en/train.$pair")" -eq 3 ] || fail "training text of $pair-en"
done
rm "$work/programs/curl"
printf '#!/bin/sh\nexit 6\n' >"$work/programs/curl" && chmod +x "$work/programs/curl"
expect_code 0 "${fetch[@]}"
finish
