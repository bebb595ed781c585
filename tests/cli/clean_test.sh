#!/usr/bin/env bash
# dietmt clean: rules, duplicates, formats, reports, and inputs that nobody would write by hand.
#   clean_test.sh DIETMT SCRATCH MODEL
dietmt=$1 work=$2 model=$(realpath "$3")
source "$(dirname "$0")/lib.sh"
rm -rf "$work" && mkdir -p "$work" || exit 1
docs=$(realpath "$(dirname "$0")/../../docs")
cd "$work" || exit 1

cat >a.en <<'END'
A man in an orange hat.
Two young men are outside.

<b>Bold</b> text is here.
A man in an orange hat.
very very very very good
The year was 1984.
same text here
END
cat >a.de <<'END'
Ein Mann mit orangem Hut.
Zwei junge Männer sind draußen.
Nichts
Fetter Text ist hier.
Ein Mann mit orangem Hut.
sehr gut ist das hier
Das Jahr war 2013.
Same text, here!
END
expect_code 0 "$dietmt" clean a.en a.de --output clean --removed gone.tsv --report r.html r.json
expect_text "kept 2 of 8 pairs (25.00 %)" "$err"
expect_equal "$out" "" "standard output"
expect_equal "$(cat clean.en)" "$(sed -n 1,2p a.en)" "clean.en"
expect_equal "$(cat clean.de)" "$(sed -n 1,2p a.de)" "clean.de"
expect_equal "$(cut -f 1 gone.tsv | sort | tr '\n' ' ')" \
  "HtmlTagFilter LengthFilter NonZeroNumeralsFilter RepetitionFilter no_identical remove_duplicates " \
  "rules of removed pairs"
grep -q "&lt;b&gt;Bold&lt;/b&gt; text" r.html || fail "no example in r.html"
python3 - <<'END' || fail "r.json"
import json
report = json.load(open("r.json"))
assert report["pairs"] == 8 and report["kept"] == 2, report
assert sum(rule["removed"] for rule in report["rules"]) == 6
END

# The rules that are printed are those that are used; a file of one's own replaces them.
expect_code 0 "$dietmt" clean --print-rules
cp out rules.yaml
expect_code 0 "$dietmt" clean a.en a.de --output again.en again.de --rules rules.yaml
cmp again.en clean.en && cmp again.de clean.de || fail "--print-rules differs from the default"
printf -- '- LengthFilter\n- no_identicl\n' >wrong.yaml
expect_code 2 "$dietmt" clean a.en a.de --output x --rules wrong.yaml
expect_text "wrong.yaml:2: there is no rule 'no_identicl'; did you mean no_identical?" "$err"
[ ! -e x.en ] || fail "an output in spite of a wrong rule"

# docs/cleaning.md names every rule and parameter with its default.
expect_code 0 "$dietmt" clean --list-rules
python3 - "$work/out" "$docs/cleaning.md" <<'END' || fail "docs/cleaning.md: see above"
import re, sys
listed, page = (open(name).read() for name in sys.argv[1:])
missing = []
for line in listed.splitlines():
    names = re.match(r" *([\w, ]+): ", line)[1].split(", ")
    missing += [name for name in names if f"`{name}`" not in page]
    default = re.search(r"default: (\S+)$", line)
    if default and f"{default[1]}" not in page:
        missing.append(line)
print("\n".join(missing), file=sys.stderr)
sys.exit(bool(missing))
END

# Formats. One output for one input gets its lines, another one tab-separated sides.
paste a.en a.de | sed 's/$/\tx/' >a.tsv
xz -k a.tsv
for input in a.tsv a.tsv.xz; do
  expect_code 0 "$dietmt" clean $input --output b.tsv
  expect_equal "$(cat b.tsv)" "$(head -2 a.tsv)" "lines of $input"
done
expect_code 0 "$dietmt" clean - --format tsv --output - <a.tsv
expect_equal "$out" "$(head -2 a.tsv)" "lines of standard input"
expect_code 0 "$dietmt" clean a.tsv:1 a.tsv:2 --output c.en.gz c.de.gz
expect_equal "$(gzip -dc c.en.gz)" "$(cat clean.en)" "c.en.gz"
printf '{"src": "Good morning, Anna.", "trg": "Guten Morgen, Anna."}\n{"src": "x"}\n' >a.jsonl
expect_code 0 "$dietmt" clean a.jsonl --columns src,trg --output b.jsonl
expect_equal "$(cat b.jsonl)" "$(head -1 a.jsonl)" "b.jsonl"
expect_text "unreadable" "$err"
expect_code 0 "$dietmt" clean a.jsonl --columns src,trg --output d.en d.de
expect_equal "$(cat d.de)" "Guten Morgen, Anna." "d.de"

# A translation memory: the first variant of each language, without tags inside.
cat >a.tmx <<'END'
<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header/><body>
<tu><tuv xml:lang="EN-US"><seg>Click <bpt i="1">&lt;b></bpt>here<ept i="1">&lt;/b></ept> &amp; wait.</seg></tuv>
<tuv xml:lang="fr"><seg>non</seg></tuv><tuv lang="de"><seg>Hier klicken &amp;
warten.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Only English</seg></tuv></tu><tu/>
</body></tmx>
END
expect_code 2 "$dietmt" clean a.tmx --output t.tsv
expect_text "TMX needs --source-language" "$err"
for input in a.tmx a.tmx.gz; do
  [ -e $input ] || gzip -k a.tmx
  expect_code 0 "$dietmt" clean $input --output t.tsv --source-language en --target-language de
  expect_equal "$(cat t.tsv)" "Click here & wait.	Hier klicken & warten." "pairs of $input"
  expect_text "kept 1 of 3 pairs" "$err"
done
head -5 a.tmx >cut.tmx
expect_code 1 "$dietmt" clean cut.tmx --output t2.tsv --source-language en --target-language de
expect_text "is not well-formed XML" "$err"
echo '<html/>' >b.tmx
expect_code 1 "$dietmt" clean b.tmx --output t2.tsv --source-language en --target-language de
expect_text "b.tmx: is not TMX" "$err"

# A dry run writes nothing but reports.
touch before after
ls >before
expect_code 0 "$dietmt" clean a.en a.de --dry-run 4
expect_text "kept 2 of 4 pairs" "$err"
ls >after
cmp before after || fail "a dry run wrote files"

# Wrong options and inputs.
expect_code 2 "$dietmt" clean a.en --output x
expect_text "--format tsv, jsonl or tmx is needed for a.en" "$err"
expect_code 2 "$dietmt" clean a.en a.de
expect_text "--output or --dry-run is missing" "$err"
expect_code 2 "$dietmt" clean a.en a.de --output a.en x.de
expect_text "an output and an input are one file: a.en" "$err"
expect_code 2 "$dietmt" clean a.en a.de --output x.en ./x.en
expect_text "two outputs are one file" "$err"
expect_code 2 "$dietmt" clean a.en a.de --output x.en.zst x.de.zst
expect_text "would not be compressed" "$err"
expect_code 2 "$dietmt" clean a.en a.de --output x --report r.txt
expect_code 2 "$dietmt" clean a.en a.de --output x --source-language en
expect_text "give both --source-language and --target-language" "$err"
expect_code 1 "$dietmt" clean a.en a.de --output x --report none/r.html
expect_text "none/r.html: cannot be written" "$err"
[ ! -e x.en ] || fail "an output without a report"
expect_code 1 "$dietmt" clean a.tsv --columns 7,9 --output x.tsv
expect_text "a.tsv: no line has both sides" "$err"
expect_code 2 "$dietmt" clean a.en a.de --output x --source-language xx --target-language de
expect_text "those of the language 'xx' are not known" "$err"
expect_code 1 "$dietmt" clean a.en none.de --output x
expect_text "none.de: cannot be opened" "$err"
head -5 a.de >short.de
expect_code 1 "$dietmt" clean a.en short.de --output x
expect_text "a.en has 8 lines, short.de has 5" "$err"
[ ! -e x.en ] || fail "an output in spite of missing lines"
expect_code 0 "$dietmt" clean /dev/null /dev/null --output empty.en empty.de
expect_lines empty.en 0

# The word aligner learns from the text and finds lines that are out of step.
python3 - <<'END'
import random
random.seed(2)
lines = [[random.randrange(30) for _ in range(6)] for _ in range(300)]
open("w.en", "w").writelines(" ".join(f"s{i}" for i in line) + "\n" for line in lines)
open("w.de", "w").writelines(" ".join(f"t{i}" for i in line) + "\n"
                             for line in lines[:280] + lines[281:] + lines[280:281])
END
echo '- WordAlignFilter: {src_threshold: 4, tgt_threshold: 4}' >align.yaml
for threads in 1 2; do
  expect_code 0 "$dietmt" clean w.en w.de --output w2.en w2.de --rules align.yaml \
    --align-pairs 200 --threads $threads
  expect_text "the word aligner learned from 200 pairs" "$err"
  cmp w2.en <(head -280 w.en) || fail "WordAlignFilter keeps $(wc -l <w2.en) lines"
done
expect_code 2 "$dietmt" clean - --format tsv --output - --rules align.yaml
expect_text "WordAlignFilter reads the text twice: give a file instead of -" "$err"

# A model's cross-entropies are those of `score`, and the dual score is made of both.
expect_code 0 "$dietmt" quantize --model "$model" --output packed --type fp32
for side in en de; do cut -d ' ' -f 1-3 a.$side | sed '3s/^$/x/' >m.$side; done
expect_code 0 "$dietmt" score --model packed --source m.en --target m.de --json --output forward
expect_code 0 "$dietmt" score --model packed --source m.de --target m.en --json --output reverse
python3 - <<'END' || fail "entropies"
import json, math
def entropies(name):
    return [-one["score"] / len(one["tokens"]) for one in map(json.loads, open(name))]
forward, reverse = entropies("forward"), entropies("reverse")
dual = [math.exp(-(abs(a - b) + (a + b) / 2)) for a, b in zip(forward, reverse)]
pairs = list(zip(open("m.en"), open("m.de")))
for name, values, sign in (("tgt", forward, -1), ("dual", dual, 1)):
    ranked = sorted(values)
    middle = (ranked[3] + ranked[4]) / 2
    open(name + ".yaml", "w").write(f"- CrossEntropyFilter: {{{name}_threshold: {middle}}}\n")
    kept = [pair[0] for pair, value in zip(pairs, values) if sign * value >= sign * middle]
    open(name + ".expected", "w").write("".join(kept))
END
expect_code 0 "$dietmt" clean m.en m.de --output tgt.en tgt.de --rules tgt.yaml --score-model packed
cmp tgt.en tgt.expected || fail "pairs by cross-entropy"
expect_code 0 "$dietmt" clean m.en m.de --output dual.en dual.de --rules dual.yaml \
  --score-model packed --score-model-reverse packed --threads 2
cmp dual.en dual.expected || fail "pairs by dual cross-entropy"
expect_code 2 "$dietmt" clean m.en m.de --output x --rules tgt.yaml
expect_text "tgt.yaml:1: CrossEntropyFilter needs --score-model" "$err"
expect_code 2 "$dietmt" clean m.en m.de --output x --rules dual.yaml --score-model packed
expect_text "needs --score-model-reverse for src_threshold" "$err"
expect_code 2 "$dietmt" clean m.en m.de --output x --score-model packed
expect_text "--score-model needs a rule CrossEntropyFilter in --rules" "$err"
expect_code 2 "$dietmt" clean m.en m.de --output x --score-model-reverse packed
expect_text "--score-model-reverse needs --score-model" "$err"
cp -rL packed unpacked && rm unpacked/positions.safetensors
expect_code 2 "$dietmt" clean m.en m.de --output x --rules tgt.yaml --score-model unpacked
expect_text "unpacked needs LibTorch to run: give a model that 'dietmt quantize' wrote" "$err"
[ ! -e x.en ] || fail "an output in spite of a model that does not fit"

# Lines without an end, of 100 MB, with NUL bytes and with random bytes.
head -c 100000000 /dev/zero | tr '\0' 'x' >huge
printf '\ngood line\n' >>huge
printf 'y\ngute Zeile\n' >small
expect_code 0 "$dietmt" clean huge small --output h.en h.de
expect_equal "$(cat h.en)" "good line" "a line of 100 MB"
printf 'a\0b\nlast line' >nul.en
printf 'a b\nletzte Zeile' >nul.de
expect_code 0 "$dietmt" clean nul.en nul.de --output n.en n.de
expect_equal "$(cat n.en)" "last line" "a line with NUL"
python3 -c "
import random, sys
random.seed(1)
sys.stdout.buffer.write(bytes(random.randrange(256) for _ in range(300000)).replace(b'\x1f\x8b', b'') + b'\n')
" >noise
expect_code 0 "$dietmt" clean noise noise --output n2.en n2.de
expect_lines n2.en 0
rm -f huge
finish
