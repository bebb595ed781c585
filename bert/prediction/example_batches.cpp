#include "bert/prediction/example_batches.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "common/error.h"
#include "common/random.h"
#include "data/corpus/epoch_batches.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::bert {
namespace {

int64_t special_pieces(const InputOptions& options) { return options.pairs ? 3 : 2; }

std::vector<int64_t> all_examples(const EncodedInputs& inputs) {
  if (inputs.size() == 0) throw Error("there are no examples");
  std::vector<int64_t> order(static_cast<size_t>(inputs.size()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void append(const EncodedInputs& inputs, int64_t example, ExampleBatch& batch) {
  const int64_t second_begin = inputs.second_begins[static_cast<size_t>(example)];
  batch.tokens.append(inputs.input(example));
  batch.segments.resize(batch.segments.size() + static_cast<size_t>(second_begin), 0);
  batch.segments.resize(static_cast<size_t>(batch.tokens.size()), 1);
  batch.examples.push_back(example);
}

// The batches of one epoch at a time.
class ShuffledExamples : public data::BatchSource<ExampleBatch> {
 public:
  ShuffledExamples(const EncodedInputs& inputs, const ExampleBatchOptions& options)
      : inputs_(inputs), options_(options) {}

  void start_epoch(int64_t epoch) override {
    order_ = all_examples(inputs_);
    Random random(random_key(options_.seed, static_cast<uint64_t>(epoch)));
    random.shuffle(order_);
  }

  int64_t batches() const override { return batches_in_epoch(inputs_.size(), options_.batch_size); }

  ExampleBatch batch(int64_t index) const override {
    const int64_t begin = index * options_.batch_size;
    const int64_t end = std::min(begin + options_.batch_size, inputs_.size());
    ExampleBatch batch;
    for (int64_t i = begin; i < end; ++i) append(inputs_, order_[static_cast<size_t>(i)], batch);
    return batch;
  }

 private:
  const EncodedInputs& inputs_;
  ExampleBatchOptions options_;
  std::vector<int64_t> order_;
};

}  // namespace

std::span<const int32_t> EncodedInputs::input(int64_t i) const {
  const auto at = static_cast<size_t>(i);
  const auto begin = static_cast<size_t>(tokens.offsets[at]);
  return std::span(tokens.tokens)
      .subspan(begin, static_cast<size_t>(tokens.offsets[at + 1]) - begin);
}

void EncodedInputs::append(std::span<const int32_t> ids, int64_t second_begin) {
  tokens.append(ids);
  second_begins.push_back(static_cast<int32_t>(second_begin));
}

uint64_t content_hash(const EncodedInputs& inputs) {
  uint64_t hash = static_cast<uint64_t>(inputs.size());
  for (const int32_t id : inputs.tokens.tokens) hash = random_key(hash, static_cast<uint32_t>(id));
  for (const auto offset : inputs.tokens.offsets)
    hash = random_key(hash, static_cast<uint64_t>(offset));
  for (const int32_t begin : inputs.second_begins)
    hash = random_key(hash, static_cast<uint32_t>(begin));
  return hash;
}

std::vector<std::string> InputOptions::problems() const {
  const int64_t least = special_pieces(*this) + 1;
  if (max_length >= least) return {};
  return {"--max-length must be at least " + std::to_string(least)};
}

EncodedInputs encode_examples(std::span<const data::Example> examples,
                              const data::BertTokenizer& tokenizer, const InputOptions& options) {
  throw_if_any(options.problems());
  EncodedInputs inputs;
  for (const data::Example& example : examples) {
    const std::vector<int32_t> first = tokenizer.encode(example.first).ids;
    std::vector<int32_t> second;
    std::optional<std::span<const int32_t>> second_text;
    if (options.pairs) {
      second = tokenizer.encode(example.second).ids;
      second_text = second;
    }
    const data::EncoderInput input =
        data::encoder_input(first, second_text, tokenizer.special(), options.max_length);
    if (input.cut > 0) ++inputs.cut;
    inputs.append(input.ids, input.second_begin);
  }
  return inputs;
}

ExampleBatches::ExampleBatches(const EncodedInputs& inputs, const ExampleBatchOptions& options,
                               data::BatchPosition start)
    : EpochBatches(std::make_shared<ShuffledExamples>(inputs, options), start) {}

int64_t batches_in_epoch(int64_t examples, int64_t batch_size) {
  return (examples + batch_size - 1) / batch_size;
}

std::vector<ExampleBatch> all_batches(const EncodedInputs& inputs, int64_t batch_tokens) {
  std::vector<int64_t> order = all_examples(inputs);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return inputs.length(i); });
  std::vector<ExampleBatch> batches;
  for (const int64_t example : order) {
    const bool fits =
        !batches.empty() && batches.back().tokens.size() + inputs.length(example) <= batch_tokens;
    if (!fits) batches.emplace_back();
    append(inputs, example, batches.back());
  }
  return batches;
}

}  // namespace dietmt::bert
