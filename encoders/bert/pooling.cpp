#include "encoders/bert/pooling.h"

#include <ATen/ATen.h>

#include <limits>
#include <vector>

namespace dietmt::encoders {
namespace {

using at::Tensor;

Tensor as_tensor(const std::vector<int64_t>& numbers, at::Device device) {
  return at::tensor(numbers, at::kLong).to(device);
}

}  // namespace

Tensor first_states(const Tensor& hidden, const Packing& packing) {
  const std::vector<int64_t> firsts(packing.offsets().begin(), packing.offsets().end() - 1);
  return hidden.index_select(0, as_tensor(firsts, hidden.device()));
}

Tensor mean_states(const Tensor& hidden, const Packing& packing) {
  const Tensor lengths = as_tensor(packing.lengths(), hidden.device());
  const Tensor input_of_token = at::repeat_interleave(lengths);  // [N]
  const Tensor sums = at::zeros({packing.sentences(), hidden.size(1)}, hidden.options())
                          .index_add_(0, input_of_token, hidden);
  return sums / lengths.unsqueeze(1);
}

Tensor max_states(const Tensor& hidden, const Packing& packing) {
  const Tensor lengths = as_tensor(packing.lengths(), hidden.device());
  const Tensor input_of_token = at::repeat_interleave(lengths).unsqueeze(1).expand_as(hidden);
  return at::full({packing.sentences(), hidden.size(1)}, -std::numeric_limits<float>::infinity(),
                  hidden.options())
      .scatter_reduce_(0, input_of_token, hidden, "amax");
}

}  // namespace dietmt::encoders
