#include "bert/training/pretraining_inputs.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>

#include "encoders/device/device.h"

namespace dietmt::bert {

PretrainingInputs pretraining_inputs(const data::PretrainingBatch& batch,
                                     const PretrainingInputOptions& options) {
  const at::Device device = options.device;
  const c10::DeviceGuard guard(device);
  const int64_t tokens = batch.tokens.size(), masked = std::ssize(batch.masked_ids);
  const int64_t pairs = std::ssize(batch.next_sentence);
  const at::Tensor host = encoders::staging_tensor(2 * (tokens + masked) + pairs, device);
  auto* numbers = host.mutable_data_ptr<int64_t>();
  numbers = std::ranges::copy(batch.tokens.tokens, numbers).out;
  numbers = std::ranges::copy(batch.segments, numbers).out;
  numbers = std::ranges::copy(batch.masked_rows, numbers).out;
  numbers = std::ranges::copy(batch.masked_ids, numbers).out;
  std::ranges::copy(batch.next_sentence, numbers);
  const at::Tensor all = host.to(device, /*non_blocking=*/true);
  PretrainingInputs inputs{.packing = encoders::packing_of(batch.tokens, device),
                           .ids = all.narrow(0, 0, tokens),
                           .masked_rows = all.narrow(0, 2 * tokens, masked),
                           .masked_ids = all.narrow(0, 2 * tokens + masked, masked),
                           .next_sentence = {}};
  if (options.segments > 1) inputs.packing.set_segments(all.narrow(0, tokens, tokens));
  if (pairs > 0) inputs.next_sentence = all.narrow(0, 2 * (tokens + masked), pairs);
  return inputs;
}

PretrainingInputBatches::PretrainingInputBatches(const data::TextCorpus& corpus,
                                                 const data::PretrainingOptions& batches,
                                                 const PretrainingInputOptions& options,
                                                 data::BatchPosition start)
    : EpochBatches(
          std::make_shared<data::ChangedBatches<data::PretrainingBatch, PretrainingInputs>>(
              data::pretraining_source(corpus, batches),
              [options](const data::PretrainingBatch& batch) {
                return pretraining_inputs(batch, options);
              }),
          start, batches.share) {}

}  // namespace dietmt::bert
