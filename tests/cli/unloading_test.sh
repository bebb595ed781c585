#!/usr/bin/env bash
# dietmt serve --unload-after and --model-memory: unloading_test.sh BINARY RANDOM_MODEL
# RANDOM_MODEL: bench/random_model.py
dietmt=$1
. "$(dirname "$0")/serve_lib.sh"

# Two models of 60 MB.
python3 "$2" "$work/en-de" --vocabulary 32000 --width 512 --feed-forward 2048 --heads 8 --layers 6 ||
  fail "no model"
cp -r "$work/en-de" "$work/de-fr"

start() { start_server "$work/en-de" --model "de-fr=$work/de-fr" --pivot de --workers 2 "$@"; }
# ask SOURCE TARGET: its status; the answer is in $work/answer.
ask() {
  curl -s -o "$work/answer" -w '%{http_code}' "$url/translate" -d q="dake bafana." -d source="$1" -d target="$2"
}
resident_mb() { echo $(($(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/$server/status) / 1024)); }
states() {
  curl -s "$url/v1/models" | python3 -c 'import json, sys; print(*(one["state"] for one in json.load(sys.stdin)["models"]))'
}
# becomes STATES: waits up to 30 s for the states of the models.
becomes() {
  for _ in $(seq 150); do [ "$(states)" = "$*" ] && return; sleep 0.2; done
  fail "the models are $(states) instead of $*: $(cat "$work/log")"
}

# An unused model is unloaded, its memory goes back to the system, and it is loaded again.
start --unload-after 0.03
before=$(resident_mb)
expect_equal "$(ask en de)" 200 "status of a translation"
cp "$work/answer" "$work/first"
loaded=$(resident_mb)
[ $loaded -ge $((before + 50)) ] || fail "$loaded MB with the model, $before without"
becomes not_loaded not_loaded
for _ in $(seq 50); do [ "$(resident_mb)" -le $((before + 15)) ] && break; sleep 0.1; done
after=$(resident_mb)
[ $after -le $((before + 15)) ] || fail "$after MB after the model was unloaded, $before before it was loaded"
echo "resident: $before MB, $loaded with the model, $after after it was unloaded"
expect_equal "$(ask en de)" 200 "status after unloading"
cmp -s "$work/answer" "$work/first" || fail "another translation: $(cat "$work/answer")"
expect_text 'dietmt_model_unloads_total{model="en-de"} 1' "$(curl -s "$url/metrics")"
stop
expect_text 'model en-de: unloaded because nobody used it' "$(cat "$work/log")"

# The memory is for one model: clients of both get all their answers, one model after the other.
# A busy machine reads a model slowly, and each request waits for several.
start --model-memory 100 --pivot none --data "$work/jobs" --deadline 600
clients=
for pair in "en de" "de fr" "en de" "de fr"; do
  # shellcheck disable=SC2086
  (for _ in $(seq 5); do curl -s -o /dev/null -w '%{http_code}\n' "$url/translate" -d q=dake -d source=${pair% *} -d target=${pair#* }; done \
    >"$work/statuses.$RANDOM$RANDOM") & clients="$clients $!"
done
yes "bafana susi" | head -40 >"$work/lines.txt"
id=$(curl -s -F "file=@$work/lines.txt" -F source=en -F target=de "$url/v1/jobs" | tee "$work/job" | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p')
[ -n "$id" ] || fail "no job: $(cat "$work/job")"
# shellcheck disable=SC2086
wait $clients
expect_equal "$(cat "$work"/statuses.* | sort | uniq -c | tr -s ' ')" " 20 200" "statuses"
for _ in $(seq 300); do curl -s "$url/v1/jobs/$id" | grep -q '"state":"done"' && break; sleep 0.1; done
expect_text '"state":"done"' "$(curl -s "$url/v1/jobs/$id")"
expect_equal "$(ask en de)" 200 "status of en-de"
expect_equal "$(states)" "ready not_loaded" "states"
expect_equal "$(ask de fr)" 200 "status of de-fr"
expect_equal "$(states)" "not_loaded ready" "states"
kill -HUP $server
becomes not_loaded ready

# A model that is gone fails; the other one is served.
mv "$work/en-de" "$work/gone"
expect_equal "$(ask en de)" 503 "status of a model that is gone"
expect_text "model 'en-de' cannot be loaded; the server's log says why" "$(cat "$work/answer")"
expect_text "model en-de: $work/en-de: no such directory" "$(cat "$work/log")"
expect_equal "$(ask de fr)" 200 "status of the other model"
mv "$work/gone" "$work/en-de"
stop

# Both models of a path, in memory that is enough for them.
start --model-memory 160
expect_equal "$(ask en fr)" 200 "status of a pair without a model"
expect_equal "$(states)" "ready ready" "states"
stop

# Memory that can never be enough; options in the environment.
expect_code 2 "$dietmt" serve --model "en-de=$work/en-de" --port 0 --model-memory 20
expect_text "$work/en-de needs 60 MB of memory: raise --model-memory, which is 20" "$err"
expect_code 2 env DIETMT_SERVE_MODEL_MEMORY=100 "$dietmt" serve --model "en-de=$work/en-de" \
  --model "de-fr=$work/de-fr" --pivot de --port 0
expect_text "en-de+de-fr needs 119 MB of memory: raise --model-memory, which is 100" "$err"
expect_code 2 env DIETMT_SERVE_UNLOAD_AFTER=-1 "$dietmt" serve --model "en-de=$work/en-de" --port 0
expect_text "DIETMT_SERVE_UNLOAD_AFTER is -1; it must be from 0" "$err"
finish
