#include "nmt/training/translation_batch.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <span>
#include <vector>

#include "encoders/device/device.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

TranslationBatch translation_batch(const data::ParallelBatch& pairs,
                                   const TranslationBatchOptions& options) {
  const c10::DeviceGuard guard(options.device);
  const int64_t sources = pairs.source.size(), targets = pairs.target.size();
  // Source, inputs, targets, and on a device the orders of source and inputs.
  const int64_t count = sources + 2 * targets;
  const int64_t ordered = options.device.is_cpu() ? 0 : sources + targets;
  const at::Tensor host = encoders::staging_tensor(count + ordered, options.device);
  auto* const ids = host.mutable_data_ptr<int64_t>();
  std::ranges::copy(pairs.source.tokens, ids);
  std::ranges::copy(shifted_right(pairs.target, options.begin_id).tokens, ids + sources);
  std::ranges::copy(pairs.target.tokens, ids + sources + targets);
  if (ordered > 0) {
    const auto part = [&](int64_t begin, int64_t size) {
      return std::span<const int64_t>(ids + begin, static_cast<size_t>(size));
    };
    encoders::sort_ids(part(0, sources), ids + count);
    encoders::sort_ids(part(sources, targets), ids + count + sources);
  }
  const at::Tensor all = host.to(options.device, /*non_blocking=*/true);
  const auto ids_with_order = [&](int64_t begin, int64_t size) -> encoders::TokenIds {
    const at::Tensor chosen = all.narrow(0, begin, size);
    if (ordered == 0) return chosen;
    return {chosen, all.narrow(0, count + begin, size)};
  };
  TranslationBatch batch{.source = encoders::packing_of(pairs.source, options.device),
                         .target = encoders::packing_of(pairs.target, options.device),
                         .source_ids = ids_with_order(0, sources),
                         .inputs = ids_with_order(sources, targets),
                         .targets = all.narrow(0, sources + targets, targets),
                         .aligned = {}};
  if (!options.guide) return batch;
  std::vector<std::vector<TokenLink>> links;
  for (const int64_t pair : pairs.pairs) links.push_back(options.guide->links(pair));
  batch.aligned =
      alignment_targets(batch.target.lengths(), batch.source.lengths(), links, options.device);
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
