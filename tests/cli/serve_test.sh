#!/usr/bin/env bash
# dietmt serve from the command line: serve_test.sh BINARY MODEL
dietmt=$1
model=$2
. "$(dirname "$0")/serve_lib.sh"

# start OPTION...: a server of $served.
served=$model
start() { start_server "$served" "$@"; }

# ask PATH [CURL-OPTION...]: the answer in $out, its status in $status.
ask() {
  local path=$1
  shift
  status=$(curl -s -o "$work/out" -w '%{http_code}' --max-time 60 "$@" "$url$path")
  out=$(cat "$work/out")
}
expect_answer() {
  local expected=$1
  shift
  ask "$@"
  expect_equal "$status" "$expected" "status of $1: $out"
}
json='Content-Type: application/json'
field() { sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$out" | head -n 1; }

submit() { expect_answer 201 /v1/jobs -F "file=@$1;filename=lines.txt" -F source=en -F target=de -F 'options={"beam": 1}'; }

await_job() {
  for _ in $(seq 1200); do
    ask "/v1/jobs/$1"
    case $(field state) in queued | running) sleep 0.1 ;; *) return ;; esac
  done
}

# Options that make no sense prevent the start, all with one message.
expect_code 2 "$dietmt" serve
expect_text "--model is missing: give --model DIR, or --argos DIR" "$err"
expect_code 2 "$dietmt" serve --model "en-de=$model" --port 70000 --threads 0 --worker \
  --tls-key x --weights int4
for option in --port --threads "--worker needs --queue" --tls-certificate --weights; do
  expect_text "$option" "$err"
done
expect_code 2 "$dietmt" serve --model "en-de=$work/none"
expect_text "$work/none: no such directory" "$err"
expect_code 2 "$dietmt" serve --model "en-de=$model" --device quantum
expect_text "--device is 'quantum'" "$err"
expect_code 2 "$dietmt" serve --model "en-de=$model" --queue mysql://x
expect_text "--queue" "$err"
expect_code 1 "$dietmt" serve --model "en-de=$work" --preload --port 0
expect_text "$work" "$err"
expect_code 1 "$dietmt" serve --model "en-de=$model" --port 0 --data /dev/null/data
expect_text "/dev/null/data" "$err"
expect_code 0 "$dietmt" serve --help-all
expect_text "--keep-jobs HOURS" "$out"
expect_text "--max-jobs N" "$out"

toy_corpus 60 7 "$work/toy"
"$dietmt" translate --guard retry --model "$model" --input "$work/toy.en" --beam 1 >"$work/expected"

# Without --data there are no jobs.
health_port=$(free_port)
start --health-port "$health_port"
main_url=$url
url=http://127.0.0.1:$health_port
for path in /live /ready /health /metrics; do expect_answer 200 $path; done
expect_answer 404 /languages
url=$main_url
for path in /live /ready; do expect_answer 200 $path; done
expect_code 2 "$dietmt" serve --model "en-de=$model" --port "${url##*:}"
expect_text "${url##*:}" "$err"
mkdir "$work/empty"
expect_code 2 "$dietmt" serve --model "en-fr=$work/empty" --port "${url##*:}"
expect_text "en-fr=$work/empty: has no model; requests for it fail" "$err"
expect_answer 200 /health
expect_answer 200 /languages
expect_text '"code":"en"' "$out"
expect_answer 200 /frontend/settings
expect_text '"batchJobs":false' "$out"
expect_answer 404 /v1/jobs
expect_answer 200 /translate -d q="red dog" -d source=en -d target=de
expect_text '"translatedText":"' "$out"
expect_answer 200 /v1/translate -H "$json" \
  -d '{"text": "red dog", "source": "en", "target": "de", "beam": 1}'
expect_text "\"text\":\"$(echo red dog | "$dietmt" translate --guard retry --model "$model" --beam 1)\"" "$out"
expect_answer 200 /v1/analyze -H "$json" -d '{"text": "red dog", "source": "en", "target": "de"}'
expect_text '"attention":{"cross":[[[[' "$out"
expect_answer 400 /v1/analyze -H "$json" -d '{"text": "red dog", "source": "fr", "model": "en-de"}'
expect_text "translates en to de" "$out"
expect_answer 400 /v1/analyze -H "$json" -d '{"text": "red dog", "source": "en", "target": "xx"}'
expect_text '"error":' "$out"
{ printf 'source=en&target=de&q='; yes 'red dog.' | head -n 2000 | tr '\n' '+'; } >"$work/form"
expect_answer 200 /translate --data-binary "@$work/form"  # a form of 18 KB
expect_answer 200 /openapi.json
for path in /translate /v1/analyze /v1/jobs; do expect_text "\"$path\": {" "$out"; done
expect_answer 200 /metrics
expect_text 'dietmt_model_loads_total{model="en-de",result="ok"} 1' "$out"
expect_text 'dietmt_http_connections ' "$out"
expect_text 'dietmt_http_requests_total{endpoint="/v1/analyze",status="200"} 1' "$out"
expect_answer 200 /
expect_text "<html" "$out"

# SIGHUP reloads the model; SIGTERM ends with 0.
kill -HUP $server
for _ in $(seq 600); do
  ask /v1/models
  [ "$(field loads)" = 2 ] && break
  sleep 0.1
done
expect_text '"loads":2' "$out"
stop

# A quantized model translates and cannot be analysed.
expect_code 0 "$dietmt" quantize --model "$model" --output "$work/int8" --type int8
served=$work/int8 start
expect_answer 200 /translate -d q="red dog" -d source=en -d target=de
expect_answer 400 /v1/analyze -H "$json" -d '{"text": "red dog", "source": "en", "target": "de"}'
expect_text "model 'en-de' has int8 weights" "$out"
rm "$work/int8/config.json"
expect_answer 503 /v1/analyze -H "$json" -d '{"text": "red dog", "source": "en", "target": "de"}'
expect_text "cannot be loaded" "$out"
kill -TERM $server
wait $server

# With a shortlist: line by line the same as translate. A shortlist for another vocabulary prevents
# the start.
expect_code 0 "$dietmt" shortlist --model "$model" --train-source "$work/toy.en" \
  --train-target "$work/toy.de" --best 2 --first 2 --output "$work/list.bin"
red='{"text": "red dog", "source": "en", "target": "de", "beam": 1}'
start --shortlist "$work/list.bin"
expect_answer 200 /v1/translate -H "$json" -d "$red"
answered=$(field score)
translated=$(echo red dog | "$dietmt" translate --guard retry --model "$model" --beam 1 --json --shortlist "$work/list.bin")
out=$translated
expect_equal "$answered" "$(field score)" "score with a shortlist"
out=$(echo red dog | "$dietmt" translate --guard retry --model "$model" --beam 1 --json)
[ "$answered" != "$(field score)" ] || fail "the shortlist changes no score: $answered"
kill -TERM $server
wait $server
head -c 200 "$work/list.bin" >"$work/cut.bin"
expect_code 1 "$dietmt" serve --model "en-de=$model" --port 0 --preload --shortlist "$work/cut.bin"
expect_text "cut.bin" "$err"
expect_code 2 "$dietmt" serve --model "en-de=$model" --shortlist "$work/absent" --device cuda
expect_text "--shortlist needs --device cpu" "$err"
expect_code 2 "$dietmt" serve --model "en-de=$model" --shortlist "en-fr=$work/absent"
expect_text "absent: no such file" "$err"

# SIGHUP reloads the certificate; an invalid one leaves the old one in use.
if command -v openssl >/dev/null; then
  certify() {
    openssl req -x509 -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout "$work/tls.key" \
      -out "$work/tls.crt" 2>/dev/null
  }
  shown() { curl -skv -o /dev/null "$url/health" 2>&1 | sed -n 's/.*subject: CN *= *//p'; }
  certify first
  start --tls-certificate "$work/tls.crt" --tls-key "$work/tls.key"
  url=https${url#http}
  expect_equal "$(shown)" first "certificate at the start"
  echo broken >"$work/tls.key"
  kill -HUP $server
  for _ in $(seq 600); do grep -q 'The old certificate stays in use' "$work/log" && break; sleep 0.1; done
  expect_text "tls.key cannot be used" "$(cat "$work/log")"
  expect_equal "$(shown)" first "certificate after a broken one"
  certify second
  kill -HUP $server
  for _ in $(seq 600); do [ "$(shown)" = second ] && break; sleep 0.1; done
  expect_equal "$(shown)" second "certificate after SIGHUP"
  kill -TERM $server
  wait $server
else
  echo "not tested: there is no openssl to make certificates"
fi

# A job: line by line the same as translate.
start --data "$work/jobs" --job-threads 1
submit "$work/toy.en"
id=$(field id)
await_job "$id"
expect_equal "$(field state)" done "state of the job"
expect_answer 200 "/v1/jobs/$id/result"
cmp "$work/out" "$work/expected" || fail "a job gives another text than translate"
expect_answer 400 /v1/jobs -F "file=@$work/toy.en;filename=lines.txt" -F source=en -F target=xx
expect_answer 404 /v1/jobs/00000000000000000000000000000000

# kill -9 in the middle of jobs: a restarted server continues, each line once.
for _ in $(seq 50); do cat "$work/toy.en"; done >"$work/long.en"
for _ in $(seq 50); do cat "$work/expected"; done >"$work/long.expected"
ids=()
for _ in 1 2 3; do
  submit "$work/long.en"
  ids+=("$(field id)")
done
for _ in $(seq 600); do
  ask "/v1/jobs/${ids[0]}"
  [ "$(field lines_done)" != 0 ] && break
  sleep 0.02
done
kill -9 $server
wait $server 2>/dev/null
start --data "$work/jobs" --api-keys <(echo 'secret-of-a-test, tester, 0')
expect_answer 401 /v1/jobs
expect_answer 401 /v1/analyze -H "$json" -d '{"text": "red dog", "source": "en", "target": "de"}'
expect_answer 200 /v1/analyze -H "$json" -H 'X-API-Key: secret-of-a-test' \
  -d '{"text": "red dog", "source": "en", "target": "de"}'
expect_answer 404 "/v1/jobs/${ids[0]}" -H 'X-API-Key: secret-of-a-test'  # another's
kill -TERM $server
wait $server || fail "exit code after SIGTERM with jobs: $?"
start --data "$work/jobs"
expect_answer 200 /frontend/settings
expect_text '"batchJobsFormat":[".txt",".html",".srt"' "$out"
for id in "${ids[@]}"; do
  await_job "$id"
  expect_answer 200 "/v1/jobs/$id/result"
  cmp "$work/out" "$work/long.expected" || fail "job $id is not whole after kill -9"
done
stop

# A worker translates jobs that another process accepts.
start --data "$work/jobs" --job-threads 0
taker=$server
taker_url=$url
trap 'kill -9 $server $taker 2>/dev/null; rm -rf "$work"' EXIT
submit "$work/toy.en"
id=$(field id)
start --data "$work/jobs" --worker
expect_answer 200 /health
expect_answer 200 /metrics
expect_answer 404 /languages
url=$taker_url
await_job "$id"
expect_equal "$(field state)" done "state of the worker's job"
kill -TERM $server $taker
wait $server || fail "exit code of the worker: $?"
wait $taker || fail "exit code of the server: $?"
finish
