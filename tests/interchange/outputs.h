// The logits of a translation model for a packed batch as make_cases.py writes it.
#pragma once

#include <ATen/ATen.h>
#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "nmt/network/translation_model.h"

namespace dietmt::interchange {

/// batch: source [M], source_lengths [B], target [N], target_lengths [B], all int64. Returns [N,
/// V].
inline at::Tensor logits_of(const nmt::TranslationModel& model,
                            const std::map<std::string, at::Tensor>& batch) {
  const torch::NoGradGuard no_grad;
  const auto packing = [&](const char* lengths) {
    const at::Tensor& tensor = batch.at(lengths);
    const auto* first = tensor.const_data_ptr<int64_t>();
    return encoders::Packing(std::vector<int64_t>(first, first + tensor.numel()));
  };
  const encoders::Packing source = packing("source_lengths");
  const at::Tensor memory = model.encode(batch.at("source"), source);
  return model.logits(model.decode(batch.at("target"), packing("target_lengths"), memory, source));
}

}  // namespace dietmt::interchange
