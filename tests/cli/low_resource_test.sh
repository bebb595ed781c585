#!/usr/bin/env bash
# The options of dietmt train for little text: low_resource_test.sh BINARY OUTPUT
dietmt=$1
work=$2
rm -rf "$work" && mkdir -p "$work"
. "$(dirname "$0")/lib.sh"
toy_training 600 20
train=("${toy_train[@]/#90/50}" --batch-tokens 300 --save-interval 5)

# same_after_a_stop NAME OPTION...: a training run stopped in the middle of an epoch and resumed
# ends with the same weights as an uninterrupted one; they differ from those of $work/plain.
same_after_a_stop() {
  local name=$1
  shift
  expect_code 0 "${train[@]}" "$@" --output "$work/$name" --max-updates 30
  expect_code 0 "${train[@]}" "$@" --output "$work/$name-parts" --max-updates 17
  expect_code 0 "${train[@]}" "$@" --output "$work/$name-parts" --max-updates 30
  expect_text "resuming from update 17" "$err"
  for file in model.safetensors training.safetensors; do
    cmp "$work/$name/last/$file" "$work/$name-parts/last/$file" || fail "$name: $file differs"
  done
  [ "$name" = plain ] || ! cmp -s "$work/plain/last/model.safetensors" \
    "$work/$name/last/model.safetensors" || fail "$name changes nothing"
}

same_after_a_stop plain
same_after_a_stop bpe --bpe-dropout 0.2
expect_code 0 "${train[@]}" --bpe-dropout 0.2 --sampled-sides both --output "$work/bpe" \
  --max-updates 30
same_after_a_stop unigram --tokenizer-type unigram --subword-sampling 0.3 --sampled-sides source
same_after_a_stop augment --augment upper:0.2,title:0.2,lower:0.1,typos:0.3
same_after_a_stop words --source-word-dropout 0.2 --target-word-dropout 0.1 --layer-drop 0.3
same_after_a_stop adafactor --optimizer adafactor
same_after_a_stop muon --optimizer muon --weight-decay 0.01
same_after_a_stop rdrop --r-drop 5 --layer-drop 0.3 --checkpoint-activations

# Another probability is another run.
expect_code 2 "${train[@]}" --bpe-dropout 0.3 --output "$work/bpe" --max-updates 40
expect_text "--bpe-dropout: was 0.2, is 0.3" "$err"
expect_code 2 "${train[@]}" --bpe-dropout 0.3 --output "$work/plain" --max-updates 40
expect_text "--bpe-dropout" "$err"

# Frozen parameters keep their values and have no moments.
same_after_a_stop frozen --init-from "$work/plain" --freeze "encoder.*" source_embedding
expect_text "frozen: " "$err"
python3 - "$work" <<'PYTHON' || fail "--freeze"
import json, struct, sys
def tensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: data[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]]
            for name, t in header.items()}
work = sys.argv[1]
before = tensors(work + "/plain/last/model.safetensors")
after = tensors(work + "/frozen/last/model.safetensors")
frozen = {name for name in before if name.startswith("encoder.") or name == "source_embedding"}
assert frozen and all(before[name] == after[name] for name in frozen)
assert any(before[name] != after[name] for name in before.keys() - frozen)
moments = tensors(work + "/frozen/last/training.safetensors")
assert moments and not any(name.rsplit(".", 1)[0] in frozen for name in moments)
PYTHON

# Several processes drop layers and freeze parameters like one.
several=(--accumulate 2 --layer-drop 0.4 --init-from "$work/plain" --freeze "decoder.layer0.*")
expect_code 0 "${train[@]}" "${several[@]}" --output "$work/one" --max-updates 12
expect_code 0 "${train[@]}" "${several[@]}" --output "$work/two" --max-updates 12 --processes 2
python3 - "$work" <<'PYTHON' || fail "the loss of two processes differs"
import json, sys
def losses(run):
    lines = [json.loads(line) for line in open(f"{sys.argv[1]}/{run}/progress.jsonl")]
    return [line["valid_loss"] for line in lines if line["kind"] == "valid"]
one, two = losses("one"), losses("two")
assert one and len(one) == len(two)
assert all(abs(a - b) < 1e-3 for a, b in zip(one, two)), (one, two)
PYTHON

# LoRA: a small file that belongs to the base model translates like the checkpoint, as do the merged
# model and one packed from it.
same_after_a_stop lora --init-from "$work/plain" --lora-rank 4 --lora-alpha 16 --learning-rate 0.01
expect_code 0 "${train[@]}" --init-from "$work/plain" --lora-rank 2 --lora-on "decoder.*weight" \
  --learning-rate 0.01 --output "$work/other" --max-updates 30
expect_code 0 "${train[@]}" --init-from "$work/plain" --lora-rank 2 --lora-on "decoder.*weight" \
  --lora-alpha 2 --learning-rate 0.01 --output "$work/other" --max-updates 30
base=$work/base
cp -rL "$work/plain/last" "$base"
cp "$work/lora/last/lora.adapter" "$base/toy.adapter"
cp "$work/other/last/lora.adapter" "$base/other.adapter"
[ "$(stat -c %s "$base/toy.adapter")" -lt "$(stat -c %s "$base/model.safetensors")" ] ||
  fail "the adapter is not small"
scores() {  # MODEL OPTION...: translations with their scores
  "$dietmt" translate --model "$1" --input "$work/valid.en" --json "${@:2}" ||
    fail "no translation by $1"
}
plain=$(scores "$base") toy=$(scores "$work/lora/last") other=$(scores "$work/other/last")
[ "$plain" != "$toy" ] && [ "$toy" != "$other" ] || fail "adapters change nothing"
[ "$(scores "$base/toy.adapter")" = "$toy" ] || fail "the adapter is not the checkpoint"
[ "$(scores "$base/other.adapter")" = "$other" ] || fail "the second adapter is not its checkpoint"
expect_code 0 "$dietmt" merge --adapter "$base/toy.adapter" --output "$work/merged"
cmp "$work/merged/model.safetensors" "$work/lora/last/model.safetensors" || fail "merge differs"
expect_code 0 "$dietmt" quantize --model "$base/toy.adapter" --type bf16 --output "$work/packed"
[ "$(scores "$work/packed")" = "$(scores "$base/toy.adapter" --weights bf16)" ] ||
  fail "packed weights of the adapter differ"
report=("$dietmt" quantize --model "$base/toy.adapter" --type fp32 --source "$work/valid.en"
  --reference "$work/valid.de" --runs 1)
expect_code 0 "${report[@]}" --output "$work/packed32"
expect_text $'equal lines\t20 of 20' "$out"
sizes=$(cut -f 2 "$work/out" | sed -n 2p)
[ "$sizes" = "$(cat "$base/model.safetensors" "$base/toy.adapter" |
  wc -c | awk '{ printf "%.2f", $1 / 1e6 }')" ] || fail "the size with the adapter: $sizes"
expect_code 1 "$dietmt" merge --adapter "$base/none.adapter" --output "$work/none"
expect_text "$base/none.adapter" "$err"
cp "$base/toy.adapter" "$work/packed/"
expect_code 1 "$dietmt" translate --model "$work/packed/toy.adapter" --input "$work/valid.en"
expect_text "packed bf16 weights take no adapter" "$err"
cp -r "$work/merged" "$work/wrong" && cp "$base/toy.adapter" "$work/wrong/"
expect_code 1 "$dietmt" translate --model "$work/wrong/toy.adapter" --input "$work/valid.en"
expect_text "was trained from another model than the one in its directory" "$err"

# Bottleneck adapters: the rest of the model stays unchanged, and the small file translates with it
# like the checkpoint, with full and with packed weights.
same_after_a_stop adapter --init-from "$work/plain" --adapter-size 8 --learning-rate 0.01
expect_text "frozen: " "$err"
expect_code 0 "${train[@]}" --init-from "$work/plain" --adapter-size 3 --learning-rate 0.01 \
  --output "$work/adapter2" --max-updates 30
cp "$work/adapter/last/bottleneck.adapter" "$base/small.adapter"
cp "$work/adapter2/last/bottleneck.adapter" "$base/tiny.adapter"
[ "$(stat -c %s "$base/small.adapter")" -lt "$(stat -c %s "$base/model.safetensors")" ] ||
  fail "the adapter layers are not small"
small=$(scores "$work/adapter/last") tiny=$(scores "$work/adapter2/last")
[ "$plain" != "$small" ] && [ "$small" != "$tiny" ] || fail "adapter layers change nothing"
[ "$(scores "$base")" = "$plain" ] || fail "training an adapter changes its model"
[ "$(scores "$base/small.adapter")" = "$small" ] || fail "the adapter layers are not the checkpoint"
[ "$(scores "$base/tiny.adapter")" = "$tiny" ] || fail "the second adapter is not its checkpoint"
expect_code 0 "${train[@]}" --init-from "$work/plain" --adapter-size 8 --learning-rate 0.01 \
  --output "$work/adapter-early" --max-updates 10
expect_code 0 "$dietmt" average --inputs "$work/adapter" "$work/adapter-early" \
  --output "$work/adapter-mean"
cp "$work/adapter-mean/bottleneck.adapter" "$base/mean.adapter"
mean=$(scores "$work/adapter-mean")
[ "$mean" != "$small" ] || fail "the mean of two adapters is one of them"
[ "$(scores "$base/mean.adapter")" = "$mean" ] || fail "the mean of adapters is not that of models"
"$dietmt" score --model "$base/small.adapter" --source "$work/valid.en" --target "$work/valid.de" \
  >"$work/of_file" || fail "no scores with an adapter"
"$dietmt" score --model "$work/adapter/last" --source "$work/valid.en" --target "$work/valid.de" |
  cmp - "$work/of_file" || fail "scores with the adapter differ"
expect_code 0 "$dietmt" merge --adapter "$base/small.adapter" --output "$work/whole"
cmp "$work/whole/model.safetensors" "$work/adapter/last/model.safetensors" || fail "merge differs"
for type in fp32 bf16 int8; do
  expect_code 0 "$dietmt" quantize --model "$base/small.adapter" --type $type \
    --output "$work/small-$type"
  [ "$(scores "$work/small-$type")" = "$(scores "$base/small.adapter" --weights $type)" ] ||
    fail "packed $type weights with adapter layers differ"
done
cp "$base/small.adapter" "$work/wrong/"
expect_code 1 "$dietmt" translate --model "$work/wrong/small.adapter" --input "$work/valid.en"
expect_text "small.adapter: was trained from another model than the one in its directory" "$err"
cp "$base/small.adapter" "$work/whole/"
expect_code 1 "$dietmt" translate --model "$work/whole/small.adapter" --input "$work/valid.en"
expect_text "the model in its directory already has adapters" "$err"
expect_code 2 "$dietmt" export --model "$base/small.adapter" --to huggingface --output "$work/hf"
expect_text "MarianMT does not support adapters" "$err"

# Commands that read only part of a model accept its adapters.
for adapter in toy small; do
  expect_code 0 "$dietmt" inspect positions --model "$base/$adapter.adapter" --length 8 --json
  expect_text "$base/$adapter.adapter" "$out"
done
expect_code 0 "$dietmt" shortlist --model "$base/toy.adapter" --train-source "$work/train.en" \
  --train-target "$work/train.de" --output "$work/list.bin"
expect_code 0 "$dietmt" shortlist --model "$base" --shortlist "$work/list.bin" --show dog
expect_code 0 "$dietmt" align --model "$base/toy.adapter" --source "$work/valid.en" \
  --target "$work/valid.de"

# Training continues from an adapter, whose file then still belongs to the first run's base model.
expect_code 0 "${train[@]}" --init-from "$base/small.adapter" --adapter-size 8 --max-updates 5 \
  --output "$work/further"
cp "$work/further/last/bottleneck.adapter" "$base/further.adapter"
[ "$(scores "$base/further.adapter")" = "$(scores "$work/further/last")" ] ||
  fail "the adapter that was trained further is not its checkpoint"

# Several processes, averaged weights and recomputed activations give the same adapter as one
# process without them, up to the order of sums.
adapter_train=("${train[@]}" --init-from "$work/plain" --adapter-size 3 --accumulate 2 \
  --ema-decay 0.5 --max-updates 12)
expect_code 0 "${adapter_train[@]}" --output "$work/adapter-one"
expect_code 0 "${adapter_train[@]}" --output "$work/adapter-two" --processes 2 \
  --checkpoint-activations
python3 - "$work" <<'PYTHON' || fail "the adapters of one and two processes differ"
import json, struct, sys
def tensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: data[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]]
            for name, t in header.items()}
def numbers(data):
    return struct.unpack(f"<{len(data) // 4}f", data)
work = sys.argv[1]
base = tensors(work + "/plain/last/model.safetensors")
one = tensors(work + "/adapter-one/last/bottleneck.adapter")
two = tensors(work + "/adapter-two/last/bottleneck.adapter")
whole = tensors(work + "/adapter-two/last/model.safetensors")
assert base.items() <= whole.items()
assert one["base"] == two["base"] and one.keys() == two.keys()
trained = one.keys() - {"base", "checksum"}
assert trained == whole.keys() - base.keys()
for name in trained:
    assert all(abs(a - b) < 1e-4 for a, b in zip(numbers(one[name]), numbers(two[name]))), name
assert any(any(numbers(one[name])) for name in trained if name.endswith("up_weight"))
PYTHON

# A damaged adapter of either kind is refused, and so is one with a model that differs only in its
# embeddings.
for name in toy small; do
  python3 - "$base/$name.adapter" "$base/damaged.adapter" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[-20] ^= 1
open(sys.argv[2], "wb").write(data)
PYTHON
  expect_code 1 "$dietmt" translate --model "$base/damaged.adapter" --input "$work/valid.en"
  expect_text "damaged.adapter: is damaged" "$err"
done
rm "$base/damaged.adapter"
expect_code 0 "${train[@]}" --init-from "$work/plain" --freeze "encoder.*" "decoder.*" \
  --output "$work/embeddings" --max-updates 1
cp -rL "$work/embeddings/last" "$work/embeddings-base"
for name in toy small; do
  cp "$base/$name.adapter" "$work/embeddings-base/"
  expect_code 1 "$dietmt" translate --model "$work/embeddings-base/$name.adapter" \
    --input "$work/valid.en"
  expect_text "$name.adapter: was trained from another model than the one in its directory" "$err"
done

# Several adapters in one server, each a model with its own name.
if has_service && command -v curl >/dev/null; then
  start_server "$base" --guard off --model "en-de=$base/toy.adapter" "en-de=$base/other.adapter" \
    "en-de=$base/small.adapter" "en-de=$base/tiny.adapter"
  line=$(head -n 1 "$work/valid.en")
  for model in en-de toy other small tiny; do
    case $model in en-de) path=$base ;; *) path=$base/$model.adapter ;; esac
    answer=$(curl -s --max-time 60 -H "Content-Type: application/json" "$url/v1/translate" \
      -d "{\"text\": \"$line\", \"model\": \"$model\", \"beam\": 1}")
    expect_text "\"text\":\"$(echo "$line" | "$dietmt" translate --model "$path" --beam 1)\"" \
      "$answer"
    analysis=$(curl -s --max-time 60 -H "Content-Type: application/json" "$url/v1/analyze" \
      -d "{\"text\": \"$line\", \"model\": \"$model\"}")
    inspected=$("$dietmt" inspect attention --model "$path" --text "$line")
    [ "$analysis" = "${inspected/"\"$path\""/"\"$model\""}" ] || fail "$model: another analysis"
  done
  kill "$server"
  wait "$server"
fi

# Incompatible options are reported before anything starts.
refused() {  # TEXT OPTION...
  expect_code 2 "${train[@]}" "${@:2}" --output "$work/refused" --max-updates 1
  expect_text "$1" "$err"
}
refused "--subword-sampling is for unigram tokenizers" --subword-sampling 0.1
refused "--bpe-dropout is for BPE tokenizers" --bpe-dropout 0.1 --tokenizer-type unigram
refused "cannot be combined" --bpe-dropout 0.1 --subword-sampling 0.1
refused "--augment: 'upper:2' is not a change" --augment upper:2
refused "lacks: train tokenizers with --byte-fallback" --augment noise:0.1
refused "--sampled-sides needs" --sampled-sides source
refused "which is a BPE model: use --bpe-dropout" --subword-sampling 0.1 \
  --tokenizer "$work/plain/last/tokenizer.model"
refused "all dropout is 0" --r-drop 5 --dropout 0 --embedding-dropout 0
refused "no parameter of the model matches 'encodr.*'; did you mean encoder.*?" --freeze "encodr.*"
refused "need --processes 1" --r-drop 5 --layer-drop 0.1 --checkpoint-activations --processes 2 \
  --accumulate 2
refused "--optimizer muon trains in one process" --optimizer muon --processes 2 --accumulate 2
refused "--lora-rank needs --init-from" --lora-rank 4
refused "--lora-rank 300 is above the size of" --init-from "$work/plain" --lora-rank 300
refused "keeps the 1024 positions" --init-from "$work/plain" --lora-rank 4 --max-positions 2000
refused "--adapter-size needs --init-from" --adapter-size 4
refused "leave out --lora-rank and --freeze" --init-from "$work/plain" --adapter-size 4 --lora-rank 2
refused "has adapters of 8" --init-from "$work/adapter" --adapter-size 4
refused "--adapter-size keeps the 1024 positions" --init-from "$work/plain" --adapter-size 4 \
  --max-positions 2000
refused "keeps the position encodings" --init-from "$work/plain" --adapter-size 4 --position rope
refused "keeps the position encodings" --init-from "$work/plain" --lora-rank 4 --position diet-rel
refused "--lora-rank and --guided-alignment cannot be combined" --init-from "$work/plain" \
  --lora-rank 4 --guided-alignment auto
refused "need --lora-rank" --lora-alpha 4
refused "cannot be combined" --init-from "$work/plain" --lora-rank 4 --freeze "encoder.*"
refused "cannot be combined" --init-from "$work/plain" --lora-rank 4 --ema-decay 0.9
refused "--lora-on: no parameter of the model matches 'decodr*'" --init-from "$work/plain" \
  --lora-rank 4 --lora-on "decodr*"
finish
