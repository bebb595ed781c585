#include "nmt/model/packed_tokens.h"

#include <torch/torch.h>

#include <utility>

namespace dietmt::nmt {

data::PackedTokens pack(std::span<const std::vector<int32_t>* const> sentences) {
  data::PackedTokens packed;
  for (const auto* sentence : sentences) packed.append(*sentence);
  return packed;
}

encoders::Packing packing_of(const data::PackedTokens& packed, at::Device device) {
  std::vector<int64_t> lengths;
  for (size_t b = 0; b + 1 < packed.offsets.size(); ++b)
    lengths.push_back(packed.offsets[b + 1] - packed.offsets[b]);
  return encoders::Packing(std::move(lengths), device);
}

at::Tensor ids_of(const data::PackedTokens& packed, at::Device device) {
  // from_blob() takes no const pointer; what it gives is copied at once.
  return at::from_blob(const_cast<int32_t*>(packed.tokens.data()), {packed.size()}, at::kInt)
      .to(device, at::kLong);
}

data::PackedTokens shifted_right(const data::PackedTokens& target, int32_t begin) {
  data::PackedTokens shifted{std::vector<int32_t>(target.tokens.size()), target.offsets};
  for (size_t b = 0; b + 1 < target.offsets.size(); ++b) {
    const auto first = static_cast<size_t>(target.offsets[b]);
    const auto end = static_cast<size_t>(target.offsets[b + 1]);
    shifted.tokens[first] = begin;
    for (size_t i = first + 1; i < end; ++i) shifted.tokens[i] = target.tokens[i - 1];
  }
  return shifted;
}

}  // namespace dietmt::nmt
