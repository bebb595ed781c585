# Shared by the command tests. Source it after setting `dietmt` to the binary and `work` to the
# folder for the test's files.
set -uo pipefail

failures=0
fail() {
  echo "FAIL: $*" >&2
  failures=$((failures + 1))
}

# expect_code CODE COMMAND...: runs the command, its stderr in $err and stdout in $out.
expect_code() {
  local expected=$1 code=0
  shift
  "$@" >"$work/out" 2>"$work/err" || code=$?
  out=$(cat "$work/out") err=$(cat "$work/err")
  [ "$code" -eq "$expected" ] || fail "exit code $code instead of $expected: $* : $err"
}

# expect_text TEXT STRING: the string contains the text.
expect_text() {
  case $2 in *"$1"*) ;; *) fail "'$1' is not in: $2" ;; esac
}

# expect_equal VALUE EXPECTED WHAT, and the number of lines of a file.
expect_equal() { [ "$1" = "$2" ] || fail "$3: '$1' instead of '$2'"; }
expect_lines() { expect_equal "$(wc -l <"$1")" "$2" "lines of $1"; }

# Whether the build includes the service, as tests/CMakeLists.txt says.
has_service() { [ "${DIETMT_SERVICE:-1}" = 1 ]; }

# Whether it includes `dietmt models`, which needs libcurl.
has_models() { [ -x "$(dirname "$dietmt")/dietmt-models" ]; }

# programs: the names of the programs that were built.
programs() {
  echo dietmt dietmt-clean dietmt-torch
  ! has_models || echo dietmt-models
  ! has_service || echo dietmt-serve
}

# start_server MODEL OPTION...: `dietmt serve` on a free port; its process in $server, its address in
# $url, its log in $work/log.
start_server() {
  local model=$1
  shift
  : >"$work/log"  # or the previous server's address would be read
  "$dietmt" serve --model "en-de=$model" --port 0 "$@" 2>"$work/log" &
  server=$!
  for _ in $(seq 300); do
    url=$(sed -n 's/.*listening at \([0-9.:]*\).*/http:\/\/\1/p' "$work/log")
    [ -n "$url" ] && return
    kill -0 $server 2>/dev/null || break
    sleep 0.1
  done
  fail "the server did not start: $(cat "$work/log")"
  finish
}

# A port that nobody listens on, outside the range of ports that the system assigns.
free_port() {
  local port
  for port in $(shuf -i 20000-32000 -n 50); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

finish() {
  [ "$failures" -eq 0 ] || { echo "$failures failures" >&2; exit 1; }
  echo "passed"
}

# A toy language pair: each word has one translation, and the order is reversed.
toy_corpus() {
  local lines=$1 seed=$2 prefix=$3
  awk -v lines="$lines" -v seed="$seed" -v prefix="$prefix" 'BEGIN {
    srand(seed)
    split("red blue green small big old new cat dog house tree bird sees likes finds", en, " ")
    split("rot blau gruen klein gross alt neu katze hund haus baum vogel sieht mag findet", de, " ")
    for (i = 0; i < lines; ++i) {
      n = 3 + int(rand() * 6); source = ""; target = ""
      for (j = 0; j < n; ++j) {
        w = 1 + int(rand() * 15)
        source = source (j ? " " : "") en[w]
        target = de[w] (j ? " " : "") target
      }
      print source > (prefix ".en"); print target > (prefix ".de")
    }
  }'
}

# toy_training LINES VALID_LINES: makes the corpora and puts the command that trains a small model
# on them with one thread into ${toy_train[@]}, without --output and --max-updates.
toy_training() {
  toy_corpus "$1" 1 "$work/train"
  toy_corpus "$2" 2 "$work/valid"
  toy_train=("$dietmt" train --train-source "$work/train.en" --train-target "$work/train.de"
    --valid-source "$work/valid.en" --valid-target "$work/valid.de" --vocab-size 90
    --encoder-layers 1 --decoder-layers 1 --width 64 --feed-forward 64 --heads 2
    --warmup 20 --threads 1 --no-valid-translation)
}
