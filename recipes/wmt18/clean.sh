#!/usr/bin/env bash
# Cleans parallel text: leaves out pairs with an empty side, a side of more than MAX_WORDS words
# (default 250), sides whose lengths in bytes differ by more than MAX_RATIO (default 4), the same
# text on both sides, or a line that is not UTF-8; and what occurs twice. The pairs that are left
# are sorted, which needs a few times the text's size on disk and little memory; training shuffles
# them. Says on standard error how many pairs there were and how many are left.
#
#   recipes/wmt18/clean.sh SOURCE TARGET CLEAN-SOURCE CLEAN-TARGET     plain or gzip in, plain out
set -euo pipefail
if (($# != 4)); then
  echo "usage: $0 SOURCE TARGET CLEAN-SOURCE CLEAN-TARGET" >&2
  exit 2
fi
lines() { gzip -cdf "$1" | LC_ALL=C tr '\t\r' '  '; }
count() { gzip -cdf "$1" | awk 'END { print NR }'; }  # with a last line that lacks its end
if [[ $(count "$1") != "$(count "$2")" ]]; then
  echo "clean.sh: $1 has $(count "$1") lines, $2 has $(count "$2")" >&2
  exit 1
fi
# iconv -c leaves out bytes that are no UTF-8; a line that it changes is one to leave out.
export LC_ALL=C
pairs=$(mktemp "$3.pairs.XXXXXX")
trap 'rm -f "$pairs" "$pairs.clean"' EXIT
paste <(lines "$1") <(lines "$2") >"$pairs"
paste "$pairs" <(iconv -c -f UTF-8 -t UTF-8 "$pairs" | tr '\t' '\001') |
  awk -F '\t' -v words="${MAX_WORDS:-250}" -v ratio="${MAX_RATIO:-4}" '
    {
      if ($1 "\001" $2 != $3) next
      gsub(/^ +| +$/, "", $1)
      gsub(/^ +| +$/, "", $2)
      a = length($1)
      b = length($2)
      if (a == 0 || b == 0 || $1 == $2) next
      if (a > ratio * b || b > ratio * a) next
      if (split($1, parts, " ") > words || split($2, parts, " ") > words) next
      print $1 "\t" $2
    }' | sort -u >"$pairs.clean"
cut -f 1 "$pairs.clean" >"$3.part"
cut -f 2 "$pairs.clean" >"$4.part"
echo "clean.sh: $(wc -l <"$pairs") pairs, $(wc -l <"$pairs.clean") of them are left" >&2
mv "$3.part" "$3"
mv "$4.part" "$4"
