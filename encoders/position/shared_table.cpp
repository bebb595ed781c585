#include "encoders/position/shared_table.h"

#include <ATen/ATen.h>

namespace dietmt::encoders {

at::Tensor empty_table(Sharing sharing, const EncodingContext& context, at::IntArrayRef rows) {
  const bool one_layer = sharing == Sharing::kLayers || sharing == Sharing::kAll;
  const bool one_head = sharing == Sharing::kHeads || sharing == Sharing::kAll;
  std::vector<int64_t> sizes = {one_layer ? 1 : context.layers, one_head ? 1 : context.heads};
  sizes.insert(sizes.end(), rows.begin(), rows.end());
  return at::empty(sizes);
}

}  // namespace dietmt::encoders
