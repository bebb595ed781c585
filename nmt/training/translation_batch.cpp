#include "nmt/training/translation_batch.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "encoders/device/device.h"
#include "nmt/network/translation_model.h"
#include "training/optimization/loss.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using encoders::Packing;

/// Parts that not every batch has.
struct MoreParts {
  bool order = false;    // of ids, on a device
  bool weights = false;  // of targets
};

int64_t numbers_of_weights(const BatchSizes& sizes) { return (sizes.target.tokens + 1) / 2; }

/// The numbers of a batch, part by part.
struct Parts {
  Parts(const BatchSizes& sizes, const Tensor& numbers, MoreParts more) {
    int64_t begin = 0;
    const auto next = [&](int64_t size) {
      return numbers.narrow(0, std::exchange(begin, begin + size), size);
    };
    source_packing = next(sizes.source.numbers());
    target_packing = next(sizes.target.numbers());
    source_ids = next(sizes.source.tokens);
    inputs = next(sizes.target.tokens);
    targets = next(sizes.target.tokens);
    if (more.weights)
      token_weights =
          next(numbers_of_weights(sizes)).view(at::kFloat).narrow(0, 0, sizes.target.tokens);
    if (!more.order) return;
    source_order = next(sizes.source.tokens);
    input_order = next(sizes.target.tokens);
  }
  static int64_t count(const BatchSizes& sizes, MoreParts more) {
    const int64_t ids = sizes.source.tokens + sizes.target.tokens;
    return sizes.source.numbers() + sizes.target.numbers() + ids + sizes.target.tokens +
           (more.weights ? numbers_of_weights(sizes) : 0) + (more.order ? ids : 0);
  }

  Tensor source_packing, target_packing;  // of write_packing()
  Tensor source_ids, inputs, targets;
  Tensor token_weights;
  Tensor source_order, input_order;
};

int64_t* write(const std::vector<int32_t>& ids, const Tensor& to) {
  return std::ranges::copy(ids, to.mutable_data_ptr<int64_t>()).out;
}

void write_order(const Tensor& ids, const Tensor& order) {
  encoders::sort_ids({ids.const_data_ptr<int64_t>(), static_cast<size_t>(ids.size(0))},
                     order.mutable_data_ptr<int64_t>());
}

/// The weights of the targets' losses; returns their sum. Without weights of pairs, all are 1.
double write_weights(const data::ParallelBatch& given, const Tensor& to) {
  if (!to.defined()) return static_cast<double>(given.target.size());
  float* token = to.mutable_data_ptr<float>();
  float* const end = token + to.size(0);
  double sum = 0.0;
  for (size_t b = 0; b + 1 < given.target.offsets.size(); ++b) {
    const int32_t tokens = given.target.offsets[b + 1] - given.target.offsets[b];
    token = std::fill_n(token, tokens, given.weights[b]);
    sum += static_cast<double>(given.weights[b]) * tokens;
  }
  std::fill(token, end, 0.0F);
  return sum;
}

TranslationBatch batch_of(const Parts& parts, const Packing& source, const Packing& target,
                          const Tensor& numbers) {
  return {.source = source,
          .target = target,
          .source_ids = {parts.source_ids, parts.source_order},
          .inputs = {parts.inputs, parts.input_order},
          .targets = parts.targets,
          .aligned = {},
          .token_weights = parts.token_weights,
          .numbers = numbers};
}

FilledBatch filled_batch(const data::ParallelBatch& pairs, const TranslationBatchOptions& options) {
  if (options.fill_up) return fill_up(pairs, *options.fill_up);
  const auto sizes = [&](const data::PackedTokens& packed) {
    return encoders::packing_sizes(encoders::lengths_of(packed), options.device);
  };
  return {pairs, {sizes(pairs.source), sizes(pairs.target)}};
}

}  // namespace

TranslationBatch TranslationBatch::with_numbers(const Tensor& others) const {
  const Parts parts(sizes(), others,
                    {.order = !others.is_cpu(), .weights = token_weights.defined()});
  TranslationBatch batch = batch_of(parts, Packing(source.sizes(), parts.source_packing),
                                    Packing(target.sizes(), parts.target_packing), others);
  batch.target_tokens = target_tokens;
  batch.target_weight = target_weight;
  return batch;
}

TranslationBatch translation_batch(const data::ParallelBatch& given,
                                   const TranslationBatchOptions& options) {
  const c10::DeviceGuard guard(options.device);
  const MoreParts more = {.order = !options.device.is_cpu(), .weights = !given.weights.empty()};
  const auto [pairs, sizes] = filled_batch(given, options);
  const std::vector<int64_t> sources = encoders::lengths_of(pairs.source);
  const std::vector<int64_t> targets = encoders::lengths_of(pairs.target);
  const Tensor host = encoders::staging_tensor(Parts::count(sizes, more), options.device);
  const Parts written(sizes, host, more);
  const auto packing_at = [](const Tensor& part) { return part.mutable_data_ptr<int64_t>(); };
  encoders::write_packing(sources, sizes.source, packing_at(written.source_packing));
  encoders::write_packing(targets, sizes.target, packing_at(written.target_packing));
  write(pairs.source.tokens, written.source_ids);
  write(shifted_right(pairs.target, options.begin_id).tokens, written.inputs);
  int64_t* const fillers = write(given.target.tokens, written.targets);
  std::fill_n(fillers, sizes.target.tokens - given.target.size(), training::kIgnoredTarget);
  const double target_weight = write_weights(given, written.token_weights);
  if (more.order) {
    write_order(written.source_ids, written.source_order);
    write_order(written.inputs, written.input_order);
  }
  const Tensor numbers = host.to(options.device, /*non_blocking=*/true);
  const Parts parts(sizes, numbers, more);
  TranslationBatch batch = batch_of(parts, Packing(sources, sizes.source, parts.source_packing),
                                    Packing(targets, sizes.target, parts.target_packing), numbers);
  batch.target_tokens = given.target.size();
  batch.target_weight = target_weight;
  if (!options.guide) return batch;
  std::vector<std::vector<TokenLink>> links;
  for (const int64_t pair : given.pairs) links.push_back(options.guide->links(pair));
  batch.aligned = alignment_targets(targets, sources, links, given.weights, options.device);
  return batch;
}

TranslationBatches::TranslationBatches(const data::ParallelCorpus& corpus,
                                       const data::BatchOptions& batches,
                                       const TranslationBatchOptions& options,
                                       data::BatchPosition start)
    : EpochBatches(std::make_shared<data::ChangedBatches<data::ParallelBatch, TranslationBatch>>(
                       data::batch_source(corpus, batches),
                       [options](const data::ParallelBatch& pairs) {
                         return translation_batch(pairs, options);
                       }),
                   start, batches.share) {}

}  // namespace dietmt::nmt
