#include "encoders/attention/packing.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>

#include "common/error.h"

namespace dietmt::encoders {

Packing::Packing(std::vector<int64_t> lengths, at::Device device) : lengths_(std::move(lengths)) {
  offsets_.reserve(lengths_.size() + 1);
  offsets_.push_back(0);
  for (const int64_t length : lengths_) {
    if (length < 1) throw Error("a packed sentence has " + std::to_string(length) + " tokens");
    offsets_.push_back(offsets_.back() + length);
    max_length_ = std::max(max_length_, length);
  }

  at::Tensor positions = at::empty({tokens()}, at::kLong);
  at::Tensor padded_rows = at::empty({tokens()}, at::kLong);
  int64_t* position = positions.data_ptr<int64_t>();
  int64_t* row = padded_rows.data_ptr<int64_t>();
  for (int64_t b = 0; b < sentences(); ++b) {
    for (int64_t i = 0; i < lengths_[b]; ++i) {
      *position++ = i;
      *row++ = b * max_length_ + i;
    }
  }
  positions_ = positions.to(device);
  padded_rows_ = padded_rows.to(device);
}

Packing packing_of(const data::PackedTokens& packed, at::Device device) {
  std::vector<int64_t> lengths;
  for (size_t b = 0; b + 1 < packed.offsets.size(); ++b)
    lengths.push_back(packed.offsets[b + 1] - packed.offsets[b]);
  return Packing(std::move(lengths), device);
}

at::Tensor ids_of(std::span<const int32_t> ids, at::Device device) {
  // from_blob() takes no const pointer, but the conversion copies at once.
  return at::from_blob(const_cast<int32_t*>(ids.data()), {std::ssize(ids)}, at::kInt)
      .to(device, at::kLong);
}

}  // namespace dietmt::encoders
