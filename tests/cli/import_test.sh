#!/usr/bin/env bash
# What dietmt import says about other programs' models: import_test.sh BINARY
dietmt=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# refuses FROM TEXT [COMMAND]: the command (default: import) prints the text and writes nothing.
refuses() {
  # shellcheck disable=SC2086  # the command may be two words
  expect_code 2 "$dietmt" ${3:-import} "$1" --output never
  local command=${3:-import}
  expect_text "error: dietmt ${command%% *}: --from $1 is $2" "$err"
  [ "$(wc -l <err)" -eq 1 ] || fail "not one line: $err"
  [ ! -e never ] || fail "a refused import left its output"
}
# config DIR MODEL_TYPE
config() { mkdir -p "$1" && echo "{\"model_type\": \"$2\"}" >"$1/config.json"; }

for type in bert roberta xlm-roberta; do
  config $type $type
  refuses $type "an encoder ($type) of Hugging Face: use 'dietmt bert import'"
done
config marian marian
refuses marian "a MarianMT model: use 'dietmt import'" "bert import"
config nllb m2m_100
refuses nllb "a translation model (m2m_100) of Hugging Face: use 'dietmt import'" "bert import"
config moe nllb-moe
for command in import "bert import"; do
  refuses moe "a model of Hugging Face of the type nllb-moe, which cannot be imported" "$command"
done
for type in bart fsmt; do
  config $type $type
  refuses $type "a translation model ($type) of Hugging Face: use 'dietmt import'" "bert import"
done

mkdir ct2 && echo '{"bos_token": "<s>"}' >ct2/config.json
touch ct2/model.bin ct2/shared_vocabulary.json
refuses ct2 "a CTranslate2 model: use 'dietmt import'" "bert import"
refuses ct2/model.bin "the weights of a CTranslate2 model, which cannot be imported: give their directory: --from ct2"
mkdir argos && cp -r ct2 argos/model && echo '{}' >argos/metadata.json
for from in ct2 argos; do
  expect_code 1 "$dietmt" import $from --output never
  expect_text "model.bin: is cut off" "$err"
done
touch en_de.argosmodel && refuses en_de.argosmodel "an Argos package: use 'dietmt import'" "bert import"
mkdir joey fairseq && touch joey/best.ckpt fairseq/dict.en.txt fairseq/checkpoint_best.pt
for from in joey joey/best.ckpt; do
  expect_code 2 "$dietmt" import $from --output never
  expect_text "PyTorch checkpoint of another program, which cannot be imported" "$err"
done
touch joey/src_vocab.txt && echo 'model: {encoder: {type: recurrent}, decoder: {}}' >joey/config.yaml
echo 'data: {}' >>joey/config.yaml
refuses joey "a model of JoeyNMT: use 'dietmt import'" "bert import"
refuses joey/best.ckpt "the weights of a model of JoeyNMT, which cannot be imported: give their directory: --from joey"
expect_code 1 "$dietmt" import joey --output never
expect_text "config.yaml: encoder: type is 'recurrent'; only 'transformer' can be imported" "$err"
[ ! -e never ] || fail "a failed import left its output"
mkdir sockeye && touch sockeye/params.best sockeye/vocab.src.0.json
printf '!ModelConfig\nlhuc: true\nconfig_data: {}\nconfig_encoder: {}\nconfig_decoder: {}\n' >sockeye/config
refuses sockeye "a model of Sockeye: use 'dietmt import'" "bert import"
refuses sockeye/params.best "the weights of a model of Sockeye, which cannot be imported: give their directory: --from sockeye"
expect_code 1 "$dietmt" import sockeye --output never
expect_text "config: was trained with lhuc, which dietmt's models do not have" "$err"
[ ! -e never ] || fail "a failed import left its output"
mkdir onmt eole && touch onmt/model_step_5.pt eole/model.00.safetensors
echo '{}' >eole/vocab.json && echo '{"model": {"architecture": "rnn"}}' >eole/config.json
refuses onmt "a checkpoint of OpenNMT-py: use 'dietmt import'" "bert import"
refuses eole "a model of eole: use 'dietmt import'" "bert import"
for from in onmt onmt/model_step_5.pt; do
  expect_code 1 "$dietmt" import $from --output never
  expect_text "model_step_5.pt: is not a file of torch.save" "$err"
done
expect_code 1 "$dietmt" import eole --output never
expect_text "config.json: architecture is 'rnn'; only 'transformer' can be imported" "$err"
[ ! -e never ] || fail "a failed import left its output"
refuses fairseq "a model of fairseq: use 'dietmt import'" "bert import"
for from in fairseq fairseq/checkpoint_best.pt; do
  expect_code 1 "$dietmt" import $from --output never
  expect_text "checkpoint_best.pt: is not a file of torch.save" "$err"
  [ ! -e never ] || fail "a failed import left its output"
done
mkdir opus && touch opus/opus.npz opus/vocab.yml
refuses opus "a directory with a Marian model, which cannot be imported: give the file: --from opus/opus.npz"
touch opus.zip && refuses opus.zip "an archive, which cannot be imported: unpack it"
config weights marian && touch weights/model.safetensors weights/pytorch_model.bin
refuses weights/model.safetensors "the weights of a model of Hugging Face"
refuses weights/pytorch_model.bin "the weights of a model of Hugging Face"
mkdir comet && touch comet/hparams.yaml
refuses comet "a COMET checkpoint: use 'dietmt import'" "bert import"
mkdir own && echo '{"format": 1, "model": {}}' >own/config.json
refuses own "a model of dietmt, which needs no import"

# Unrecognised models are left to the readers, as is a broken config.json.
mkdir other broken && touch other/model.safetensors && echo '{' >broken/config.json
expect_code 1 "$dietmt" import other --output never
expect_text "there is neither config.json nor model*.bin" "$err"
expect_code 1 "$dietmt" import broken --output never
expect_text "broken/config.json: is not valid JSON" "$err"
finish
