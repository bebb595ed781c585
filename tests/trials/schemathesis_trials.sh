#!/usr/bin/env bash
# The service against its own description, by schemathesis: schemathesis_trials.sh BUILD WORK
#
# SCHEMATHESIS: the program; default: the one on the PATH, or else one that pip installs into the cache.
dietmt=$1/bin/dietmt
work=$2
server=
trap 'kill -9 $server 2>/dev/null' EXIT
. "$(dirname "$0")/../cli/lib.sh"
. "$(dirname "$0")/lib.sh"

install() {
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/dietmt/schemathesis-4
  [ -x "$folder/bin/schemathesis" ] || {
    python3 -m venv "$folder" && "$folder/bin/pip" install --quiet 'schemathesis>=4,<5'
  } >&2 || return 1
  echo "$folder/bin/schemathesis"
}
schemathesis=${SCHEMATHESIS:-$(command -v schemathesis || install)} || {
  echo "skipped: no schemathesis on the PATH, and pip cannot install it" >&2
  exit 0
}

toy_training 300 20
"${toy_train[@]}" --output "$work/model" --max-updates 4 2>"$work/err" || { cat "$work/err" >&2; exit 1; }
"$dietmt" serve --model "en-de=$work/model" --port 0 --preload --data "$work/jobs" --max-body 100000 \
  --deadline 20 2>"$work/log" &
server=$!
for _ in $(seq 300); do
  url=$(sed -n 's/.*listening at \([0-9.:]*\)$/http:\/\/\1/p' "$work/log")
  [ -n "$url" ] && break
  sleep 0.1
done
[ -n "$url" ] || { echo "the server has not started: $(cat "$work/log")" >&2; exit 1; }
# DELETE of a job that has not ended cancels it, and leaves what is done: no use after free.
result=pass
config=$(realpath "$(dirname "$0")/schemathesis.toml")
cd "$work" || exit 1  # schemathesis keeps a cache where it runs
"$schemathesis" --config-file "$config" run "$url/openapi.json" --checks all \
  --exclude-checks use_after_free --max-examples "${EXAMPLES:-30}" --seed 1 --request-timeout 60 \
  --no-color >"$work/report" 2>&1 || result=fail
kill -0 $server || result=fail
trial 12 "every operation by schemathesis" $result "$(tail -n 1 "$work/report"): $(grep -o 'ST[0-9][0-9][0-9] .*' "$work/report" | sort | uniq -c)"
