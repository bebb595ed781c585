#!/usr/bin/env bash
# Word alignments, markup and checked copies in dietmt translate: translate_markup_test.sh BINARY
# MODEL
dietmt=$1
model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
translate=("$dietmt" translate --model "$model")
toy_corpus 60 7 "$work/toy"
input=$work/toy.en
expect_code 0 "${translate[@]}" --input "$input"
cp "$work/out" "$work/plain"

# Word alignments: a pair per word; the text before them stays. A translation in this toy language
# has the words in reverse order.
expect_code 0 "${translate[@]}" --input "$input" --alignment hard
expect_equal "$(sed 's/ ||| .*//' "$work/out" | cmp - "$work/plain" && echo same)" same "aligned text"
awk -F ' [|][|][|] ' '{ if (split($1, a, " ") != split($2, b, " ")) print }' "$work/out" >"$work/bad"
expect_lines "$work/bad" 0
expect_code 0 "${translate[@]}" --input "$input" --alignment soft --json --nbest 2
python3 - "$work/out" <<'EOF' || fail "soft alignments in JSON"
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    for one in json.loads(line)["translations"]:
        soft = one["alignment"]
        assert len(soft["weights"]) == len(soft["target_tokens"]) == len(one["token_scores"])
        for row in soft["weights"]:
            assert len(row) == len(soft["source_tokens"]) and abs(sum(row) - 1) < 1e-3, row
EOF
expect_code 0 "${translate[@]}" --alignment hard < <(printf 'red dog\n\nred dog\n')
expect_lines "$work/out" 3
expect_equal "$(sed -n 2p "$work/out")" " ||| " "the alignment of an empty line"
expect_code 2 "${translate[@]}" --alignment hard --markup
expect_text "leave out --alignment" "$err"

# A thousand sentences with markup: every mark survives once, and the tags nest.
toy_corpus 1000 9 "$work/many"
sed 's/^\([^ ]*\) \([^ ]*\)\(.*\)$/<a href="x"><b>\1<\/b> {0} \2<\/a>\3 $name$ %s<x id="1"\/>/' \
  "$work/many.en" >"$work/marked"
expect_code 0 "${translate[@]}" --input "$work/marked" --markup --beam 1
python3 - "$work/out" <<'EOF' || fail "markup of 1000 sentences"
import re, sys
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
assert len(lines) == 1000
wanted = sorted(['<a href="x">', "<b>", "</b>", "</a>", "{0}", "$name$", "%s", '<x id="1"/>'])
for line in lines:
    marks = re.findall(r'<[^>]*>|\{0\}|\$name\$|%s', line)
    assert sorted(marks) == wanted, line
    tags = [m for m in marks if m in ("<b>", "</b>", "</a>") or m.startswith("<a")]
    open_tags = []
    for tag in tags:
        if tag.startswith("</"):
            assert open_tags and open_tags.pop() == tag[2], line
        else:
            open_tags.append(tag[1])
    assert not open_tags, line
EOF

# Markup: each mark once, and the words equal those of the text without it.
sed 's/^\([^ ]*\) \([^ ]*\)/<b>\1<\/b> {0} \2/' "$input" >"$work/marked"
expect_code 0 "${translate[@]}" --input "$work/marked" --markup
expect_equal "$(grep -c '^.*<b>[^<{]*</b>.*$' "$work/out")" 60 "lines with their element"
expect_equal "$(grep -o '{0}' "$work/out" | wc -l)" 60 "placeholders"
sed 's/<[^>]*>//g; s/{0}//; s/  */ /g; s/^ //; s/ $//' "$work/out" | cmp - "$work/plain" ||
  fail "--markup changes the words"
# Wherever the placeholders go, they keep their quotation marks and parentheses.
placed=$(printf '"{0}" red dog: (%%s)\n' | "${translate[@]}" --markup)
expect_equal "$(sed 's/"{0}"/ /; s/(%s)/ /; s/  */ /g; s/^ //; s/ $//' <<<"$placed")" \
  "$("${translate[@]}" <<<"red dog:")" "punctuation around placeholders: $placed"
expect_equal "$(printf '({0}/{1}).\n' | "${translate[@]}" --markup)" "({0}/{1})." "no words"
expect_equal "$(printf '{0} %%s\n\n' | "${translate[@]}" --markup)" "{0} %s" "only markup"

# Numbers and names that the translation lacks are named, and nothing changes.
printf 'red dog 1,234\n\nold USB tree\n' >"$work/copies"
expect_code 0 "${translate[@]}" --keep none --input "$work/copies" --check copies
expect_text "$work/copies:1: \"1,234\" is not in the translation" "$err"
expect_text "$work/copies:3: \"USB\" is not in the translation" "$err"
"${translate[@]}" --keep none --input "$work/copies" | cmp - "$work/out" ||
  fail "--check changes the text"
expect_code 0 "${translate[@]}" --keep none --check copies --json <<<"red dog 1,234"
expect_text '"missing_copies":["1,234"]' "$out"
expect_code 0 "${translate[@]}" --check copies --markup --json <<<"the dog&#39;s tree"
expect_text '"missing_copies":[]' "$out"
[ -z "$err" ] || fail "a character reference is no number: $err"
finish
