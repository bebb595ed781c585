#include "encoders/attention/batch_tensors.h"

#include <ATen/ATen.h>

#include <utility>

namespace dietmt::encoders {

encoders::Packing packing_of(const data::PackedTokens& packed, at::Device device) {
  std::vector<int64_t> lengths;
  for (size_t b = 0; b + 1 < packed.offsets.size(); ++b)
    lengths.push_back(packed.offsets[b + 1] - packed.offsets[b]);
  return encoders::Packing(std::move(lengths), device);
}

at::Tensor ids_of(std::span<const int32_t> ids, at::Device device) {
  // from_blob() takes no const pointer, but the conversion copies at once.
  return at::from_blob(const_cast<int32_t*>(ids.data()), {std::ssize(ids)}, at::kInt)
      .to(device, at::kLong);
}

}  // namespace dietmt::encoders
