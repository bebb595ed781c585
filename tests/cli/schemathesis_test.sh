#!/usr/bin/env bash
# Tests the service against its own description with schemathesis:
#
# schemathesis_test.sh BINARY MODEL TOOL     (TOOL: schemathesis, if it is not on the PATH)
dietmt=$1
model=$2
work=$(mktemp -d)
server=
trap 'kill -9 $server 2>/dev/null; rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
schemathesis=$(command -v schemathesis "$3" | head -n 1)
if [ -z "$schemathesis" ]; then
  echo "skipped: there is no schemathesis; scripts/setup test-packages installs it"
  exit 77
fi
config=$(realpath "$(dirname "$0")/schemathesis.toml")

start_server "$model" --preload --data "$work/jobs" --max-body 100000 --deadline 20

# DELETE cancels a job that has not ended but keeps its results; this is no use after free.
cd "$work" || exit 1  # schemathesis keeps a cache where it runs
"$schemathesis" --config-file "$config" run "$url/openapi.json" --checks all \
  --exclude-checks use_after_free --max-examples 30 --seed 1 --request-timeout 60 --no-color \
  >"$work/report" 2>&1 || fail "$(cat "$work/report")"
kill -0 $server || fail "the server has ended: $(tail "$work/log")"
tail -n 1 "$work/report"
finish
