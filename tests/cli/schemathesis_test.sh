#!/usr/bin/env bash
# The service against its own description, by schemathesis: schemathesis_test.sh BINARY MODEL
#
# SCHEMATHESIS: the program; default: the one on the PATH, or else one that pip installs into the cache.
dietmt=$1
model=$2
work=$(mktemp -d)
server=
trap 'kill -9 $server 2>/dev/null; rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

install() {
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/dietmt/schemathesis-4
  [ -x "$folder/bin/schemathesis" ] || {
    python3 -m venv "$folder" && "$folder/bin/pip" install --quiet 'schemathesis>=4,<5'
  } >&2 || return 1
  echo "$folder/bin/schemathesis"
}
schemathesis=${SCHEMATHESIS:-$(command -v schemathesis || install)} || {
  echo "skipped: no schemathesis on the PATH, and pip cannot install it"
  exit 77
}

"$dietmt" serve --model "en-de=$model" --port 0 --preload --data "$work/jobs" --max-body 100000 \
  --deadline 20 2>"$work/log" &
server=$!
for _ in $(seq 300); do
  url=$(sed -n 's/.*listening at \([0-9.:]*\)$/http:\/\/\1/p' "$work/log")
  [ -n "$url" ] && break
  sleep 0.1
done
[ -n "$url" ] || { fail "the server has not started: $(cat "$work/log")"; finish; }
"$schemathesis" --config-file "$(dirname "$0")/schemathesis.toml" run "$url/openapi.json" --checks all --max-examples "${EXAMPLES:-30}" --seed 1 \
  --request-timeout 60 --no-color >"$work/report" 2>&1 || fail "$(cat "$work/report")"
tail -n 20 "$work/report"
kill -0 $server || fail "the server has gone: $(cat "$work/log")"
finish
