#include "nmt/training/translation_batch.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <vector>

#include "encoders/device/device.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

TranslationBatch translation_batch(const data::ParallelBatch& pairs,
                                   const TranslationBatchOptions& options) {
  const c10::DeviceGuard guard(options.device);
  const int64_t sources = pairs.source.size(), targets = pairs.target.size();
  const at::Tensor host = encoders::staging_tensor(sources + 2 * targets, options.device);
  auto* ids = host.mutable_data_ptr<int64_t>();
  ids = std::ranges::copy(pairs.source.tokens, ids).out;
  ids = std::ranges::copy(shifted_right(pairs.target, options.begin_id).tokens, ids).out;
  std::ranges::copy(pairs.target.tokens, ids);
  const at::Tensor all = host.to(options.device, /*non_blocking=*/true);
  TranslationBatch batch{.source = encoders::packing_of(pairs.source, options.device),
                         .target = encoders::packing_of(pairs.target, options.device),
                         .source_ids = all.narrow(0, 0, sources),
                         .inputs = all.narrow(0, sources, targets),
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
