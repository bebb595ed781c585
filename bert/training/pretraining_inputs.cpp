#include "bert/training/pretraining_inputs.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <array>
#include <utility>

#include "encoders/device/device.h"
#include "training/loop/filled_sizes.h"
#include "training/optimization/loss.h"

namespace dietmt::bert {
namespace {

using at::Tensor;
using encoders::Packing;

/// The numbers of a batch, part by part.
struct Parts {
  Parts(const PretrainingSizes& sizes, const Tensor& numbers) {
    int64_t begin = 0;
    const auto next = [&](int64_t size) {
      return numbers.narrow(0, std::exchange(begin, begin + size), size);
    };
    packing = next(sizes.examples.numbers());
    ids = next(sizes.examples.tokens);
    if (sizes.segments) segments = next(sizes.examples.tokens);
    masked_rows = next(sizes.masked);
    masked_ids = next(sizes.masked);
    if (sizes.pairs) next_sentence = next(sizes.examples.sentences);
    masked_count = next(1);
  }
  static int64_t count(const PretrainingSizes& sizes) {
    const encoders::PackingSizes& examples = sizes.examples;
    return examples.numbers() + (sizes.segments ? 2 : 1) * examples.tokens + 2 * sizes.masked +
           (sizes.pairs ? examples.sentences : 0) + 1;
  }

  Tensor packing;  // of write_packing()
  Tensor ids, segments, masked_rows, masked_ids, next_sentence, masked_count;
};

/// `last`: the value after the last one.
template <typename Numbers>
void write(const Numbers& numbers, int64_t last, const Tensor& to) {
  auto* const begin = to.mutable_data_ptr<int64_t>();
  std::fill(std::ranges::copy(numbers, begin).out, begin + to.numel(), last);
}

/// `lengths`: of the examples; empty: only the device knows them.
PretrainingInputs inputs_of(const PretrainingSizes& sizes, const std::vector<int64_t>& lengths,
                            const Tensor& numbers) {
  const Parts parts(sizes, numbers);
  Packing packing = lengths.empty() ? Packing(sizes.examples, parts.packing)
                                    : Packing(lengths, sizes.examples, parts.packing);
  if (sizes.segments) packing.set_segments(parts.segments);
  return {.packing = std::move(packing),
          .ids = parts.ids,
          .masked_rows = parts.masked_rows,
          .masked_ids = parts.masked_ids,
          .next_sentence = parts.next_sentence,
          .masked_count = parts.masked_count.squeeze(),
          .sizes = sizes,
          .numbers = numbers};
}

PretrainingSizes sizes_of(const data::PretrainingBatch& batch,
                          const PretrainingInputOptions& options) {
  PretrainingSizes sizes;
  sizes.masked = std::ssize(batch.masked_ids);
  sizes.pairs = !batch.next_sentence.empty();
  sizes.segments = options.segments > 1;
  if (options.fill_up) {
    const training::GivenSentences examples[] = {{batch.tokens, *options.fill_up}};
    sizes.examples = training::filled_sizes(examples).front();
    sizes.masked = training::rounded_tokens(sizes.masked);
  } else {
    sizes.examples = encoders::packing_sizes(encoders::lengths_of(batch.tokens), options.device);
  }
  return sizes;
}

}  // namespace

std::vector<int64_t> PretrainingSizes::list() const {
  std::vector<int64_t> list = training::list_of({&examples, 1});
  list.push_back(masked);
  return list;
}

PretrainingInputs PretrainingInputs::with_numbers(const Tensor& others) const {
  return inputs_of(sizes, {}, others);
}

PretrainingInputs pretraining_inputs(const data::PretrainingBatch& batch,
                                     const PretrainingInputOptions& options) {
  const c10::DeviceGuard guard(options.device);
  const PretrainingSizes sizes = sizes_of(batch, options);
  data::PackedTokens examples = batch.tokens;
  if (options.fill_up) training::append_fillers(examples, sizes.examples);
  const std::vector<int64_t> lengths = encoders::lengths_of(examples);
  const Tensor host = encoders::staging_tensor(Parts::count(sizes), options.device);
  const Parts written(sizes, host);
  encoders::write_packing(lengths, sizes.examples, written.packing.mutable_data_ptr<int64_t>());
  write(examples.tokens, 0, written.ids);
  if (sizes.segments) write(batch.segments, 0, written.segments);
  write(batch.masked_rows, 0, written.masked_rows);
  write(batch.masked_ids, training::kIgnoredTarget, written.masked_ids);
  if (sizes.pairs) write(batch.next_sentence, training::kIgnoredTarget, written.next_sentence);
  const int64_t masked = std::ssize(batch.masked_ids);
  write(std::array{masked}, 0, written.masked_count);
  PretrainingInputs inputs =
      inputs_of(sizes, lengths, host.to(options.device, /*non_blocking=*/true));
  inputs.masked = masked;
  inputs.tokens = batch.tokens.size();
  return inputs;
}

PretrainingInputBatches::PretrainingInputBatches(std::span<const data::TextCorpus> texts,
                                                 const data::PretrainingOptions& batches,
                                                 const PretrainingInputOptions& options,
                                                 data::BatchPosition start)
    : EpochBatches(
          std::make_shared<data::ChangedBatches<data::PretrainingBatch, PretrainingInputs>>(
              data::pretraining_source(texts, batches),
              [options](const data::PretrainingBatch& batch) {
                return pretraining_inputs(batch, options);
              }),
          start, batches.share) {}

}  // namespace dietmt::bert
