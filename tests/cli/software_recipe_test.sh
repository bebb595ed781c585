#!/usr/bin/env bash
# recipes/software: parallel text from made-up catalogues and pages, and the recipe on a toy corpus.
#   software_recipe_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"
recipe=$(dirname "$0")/../../recipes/software

python3 - "$work/root" <<'P' || fail "the packages could not be made"
import pathlib, struct, sys

root = pathlib.Path(sys.argv[1])

def write(path, content):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)

def catalogue(messages):
    """The .mo format of GNU gettext: header, two tables of (length, offset), the strings."""
    pairs = sorted((k.encode(), v.encode()) for k, v in
                   {"": "Content-Type: text/plain; charset=UTF-8\n", **messages}.items())
    tables, data, start = ([], []), b"", 28 + 16 * len(pairs)
    for side in (0, 1):
        for pair in pairs:
            tables[side].append(struct.pack("<II", len(pair[side]), start + len(data)))
            data += pair[side] + b"\0"
    return struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0) + \
        b"".join(tables[0] + tables[1]) + data

write("usr/share/locale/de/LC_MESSAGES/a.mo", catalogue({
    "menu\4~Open File": "Datei ö~ffnen", "OK": "OK", "%d": "%d", "Not translated": "",
    "one file\0%d files": "eine Datei\0%d Dateien", "Heading on page 3": "Überschrift von 3"}))
write("usr/share/locale/cs/LC_MESSAGES/a.mo", catalogue({"Open File": "Otevřít soubor"}))
write("usr/share/locale/de/LC_MESSAGES/broken.mo", b"no catalogue")
for n in range(200):
    for language, word in (("en-US", "Heading on page"), ("de", "Überschrift von")):
        write(f"usr/share/libreoffice/help/{language}/text/page{n}.html", f"""<html><body>
            <script>var no = 1;</script><h1 id="hd_id1">{word} {n}</h1>
            <p id="par_id2">{word} <b>bold</b> &amp; <span hidden="true">hidden </span>plain {n}</p>
            <p id="par_{language}">only {language}</p><p>no id</p>
            <pre id="par_id3">{word} code</pre></body></html>""".encode())
P
expect_code 0 python3 "$recipe/parallel_text.py" --language de --root "$work/root" --output "$work/de"
expect_text "broken.mo: left out" "$err"
all=$(cat "$work"/de/*.en)
for text in "Open File" "one file" "Heading on page bold & plain 7"; do
  [ "$(grep -cxF "$text" <<<"$all")" -eq 1 ] || fail "not once in the text: $text"
done
for text in OK %d "Not translated" hidden code "only en" "no id" "var no"; do
  ! grep -qF -- "$text" <<<"$all" || fail "in the text: $text"
done
grep -qxF "Datei öffnen" "$work/de/train.de" || fail "the mark of a shortcut stayed"
# All of a page is in one part; a heading that is also in a catalogue is in no held-out part.
for part in valid test; do
  paste "$work/de/$part.en" "$work/de/$part.de" >"$work/$part"
  [ -s "$work/$part" ] || fail "no text for $part"
  awk -F'\t' '{ a = $1; b = $2; gsub(/[^0-9]/, "", a); gsub(/[^0-9]/, "", b); bad += a != b }
    END { exit bad > 0 }' "$work/$part" || fail "$part is not aligned"
  grep -o '[0-9]*$' "$work/de/$part.en" | sort -u | while read -r page; do
    ! grep -qE " $page\$" <(cat "$work/de/train.en") || echo "$page"
  done >"$work/leaked"
  [ ! -s "$work/leaked" ] || [ "$(cat "$work/leaked")" = 3 ] || fail "pages in two parts: $(cat "$work/leaked")"
done
expect_code 1 python3 "$recipe/parallel_text.py" --language fr --root "$work/root" --output "$work/fr"
expect_text "no text for 'train' in the language fr" "$err"

# fetch.sh with a package source that has only LibreOffice's, and with one that has no others.
mkdir -p "$work/package/DEBIAN" "$work/source"
cp -r "$work/root/usr" "$work/package/"
printf 'Package: toy\nVersion: 1\nArchitecture: all\nMaintainer: toy <toy@localhost>\nDescription: toy\n' \
  >"$work/package/DEBIAN/control"
dpkg-deb --build "$work/package" "$work/toy.deb" >/dev/null || fail "the package could not be made"
cat >"$work/source/apt-get" <<SOURCE
#!/usr/bin/env bash
name=\${!#}
if [[ \$name == libreoffice-* ]]; then exec cp "$work/toy.deb" "\${name}_1_all.deb"; fi
echo "E: \$REASON \$name" >&2
exit 100
SOURCE
chmod +x "$work/source/apt-get"
fetch=(env PATH="$work/source:$PATH" bash "$recipe/fetch.sh" all de)
expect_code 1 env REASON="Failed to fetch" "${fetch[@]}" "$work/fetched"
expect_text "run the same command again to fetch aptitude-common" "$err"
[ ! -e "$work/fetched/test.de" ] || fail "text without some packages"
expect_code 0 env REASON="Unable to locate package" "${fetch[@]}" "$work/fetched"
cmp -s "$work/fetched/test.de" "$work/de/test.de" || fail "not the text of the packages"

mkdir -p "$work/run/text"
for part in train valid test; do toy_corpus 60 1 "$work/run/text/$part"; done
run=(env DIETMT="$dietmt" AVERAGE=1 bash "$recipe/run.sh" small en de "$work/run" --vocab-size 90
  --width 32 --feed-forward 32 --heads 2 --encoder-layers 1 --decoder-layers 1 --batch-tokens 500
  --save-interval 5 --valid-interval 5 --no-valid-translation --threads 1 --max-updates 5)
expect_code 0 "${run[@]}"
expect_text "BLEU = " "$out"
expect_code 2 bash "$recipe/run.sh" small cs de "$work/run"
expect_text "SOURCE or TARGET is en" "$err"

expect_code 2 bash "$recipe/fetch.sh" everything de "$work/run"
expect_text "usage" "$err"
finish
