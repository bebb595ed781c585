#!/usr/bin/env bash
# The programs: dietmt, dietmt-clean, dietmt-serve and dietmt-models, which need no LibTorch, and
# dietmt-torch in the same directory, which has all commands: programs_test.sh BINARY MODEL, where MODEL is from the training
# test.
dietmt=$1
model=$2
full=$(dirname "$dietmt")/dietmt-torch
work=$(mktemp -d)
server=
trap 'kill -9 $server 2>/dev/null; rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
toy_corpus 40 3 "$work/test"
mkdir "$work/bare" "$work/links"
bare=$work/bare/dietmt
cp "$dietmt" "$bare"

# Only dietmt-torch loads LibTorch.
for name in $(programs); do
  ldd "$(dirname "$dietmt")/$name" >"$work/$name.libraries" || fail "ldd $name"
  [ $name = dietmt-torch ] || ! grep 'libtorch\|libc10' "$work/$name.libraries" ||
    fail "$name is linked to LibTorch"
done
! grep 'libssl\|libxml2\|libcurl\|libcld2\|libyaml' "$work/dietmt.libraries" || fail "dietmt is linked to what only a server needs"
grep -q libtorch "$work/dietmt-torch.libraries" || fail "dietmt-torch is not linked to LibTorch"
grep -q 'libtcmalloc\|libasan' "$work/dietmt-torch.libraries" ||
  fail "dietmt-torch has the C library's allocator"

# By itself dietmt knows all commands and runs its own; for the others it says what is missing.
expect_code 0 "$bare" --help
for command in train translate bert quantize; do expect_text "$command" "$out"; done
! has_service || expect_text serve "$out"
[ "$out" = "$("$full" --help)" ] || fail "the programs have other commands"
expect_code 0 "$bare" --version
[ "$out" = "$("$full" --version)" ] || fail "the programs have other versions"
expect_code 0 "$bare" translate --help
expect_code 0 "$bare" evaluate --reference "$work/test.de" --hypothesis "$work/test.de"
expect_code 2 "$bare" translate --beam 0
expect_text "--beam is 0" "$err"
expect_code 2 "$bare" nothing
expect_text "'nothing' is not a command" "$err"
expect_code 1 "$bare" train --help
expect_text "$work/bare/dietmt-torch cannot be run: No such file" "$err"
expect_code 1 "$bare" translate --model "$model" --input "$work/test.en"
expect_text "$work/bare/dietmt-torch cannot be run: No such file" "$err"
for command in $(! has_service || echo serve) $(! has_models || echo models); do
  expect_code 1 "$bare" $command --help
  expect_text "$work/bare/dietmt-$command cannot be run: No such file" "$err"
done

# dietmt sets how long OpenMP threads of the full program spin, unless the user has set it.
printf '#!/bin/sh\necho "spins $GOMP_SPINCOUNT"\n' >"$work/bare/dietmt-torch"
chmod +x "$work/bare/dietmt-torch"
expect_code 0 "$bare" train
[ "$out" = "spins 10000" ] || fail "waiting: $out"
GOMP_SPINCOUNT=7 expect_code 0 "$bare" train
[ "$out" = "spins 7" ] || fail "waiting with a user's count: $out"
OMP_WAIT_POLICY=active expect_code 0 "$bare" train
[ "$out" = "spins " ] || fail "waiting with a user's policy: $out"
rm "$work/bare/dietmt-torch"

# Arguments, standard input and exit codes pass through, also via a link to the program.
ln -s "$(realpath "$dietmt")" "$work/links/dietmt"
expect_code 0 "$work/links/dietmt" train --help
expect_text "usage: dietmt train" "$out"
expect_code 1 "$work/links/dietmt" inspect params --model "$work/no such * model"
expect_text "$work/no such * model" "$err"
expect_code 2 "$work/links/dietmt" train
"$full" translate --model "$model" --input "$work/test.en" --workers 1 >"$work/wanted"
"$dietmt" translate --model "$model" --workers 1 <"$work/test.en" | cmp - "$work/wanted" ||
  fail "other translations of standard input"

# same DIRECTORIES OPTION...: both programs write the same bytes, dietmt without dietmt-torch.
same() {
  local directories=$1
  shift
  expect_code 0 "$full" translate --model "$directories" --input "$work/test.en" --workers 1 "$@"
  cp "$work/out" "$work/wanted"
  expect_code 0 "$bare" translate --model "$directories" --input "$work/test.en" --workers 1 "$@"
  [ -s "$work/wanted" ] || fail "nothing from $directories $*"
  cmp "$work/out" "$work/wanted" || fail "other output: $directories $*"
}
pack() { expect_code 0 "$dietmt" quantize --model "$1" --type "$2" --output "$3"; }

for type in int8 bf16 fp32; do
  pack "$model" "$type" "$work/$type"
  same "$work/$type" --scores
done
same "$work/int8" --json --nbest 3
same "$work/int8" --sample --top-k 5 --seed 4 --scores
same "$work/int8,$work/fp32" --nbest 2
"$dietmt" translate --model "$model" --input "$work/test.en" --json --workers 1 >"$work/wanted"
"$bare" translate --model "$work/fp32" --input "$work/test.en" --json --workers 1 |
  cmp - "$work/wanted" || fail "packed fp32 weights give others than the full ones"
# Scores of given translations need no LibTorch either.
scored() { "$1" score --model "$2" --source "$work/test.en" --target "$work/test.de" --json; }
scored "$dietmt" "$model" >"$work/wanted"
scored "$bare" "$work/fp32" | cmp - "$work/wanted" ||
  fail "packed fp32 weights give other scores than the full ones"
scored "$full" "$work/int8" >"$work/wanted"
scored "$bare" "$work/int8" | cmp - "$work/wanted" || fail "scores of an int8 model"
expect_code 0 "$bare" shortlist --model "$work/int8" --train-source "$work/test.en" \
  --train-target "$work/test.de" --output "$work/shortlist" --best 3 --first 20
same "$work/int8" --shortlist "$work/shortlist" --scores
head -40 "$work/test.de" | cut -d' ' -f1 >"$work/prefixes"
same "$work/int8" --prefix "$work/prefixes" --scores

# Prefixes and rerank need no other tables than translations.
expect_code 0 "$bare" translate --model "$work/int8" --input "$work/test.en" --nbest 2 --workers 1
cp "$work/out" "$work/list"
expect_code 0 "$bare" rerank --nbest-list "$work/list" --source "$work/test.en" \
  --model "$work/int8" --workers 1

# Other encodings; toy_train has one layer and two heads.
toy_training 60 10
for position in none learned learnable-sinusoidal t5 alibi diet-rel 'shaw(clip=4)' rope diet-abs tupe-r \
  'heads[rope:0,diet-rel:1]'; do
  rm -rf "$work/run" "$work/packed"
  expect_code 0 "${toy_train[@]}" --position "$position" --max-updates 2 --output "$work/run"
  pack "$work/run" int8 "$work/packed"
  same "$work/packed" --scores
done
same "$work/packed" --prefix "$work/prefixes" --scores
expect_code 0 "$bare" rerank --nbest-list "$work/list" --source "$work/test.en" \
  --model "$work/packed" --workers 1

# Encodings that are not stored, or too short, are left to the full program; so are old directories.
rm -rf "$work/run"
expect_code 0 "${toy_train[@]}" --position fire --max-updates 2 --output "$work/run"
pack "$work/run" int8 "$work/fire"
expect_text "cannot be stored (encoder 'fire', decoder 'fire', cross-attention 'none')" "$err"
cp -r "$work/int8" "$work/old"
rm "$work/old/positions.safetensors"
long=(--max-source-length 5000)
for call in "$work/fire" "$work/old" "$work/fp32,$work/old" "$work/packed ${long[*]}"; do
  translate=(translate --input "$work/test.en" --workers 1 --model $call)
  expect_code 1 "$bare" "${translate[@]}"
  expect_text "dietmt-torch cannot be run" "$err"
  expect_code 0 "$dietmt" "${translate[@]}"
  "$full" "${translate[@]}" | cmp - "$work/out" || fail "other translations: $call"
done
"$dietmt" translate --model "$work/old" --input "$work/test.en" --workers 1 >"$work/wanted"
"$bare" translate --model "$work/int8" --input "$work/test.en" --workers 1 |
  cmp - "$work/wanted" || fail "the old directory gives other translations"

# Packed fp32 weights round like the full ones, without LibTorch if their positions are stored.
for type in int8 bf16 fp32; do
  expect_code 0 "$bare" quantize --model "$work/fp32" --type "$type" --output "$work/again.$type"
  diff -r "$work/$type" "$work/again.$type" || fail "other files of $type from packed weights"
done
expect_code 0 "$bare" quantize --model "$work/fp32" --output "$work/report" --runs 1 \
  --source "$work/test.en" --reference "$work/test.de"
[ "$(cut -f1 "$work/out" | paste -sd,)" = "weights,fp32,int8,equal lines" ] || fail "report: $out"
for packed in int8 bf16; do
  expect_code 1 "$bare" quantize --model "$work/$packed" --output "$work/refused"
  expect_text "use the model that they were made from" "$err"
done
expect_code 1 "$bare" quantize --model "$model" --output "$work/refused"
expect_text "dietmt-torch cannot be run" "$err"
cp -r "$work/fp32" "$work/old32"
rm "$work/old32/positions.safetensors"
pack "$work/old32" int8 "$work/again"
diff -r "$work/int8" "$work/again" || fail "positions are not stored again"
pack "$work/run" fp32 "$work/fire32"
expect_code 0 "$dietmt" quantize --model "$work/fire32" --output "$work/fire8"
diff -r "$work/fire" "$work/fire8" || fail "other files of FIRE from packed weights"

# dietmt-torch reads --config again, so it must not be a pipe; a file that is read once may be one.
printf 'beam = 1\nnbest = 1\n' >"$work/options"
for config in "--config /dev/fd/9" --config=/dev/fd/9; do
  expect_code 2 "$dietmt" translate --model "$model" --input "$work/test.en" $config \
    9< <(cat "$work/options")
  expect_text "--config /dev/fd/9: this model needs dietmt-torch, which reads the options again" \
    "$err"
  expect_code 0 "$dietmt" translate --model "$work/fp32" --input "$work/test.en" $config \
    9< <(cat "$work/options")
done
expect_code 0 "$dietmt" translate --model "$model" --input "$work/test.en" --config "$work/options"
expect_code 0 "$dietmt" score --model "$work/fp32" --source "$work/test.en" \
  --target "$work/test.de" --config <(echo "json = true")
expect_text '"token_scores"' "$out"

# A truncated file is named.
cp -r "$work/packed" "$work/cut"
truncate -s -4 "$work/cut/positions.safetensors"
expect_code 1 "$dietmt" translate --model "$work/cut" --input "$work/test.en"
expect_text "cut/positions.safetensors" "$err"

# A server of packed models needs no LibTorch; for any other it looks for dietmt-torch.
if has_service && command -v curl >/dev/null; then
  cp "$(dirname "$dietmt")/dietmt-serve" "$work/bare" || fail "dietmt-serve is missing"
  dietmt=$bare start_server "$work/int8"
  expect_code 0 curl -sS --max-time 60 "$url/translate" -d q="red cat" -d source=en -d target=de
  expect_text "\"translatedText\":\"$("$bare" translate --guard retry --model "$work/int8" <<<"red cat")\"" "$out"
  rm "$work/int8/positions.safetensors"  # reloading fails, and the old weights stay
  kill -HUP "$server"
  for _ in $(seq 600); do grep -q "restart the server" "$work/log" && break; sleep 0.1; done
  grep -q "restart the server" "$work/log" || fail "a reload without positions: $(cat "$work/log")"
  expect_code 0 curl -sS --max-time 60 "$url/translate" -d q="red cat" -d source=en -d target=de
  kill -TERM "$server"
  wait "$server" || fail "exit code of the server: $?"
  for call in "$work/fp32 --device cuda" "$model" "$work/old"; do
    expect_code 1 "$bare" serve --port 0 --model en-de=$call
    expect_text "dietmt-torch cannot be run" "$err"
  done
fi

finish
