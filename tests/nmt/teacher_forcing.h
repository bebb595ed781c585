// Scores of given translations by their definition, with tensors: the reference for decoders.
#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "encoders/attention/packing.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

struct ScoringRequest {
  std::vector<int32_t> source;  // ends with end of sentence
  std::vector<int32_t> target;  // ends with end of sentence
};

/// log p(target token i | source, targets before i) of every target token; for several models the
/// logarithm of their average probability. Begin of sentence is token 1.
inline std::vector<std::vector<float>> score_targets(
    std::span<const TranslationModel* const> models, std::span<const ScoringRequest> requests) {
  const c10::InferenceMode inference;
  std::vector<std::vector<float>> scores;
  for (const ScoringRequest& request : requests) {
    data::PackedTokens source, target;
    source.append(request.source);
    target.append(request.target);
    at::Tensor sum;  // [T]
    for (const TranslationModel* model : models) {
      const encoders::Packing sources = encoders::packing_of(source, at::kCPU);
      const at::Tensor memory = model->encode(encoders::ids_of(source.tokens, at::kCPU), sources);
      const at::Tensor hidden =
          model->decode(encoders::ids_of(shifted_right(target, 1).tokens, at::kCPU),
                        encoders::packing_of(target, at::kCPU), memory, sources);
      const at::Tensor one =
          at::log_softmax(model->logits(hidden), -1)
              .gather(1, encoders::ids_of(target.tokens, at::kCPU).to(at::kLong).unsqueeze(1))
              .squeeze(1);
      sum = sum.defined() ? at::logaddexp(sum, one) : one;
    }
    const at::Tensor mean = sum - std::log(static_cast<double>(models.size()));
    scores.emplace_back(mean.data_ptr<float>(), mean.data_ptr<float>() + mean.numel());
  }
  return scores;
}

}  // namespace dietmt::nmt
