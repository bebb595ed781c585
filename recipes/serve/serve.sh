#!/usr/bin/env bash
# Starts a server with a model, asks it for a translation as a user would, and leaves it running.
#
#   recipes/serve/serve.sh [SRC-TGT=]MODEL [OPTION-OF-SERVE...]
#
# DIETMT: the program (default: build/bin/dietmt, or else dietmt on PATH). Jobs are kept in
# runs/serve.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[[ ${1:--} != -* ]] || { echo "usage: recipes/serve/serve.sh [SRC-TGT=]MODEL [OPTION-OF-SERVE...]" >&2; exit 2; }
model=$1
shift
built=build/bin/dietmt
[[ -x $built ]] || built=dietmt
log=$(mktemp)
"${DIETMT:-$built}" serve --model "$model" --preload --data runs/serve "$@" 2>"$log" &
server=$!
trap 'kill "$server"; wait "$server"; rm -f "$log"' EXIT
until grep -q 'listening at' "$log"; do
  kill -0 "$server" 2>/dev/null || { trap - EXIT; cat "$log" >&2; rm -f "$log"; exit 1; }
  sleep 0.2
done
cat "$log" >&2
address=$(sed -n 's/.*listening at //p' "$log")
echo "A page for people: http://$address/    for programs: http://$address/openapi.json"
pair=$(curl --silent "http://$address/v1/models" |
  sed 's/.*"source":"\([^"]*\)","target":"\([^"]*\)".*/source=\1 target=\2/')
for field in $pair; do fields+=(--data "$field"); done
curl --silent "http://$address/translate" --data-urlencode 'q=This is a test.' "${fields[@]}"
echo
wait "$server"
