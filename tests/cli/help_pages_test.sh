#!/usr/bin/env bash
# Man pages and completion: help_pages_test.sh BINARY PAGES     (PAGES: folder of the build with them)
dietmt=$1
pages=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/lib.sh"

# Man pages: one per command, without a warning.
for page in dietmt dietmt-train dietmt-bert dietmt-bert-pretrain dietmt-inspect-positions; do
  [ -s "$pages/man1/$page.1" ] || fail "no page $page.1"
done
for page in "$pages"/man1/*.1; do
  if command -v mandoc >/dev/null; then
    expect_code 0 mandoc -T lint -W warning "$page"
    expect_code 0 mandoc -T utf8 "$page"
  else
    expect_code 0 env MAN_KEEP_FORMATTING= LC_ALL=C.UTF-8 man -l --warnings "$page"
  fi
  [ -z "$err" ] || fail "$page: $err"
done
if command -v mandoc >/dev/null; then
  mandoc -T utf8 "$pages/man1/dietmt-train.1" | sed 's/.\x08//g' >"$work/train"
  for text in "dietmt-train - train an encoder" "--train-source FILE..." "default: tiny" "EXIT STATUS"; do
    grep -qF -- "$text" "$work/train" || fail "dietmt-train.1 lacks '$text'"
  done
fi

# complete_bash WORD...: bash's completions of the last word, on one line.
complete_bash() {
  (cd "$work/files" && bash --norc -c '
    source "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _dietmt && echo "${COMPREPLY[*]}"' \
    "$pages/dietmt.bash" "$@")
}
# offers EXPECTED WORD...
offers() {
  local expected=$1 offered
  shift
  offered=$(complete_bash "$@" 2>&1)
  [ "$offered" = "$expected" ] || fail "'$*' offers '$offered' instead of '$expected'"
}
mkdir -p "$work/files/model" "$work/files/more models" && touch "$work/files/text.en"
offers "train translate" dietmt tra
offers "prepare pretrain predict" dietmt bert pre
offers "positions" dietmt inspect po
offers "--preset" dietmt train --pres
offers "tiny small base big" dietmt train --preset ""
offers "tiny" dietmt train --preset = t
offers "--nbest" dietmt translate --quiet --nb
offers "text.en" dietmt translate --input te
offers "model more models" dietmt translate --model ""
offers "a,model a,more models" dietmt translate --model a,
offers "text.en" dietmt train --train-source text.en te
offers "" dietmt translate --beam ""
offers "--input --input-format" dietmt translate --beam 4 --inp
offers "--model" dietmt translate --json --mod
offers "text.en" dietmt translate -i te
offers "text.en" dietmt translate te
offers "text.en" dietmt translate --beam 4 te
offers "text.en" dietmt translate --json te
offers "model more models" dietmt quantize ""
offers "" dietmt train te

if command -v zsh >/dev/null; then
  offered=$(cd "$work/files" && zsh -f "$here/zsh_completion.zsh" "$pages" "$work/dump" \
    'dietmt tra' 'dietmt bert pre' 'dietmt train --pres' 'dietmt train --preset t' \
    'dietmt translate --input te' 'dietmt train --train-source text.en te' 'dietmt translate -i te' \
    'dietmt translate -m model te')
  expected='dietmt tra: train translate
dietmt bert pre: prepare pretrain predict
dietmt train --pres: --preset
dietmt train --preset t: tiny
dietmt translate --input te: text.en
dietmt train --train-source text.en te: text.en
dietmt translate -i te: text.en
dietmt translate -m model te: text.en'
  [ "$offered" = "$expected" ] || fail "zsh offers '$offered'"
else
  echo "zsh is not installed: its completion is not tried"
fi
finish
