#!/usr/bin/env bash
# dietmt import and export: exchange_test.sh BINARY MODEL CASES
#   MODEL: from the training test; CASES: the stored ones of tests/interchange
dietmt=$1
model=$2
cases=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

translated() {
  "$dietmt" translate --model "$1" --input "$2" --beam 4 --max-length-factor 0 \
    --max-length-offset 20 --threads 1
}

# A MarianMT directory: import, translate like transformers, and export.
for name in shared separate; do
  expect_code 0 "$dietmt" import --from "$cases/$name" --output "$work/$name"
  translated "$work/$name" "$cases/$name/source.txt" | cmp - "$cases/$name/expected.txt" ||
    fail "$name: other translations than those of transformers"
  expect_code 0 "$dietmt" export --model "$work/$name" --to huggingface --output "$work/$name.hf"
  expect_code 0 "$dietmt" import --from "$work/$name.hf" --output "$work/$name.again"
  for file in config.json model.safetensors; do
    cmp "$work/$name/$file" "$work/$name.again/$file" || fail "$name: $file changes on the way"
  done
  expect_code 0 "$dietmt" export --model "$work/$name" --to ctranslate2 --output "$work/$name.ct2"
  [ -s "$work/$name.ct2/model.bin" ] || fail "$name: no model.bin"
done

# The same weights as published for OPUS-MT: pytorch_model.bin, new and old, and in parts.
torch_file=$(dirname "$0")/../interchange/write_torch_file.py
for format in new old parts; do
  theirs=$work/$format.torch
  cp -r "$cases/shared" "$theirs"
  options=()
  [ "$format" != old ] || options=(--old)
  python3 "$torch_file" "${options[@]}" "$theirs/model.safetensors" "$theirs/pytorch_model.bin"
  rm "$theirs/model.safetensors"
  if [ "$format" = parts ]; then
    mv "$theirs/pytorch_model.bin" "$theirs/part.bin"
    echo '{"weight_map": {"model.shared.weight": "part.bin"}}' \
      >"$theirs/pytorch_model.bin.index.json"
  fi
  expect_code 0 "$dietmt" import --from "$theirs" --output "$work/$format"
  for file in config.json model.safetensors; do
    cmp "$work/shared/$file" "$work/$format/$file" || fail "$format: another $file"
  done
  translated "$work/$format" "$cases/shared/source.txt" | cmp - "$cases/shared/expected.txt" ||
    fail "$format: other translations than from safetensors"
done

# A pickle that would run a command.
cp -r "$cases/shared" "$work/attack.torch"
rm "$work/attack.torch/model.safetensors"
attack=$work/attack.torch/pytorch_model.bin
printf '\200\002cposix\nsystem\nX\007\0\0\0touch x\205R.' >"$attack"
expect_code 1 "$dietmt" import --from "$work/attack.torch" --output "$work/refused"
expect_text "$attack: holds the class posix.system: only tensors are read" "$err"
[ ! -e "$work/refused" ] || fail "an import that failed left a directory"

# config.json of old models lacks model_type; errors name the damaged file.
sed -i '/"model_type"/d' "$work/new.torch/config.json"
expect_code 0 "$dietmt" import --from "$work/new.torch" --output "$work/untyped"
echo '[]' >"$work/new.torch/config.json"
expect_code 1 "$dietmt" import --from "$work/new.torch" --output "$work/refused"
expect_text "new.torch/config.json: must hold an object" "$err"

# A Marian model.
marian=("$dietmt" import --from "$cases/marian/model.npz" --output "$work/marian")
expect_code 2 "${marian[@]}"
expect_text "--vocabulary" "$err"
[ ! -e "$work/marian" ] || fail "an import that failed left a directory"
expect_code 0 "${marian[@]}" --vocabulary "$cases/marian/vocab.yml" \
  --pieces "$cases/shared/source.spm,$cases/shared/target.spm"
translated "$work/marian" "$cases/marian/source.txt" | cmp - "$cases/marian/expected.txt" ||
  fail "marian: other translations than its twin's"

# Marian's binary files: fp32 gives the same model; int8 weights are decoded as they are.
marian_file=$(dirname "$0")/../interchange/write_marian_binary.py
for type in fp32 int8; do
  options=()
  [ "$type" = fp32 ] || options=(--int8)
  python3 "$marian_file" "${options[@]}" "$cases/marian/model.npz" "$work/marian.$type.bin"
  expect_code 0 "$dietmt" import --from "$work/marian.$type.bin" --output "$work/marian.$type" \
    --vocabulary "$cases/marian/vocab.yml" \
    --pieces "$cases/shared/source.spm,$cases/shared/target.spm"
done
for file in config.json model.safetensors; do
  cmp "$work/marian/$file" "$work/marian.fp32/$file" || fail "marian.fp32: another $file"
done
expect_text "int8 weights" "$err"
translated "$work/marian.int8" "$cases/marian/source.txt" >"$work/int8.txt"
same=$(paste -d '\t' "$work/int8.txt" "$cases/marian/expected.txt" | awk -F '\t' '$1 == $2' | wc -l)
((2 * same > $(wc -l <"$work/int8.txt"))) || fail "marian.int8: only $same lines are as in fp32"
expect_code 1 "$dietmt" export --model "$work/marian.int8" --to ctranslate2 --output "$work/refused"
expect_text "packed int8" "$err"
head -c 1000 "$work/marian.int8.bin" >"$work/cut.bin"
expect_code 1 "$dietmt" import --from "$work/cut.bin" --vocabulary "$cases/marian/vocab.yml" \
  --pieces "$cases/shared/source.spm,$cases/shared/target.spm" --output "$work/refused"
expect_text "cut.bin: is damaged" "$err"
[ ! -e "$work/refused" ] || fail "an import that failed left a directory"

# Files that do not go with the weights, and wrong vocabularies.
expect_code 2 "$dietmt" import --from "$work/marian.fp32.bin" --vocabulary "$cases/marian/vocab.yml" \
  --pieces "$cases/shared/source.spm,$cases/shared/target.spm" --shortlist "$work/lex.bin" \
  --output "$work/refused"
expect_text "--shortlist is for int8 weights" "$err"
expect_code 2 "$dietmt" import --from "$work/marian.fp32.bin" --vocabulary \
  "$cases/shared/source.spm" --pieces "$work/nowhere.spm" --output "$work/refused"
expect_text "--pieces is for a .yml vocabulary" "$err"
for wrong in "s/: 7\$/: 8/;have the same id" "s/: 7\$/: 7x/;has the id '7x'"; do
  sed "${wrong%;*}" "$cases/marian/vocab.yml" >"$work/wrong.yml"
  expect_code 1 "$dietmt" import --from "$work/marian.fp32.bin" --vocabulary "$work/wrong.yml" \
    --pieces "$cases/shared/source.spm,$cases/shared/target.spm" --output "$work/refused"
  expect_text "${wrong#*;}" "$err"
done

# To Marian and back: a model trained for it, resumed, starts from zeros and translates the same.
toy_training 500 50
train=("${toy_train[@]}" --batch-tokens 300 --valid-interval 50 --learning-rate 0.01)
expect_code 0 "${train[@]}" --marian --output "$work/for_marian" --max-updates 30
expect_code 0 "${train[@]}" --marian --output "$work/for_marian" --max-updates 150
expect_code 0 "$dietmt" export --model "$work/for_marian" --to marian --output "$work/marian.out"
expect_code 0 "$dietmt" import --from "$work/marian.out/model.bin" --output "$work/marian.back" \
  --vocabulary "$work/marian.out/vocab.spm"
for translator in for_marian marian.back; do
  "$dietmt" translate --model "$work/$translator" --input "$work/valid.en" --threads 1 \
    >"$work/$translator.txt"
done
cmp "$work/for_marian.txt" "$work/marian.back.txt" || fail "marian: other translations after export"
expect_code 0 "${train[@]}" --init-from "$work/for_marian" --output "$work/further" --max-updates 2
expect_code 0 "$dietmt" export --model "$work/further" --to marian --output "$work/further.out"
expect_code 0 "${train[@]}" --output "$work/plain" --max-updates 1
expect_code 2 "$dietmt" export --model "$work/plain" --to marian --output "$work/refused"
expect_text "starts from zeros" "$err"
expect_code 2 "${train[@]}" --marian --position rope --output "$work/refused" --max-updates 1
expect_text "--marian: Marian has only the position encoding 'sinusoidal(layout=halves)', not 'rope" "$err"

# Refusals name the problem, write nothing and exit with the code for wrong usage.
expect_code 2 "$dietmt" export --model "$model" --to huggingface --output "$work/refused"
expect_text "MarianMT has no position encoding" "$err"
[ ! -e "$work/refused" ] || fail "a refused export left a directory"
expect_code 2 "$dietmt" export --model "$model" --to onnx --output "$work/refused"
expect_text "--to is 'onnx'; it must be ctranslate2, huggingface or marian" "$err"
expect_code 2 "$dietmt" export --model "$model" --to ctranslate2 --output "$work/shared"
expect_text "exists already" "$err"
expect_code 2 "$dietmt" import
expect_text "--from is missing" "$err"
expect_code 2 "$dietmt" import --from "$cases/shared" --vocabulary x --output "$work/refused"
expect_text "--vocabulary" "$err"
expect_code 2 "$dietmt" import --from "$work/nowhere" --output "$work/refused"
expect_text "nowhere: no such directory" "$err"

finish
