#!/usr/bin/env bash
# Running dietmt serve: logs, signals, keys, metrics and recipes: serve_operations_test.sh BINARY MODEL
dietmt=$1
model=$2
. "$(dirname "$0")/serve_lib.sh"

# until_true COMMAND...: waits up to 30 s for it.
until_true() {
  for _ in $(seq 300); do "$@" && return; sleep 0.1; done
  fail "never true: $*"
}
logged() { grep -q -- "$1" "$work/log"; }
start() { start_server "$model" "$@"; }
status_of() { curl -s -o "$work/out" -w '%{http_code}' "$url/v1/models" -H "X-API-Key: $1"; }
answers() { [ "$(status_of "$1")" = "$2" ]; }

expect_code 2 "$dietmt" serve --model "en-de=$model" --port 0 --log-format xml
expect_text "--log-format" "$err"
expect_code 2 "$dietmt" serve --model "en-de=$model" --port 5001 --health-port 5001
expect_text "--health-port is the same as --port" "$err"
expect_code 2 "$dietmt" serve --model "en-de=$model" --port 0 --access-log /dev/null/log
expect_text "/dev/null/log" "$err"

# A file of options, as the unit of systemd has it.
printf '%s\n' '# comment' "model = en-de=$model" "model = de-en=$model" 'port = 5001' >"$work/serve.cfg"
expect_code 0 "$dietmt" serve --config "$work/serve.cfg" --dump-config
expect_text "model = en-de=$model" "$out"
expect_text "model = de-en=$model" "$out"
expect_text "port = 5001" "$out"

# The log and the access log are JSON; both name the request.
printf 'the-first-api-key, reader, 0\n' >"$work/keys"
chmod 644 "$work/keys"
start --api-keys "$work/keys" --access-log "$work/access" --log-format json --data "$work/jobs"
logged '"message":".*keys: every user of this machine can read the keys' || fail "no warning: $(cat "$work/log")"
answers the-first-api-key 200 || fail "the key is not accepted"
answers the-second-api-key 403 || fail "an unknown key is accepted"
curl -s "$url/translate" -H 'X-Request-ID: trial-7' -d api_key=the-first-api-key -d q=dog -d source=en -d target=de \
  -D "$work/head" >/dev/null
expect_text 'X-Request-ID: trial-7' "$(cat "$work/head")"
until_true grep -q '"request":"trial-7"' "$work/access"
expect_text '"user":"reader"' "$(grep trial-7 "$work/access")"
python3 -c 'import json, sys; [json.loads(line) for name in sys.argv[1:] for line in open(name)]' \
  "$work/log" "$work/access" || fail "a line of a log is no JSON"

# Signals: more detail, less, and everything read again.
logged '"level":"debug"' && fail "debug messages from the start"
kill -USR1 $server
until_true logged 'log level: debug'
status_of the-second-api-key >/dev/null
until_true logged '"level":"debug","message":"GET /v1/models: refused: Invalid API key","request":'
kill -USR2 $server
until_true logged 'log level: info'
mv "$work/access" "$work/access.1"
printf 'the-second-api-key, writer, 0\n' >"$work/keys"
kill -HUP $server
until_true logged 'reload: read the API keys again'
answers the-second-api-key 200 || fail "the new keys are not read"
answers the-first-api-key 403 || fail "a key that was removed is accepted"
until_true grep -q '"status":403' "$work/access"
echo 'broken' >"$work/keys"
kill -HUP $server
until_true logged 'keys:1: .*The old keys stay in use'
answers the-second-api-key 200 || fail "the old keys are gone"

# The metrics are as Prometheus wants them, and the recipes fit the program.
until_true sh -c "curl -s '$url/metrics' >'$work/metrics'; grep -q 'dietmt_job_queue_up 1' '$work/metrics'"
for name in process_cpu_seconds_total process_start_time_seconds 'dietmt_build_info{' 'dietmt_jobs{state="queued"} 0'; do
  expect_text "$name" "$(cat "$work/metrics")"
done
if command -v promtool >/dev/null; then
  promtool check metrics <"$work/metrics" || fail "promtool"
else
  echo "not tested: there is no promtool (prometheus) to check the metrics"
fi
code=0
python3 "$(dirname "$0")/serve_recipes_test.py" "$dietmt" "$work/metrics" || code=$?
[ $code -eq 0 ] || [ $code -eq 77 ] || fail "recipes/serve"
stop

# Without options: text, and no access log. The log says when the server stops.
start
expect_text 'info: listening at' "$(cat "$work/log")"
stop
expect_text 'info: stopping: 0 requests are running and have 30 s' "$(cat "$work/log")"
expect_text 'info: stopped' "$(cat "$work/log")"

# SIGTERM counts while a model is being loaded, at the start and in a reload: its configuration is a
# pipe that nobody writes to.
stops_soon() {
  local began=$SECONDS
  stop
  [ $((SECONDS - began)) -le 15 ] || fail "SIGTERM waited for $1"
}
cp -rL "$model/best" "$work/stuck"
rm "$work/stuck/config.json"
mkfifo "$work/stuck/config.json"
"$dietmt" serve --model "en-de=$work/stuck" --port 0 --preload --drain 1 2>"$work/log" &
server=$!
sleep 2
stops_soon --preload
expect_text 'stopped while models were being loaded' "$(cat "$work/log")"
cp -rL "$model/best" "$work/changing"
start_server "$work/changing" --preload --drain 1
rm "$work/changing/config.json"
mkfifo "$work/changing/config.json"
kill -HUP $server
sleep 1
stops_soon "a reload"
expect_text 'stopped while models were being reloaded' "$(cat "$work/log")"

# submit FILE: a job, its id in $id.
submit() {
  id=$(curl -sf -F "file=@$1" -F source=en -F target=de "$url/v1/jobs" | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p')
  [ -n "$id" ] || fail "no job of $1"
}
job_is() { curl -sf "$url/v1/jobs/$id" | grep -q "\"state\":\"$1\""; }

# While a job waits for its model, whose configuration nobody writes, SIGTERM ends the server: the
# chunk is free for another process.
loads_the_model() { job_is running && curl -s "$url/v1/models" | grep -q '"loading"'; }
echo "red dog" >"$work/line.txt"
start_server "$work/stuck" --data "$work/stuck_jobs"
submit "$work/line.txt"
until_true loads_the_model
stops_soon "a job that waits for its model"
logged 'stopped while models were being loaded' || fail "the log does not name the load"

# A download that has begun before SIGTERM is finished. It has more bytes than the buffers of two
# sockets, up to 36 MB, so that the server still has a part.
python3 -c 'print((" " * 99999 + "\n") * 1200, end="")' >"$work/blank.txt"
start --data "$work/blank"
submit "$work/blank.txt"
until_true job_is done
curl -s --limit-rate 24M -o "$work/download" "$url/v1/jobs/$id/result" &
download=$!
until_true test -s "$work/download"
stop
wait $download || fail "the download was cut off"
cmp "$work/download" "$work/blank.txt" || fail "the download is another file"

# A second SIGTERM does not wait for it. Only the port for probes still takes connections.
health_port=$(free_port)
start --data "$work/blank" --health-port "$health_port"
ready_is() {
  [ "$(curl -s -o "$work/out" -w '%{http_code}' "http://127.0.0.1:$health_port/ready")" = "$1" ]
}
curl -s --limit-rate 1M -o "$work/partial" "$url/v1/jobs/$id/result" &
download=$!
until_true test -s "$work/partial"
kill -TERM $server
until_true ready_is 503
kill -TERM $server
code=0
wait $server || code=$?
[ $code -eq 143 ] || fail "exit code after a second SIGTERM: $code"
wait $download && fail "the download was not cut off"
finish
