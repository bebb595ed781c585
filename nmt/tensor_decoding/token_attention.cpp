#include "nmt/tensor_decoding/token_attention.h"

#include <ATen/ATen.h>

#include "encoders/attention/observed_attention.h"
#include "encoders/attention/packing.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

// [T, S] for each pair.
std::vector<Tensor> pair_attention(const TranslationModel& model, const data::PackedTokens& sources,
                                   const data::PackedTokens& inputs) {
  const at::Device device = model.output_weight().device();
  const encoders::Packing source_packing = encoders::packing_of(sources, device);
  const encoders::Packing target_packing = encoders::packing_of(inputs, device);
  const AlignmentSite site = model.config().alignment();
  encoders::ObservedAttention observed;
  observed.layer = site.layer;
  const Tensor memory = model.encode(encoders::ids_of(sources.tokens, device), source_packing);
  model.decode(encoders::ids_of(inputs.tokens, device), target_packing, memory, source_packing,
               nullptr, &observed);
  return encoders::attention_probabilities(observed, target_packing, source_packing, site.head);
}

}  // namespace

std::vector<std::vector<float>> token_attention(std::span<const TranslationModel* const> models,
                                                std::span<const AlignmentRequest> requests,
                                                const SpecialTokens& special) {
  data::PackedTokens sources, inputs;
  for (const AlignmentRequest& request : requests) {
    std::vector<int32_t> input{special.begin};
    input.insert(input.end(), request.target.begin(), request.target.end());
    sources.append(request.source);
    inputs.append(input);
  }
  std::vector<Tensor> sums;
  for (const TranslationModel* model : models) {
    const std::vector<Tensor> pairs = pair_attention(*model, sources, inputs);
    if (sums.empty()) sums.resize(pairs.size());
    for (size_t i = 0; i < pairs.size(); ++i)
      sums[i] = sums[i].defined() ? sums[i] + pairs[i] : pairs[i];
  }
  std::vector<std::vector<float>> attention;
  for (const Tensor& sum : sums) {
    const Tensor mean = (sum / static_cast<double>(models.size())).cpu().contiguous();
    attention.emplace_back(mean.data_ptr<float>(), mean.data_ptr<float>() + mean.numel());
  }
  return attention;
}

}  // namespace dietmt::nmt
