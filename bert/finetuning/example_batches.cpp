#include "bert/finetuning/example_batches.h"

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "common/random.h"
#include "data/corpus/epoch_batches.h"

namespace dietmt::bert {
namespace {

using data::BatchPosition;

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
class ShuffledExamples {
 public:
  ShuffledExamples(const EncodedInputs& inputs, const ExampleBatchOptions& options)
      : inputs_(inputs), options_(options) {}

  void start_epoch(int64_t epoch) {
    order_ = all_examples(inputs_);
    Random random(random_key(options_.seed, static_cast<uint64_t>(epoch)));
    random.shuffle(order_);
  }

  int64_t batches() const { return batches_in_epoch(inputs_.size(), options_.batch_size); }

  ExampleBatch batch(int64_t index) const {
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

struct ExampleBatches::Impl {
  ShuffledExamples examples;
  data::EpochBatches<ShuffledExamples> batches;

  Impl(const EncodedInputs& inputs, const ExampleBatchOptions& options, BatchPosition start)
      : examples(inputs, options), batches(examples, start) {}
};

ExampleBatches::ExampleBatches(const EncodedInputs& inputs, const ExampleBatchOptions& options,
                               BatchPosition start)
    : impl_(std::make_unique<Impl>(inputs, options, start)) {}

ExampleBatches::~ExampleBatches() = default;

ExampleBatch ExampleBatches::next() { return impl_->batches.next(); }

BatchPosition ExampleBatches::position() const { return impl_->batches.position(); }

int64_t ExampleBatches::batches_in_epoch() const { return impl_->batches.batches_in_epoch(); }

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
