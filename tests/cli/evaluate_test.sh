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

# The value of one key in each object of the JSON array on stdin, one a line.
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
expect_failure 'unknown metric' 2 "unknown metric 'meteor'" \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --metric meteor
expect_failure 'unknown tokenizer' 2 "--tokenize is '14'; it must be 13a, intl, char, none or zh" \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --tokenize 14
expect_failure 'paired test of one system' 2 '--paired compares systems' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --paired bootstrap
expect_failure 'unknown option' 2 'see dietmt evaluate --help' \
  "$dietmt" evaluate --reference ref1 --hypothesis hyp --tokenizer 13a
expect_output 'invalid UTF-8 is a warning with its line' '1' bash -c "
  '$dietmt' evaluate --reference ref1 --hypothesis invalid 2>&1 >/dev/null | grep -c 'invalid:2'"

[ $failures -eq 0 ] && echo 'all evaluate tests passed'
exit $((failures > 0))
