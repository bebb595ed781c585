#!/usr/bin/env bash
# dietmt bert prepare: bert_prepare_test.sh BINARY SCRATCH
dietmt=$1 work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
prepare=("$dietmt" bert prepare)

# Two documents. What is there twice is left out in the second one, with other punctuation too.
long="and so this sentence has letters enough for a paragraph"
{
  printf '\357\273\277“Mr. Smith’s cat”, he said\302\240– %s…  It\twent “home”. Then it slept until everybody returned! *\r\n' "$long"
  printf 'CHAPTER I\n'
  printf '| 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | %s |\n' "$long"
  printf '\377 %s, in bytes that are not UTF-8.\n' "$long"
  head -c 1100000 /dev/zero | tr '\0' x
  printf '\n \n'
  printf 'Second “document”, %s.\n' "$long"
} >a.txt
printf 'Second "document," %s.\n\nThird document: %s, says No. 5 of them.' "$long" "$long" | gzip >b.txt.gz
cat >expected <<END
"Mr. Smith's cat," he said - $long...
It went "home."
Then it slept until everybody returned!

Second "document," $long.

Third document: $long, says No. 5 of them.
END
expect_code 0 "${prepare[@]}" a.txt b.txt.gz --output train.txt
cmp train.txt expected || fail "train.txt: $(cat train.txt)"
expect_text "5 sentences of 3 documents, from 3 of 10 lines (left out: 2 with too few letters, 1 there \
twice, 1 too long, 1 not UTF-8)" "$err"
expect_text "a.txt:5: 1100000 bytes; this line and later ones over 1048576 are left out" "$err"

# Every second document is held out.
expect_code 0 "${prepare[@]}" a.txt b.txt.gz --output train.txt.gz --valid valid.txt --valid-every 2
expect_equal "$(gzip -dc train.txt.gz)" "$(sed '5,6d' expected)" "text for training"
expect_equal "$(cat valid.txt)" "$(sed -n 5p expected)" "text for validation"

# The limits are options.
expect_code 0 "${prepare[@]}" a.txt --output all.txt --min-letters 1 --min-letter-share 0
expect_equal "$(sed -n 4p all.txt)" "CHAPTER I" "a short line"
expect_text "| 1 | 2 | 3" "$(sed -n 5p all.txt)"

# Punctuation and sentences by language.
printf 'Am 3. Mai sagte er: „%s“.\n' "$long" >de.txt
expect_code 0 "${prepare[@]}" de.txt --output de.out --language de-AT
expect_equal "$(cat de.out)" "Am 3. Mai sagte er: \"$long\"." "German"

# Documents as WikiText marks them; the same text with any number of threads and chunks.
awk -v long="$long" 'BEGIN {
  for (i = 0; i < 20000; ++i) {
    if (i % 7 == 0) print " = Title " i " = "
    print long " of number " i % 15000 "."
    if (i % 3 == 0) print ""
  }
}' >many.txt
for threads in 1 3; do
  expect_code 0 "${prepare[@]}" many.txt --output "many-$threads.txt" --documents title \
    --threads $threads
done
expect_text "15000 sentences of 2143 documents, from 15000 of" "$err"
expect_text "5000 there twice" "$err"
cmp many-1.txt many-3.txt || fail "the text depends on the threads"

# The result is what bert pretrain reads.
expect_code 0 "$dietmt" bert pretrain --train many-1.txt --valid train.txt --preset tiny \
  --vocab-size 60 --output run --dry-run
expect_text "2143 documents, 15000 sentences" "$err"

# Nothing remains of what fails.
rm -f train.txt valid.txt
expect_code 1 "${prepare[@]}" a.txt --output train.txt --valid valid.txt
expect_text "no document is left for valid.txt: there are 2 documents, and --valid-every is 200" "$err"
expect_code 1 "${prepare[@]}" a.txt --output train.txt --min-letters 1000
expect_text "no line is left for train.txt" "$err"
expect_code 1 "${prepare[@]}" a.txt missing.txt --output train.txt
expect_text "missing.txt" "$err"
expect_code 2 "${prepare[@]}" a.txt --output ./a.txt
expect_text "--output and --input are one file" "$err"
expect_code 2 "${prepare[@]}" a.txt --output train.txt --valid train.txt
expect_text "--output and --valid are one file" "$err"
expect_code 2 "${prepare[@]}" a.txt --output train.txt --valid -
expect_text "--valid is -; this command needs the name of a file" "$err"
expect_code 2 "${prepare[@]}" a.txt b.txt.gz --output train.txt --valid b.txt.gz
expect_text "--valid and --input are one file: b.txt.gz" "$err"
expect_code 2 "${prepare[@]}" a.txt --output train.txt --valid-every 9
expect_text "--valid-every needs --valid" "$err"
expect_equal "$(ls train.txt valid.txt *tmp* 2>/dev/null)" "" "files that remain"
finish
