#include "bert/embedding/pooling.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "common/error.h"

namespace dietmt::bert {
namespace {

using at::Tensor;

Tensor as_tensor(const std::vector<int64_t>& numbers, at::Device device) {
  return torch::tensor(numbers, at::kLong).to(device);
}

Tensor mean(const Tensor& hidden, const encoders::Packing& packing) {
  const Tensor lengths = as_tensor(packing.lengths(), hidden.device());
  const Tensor input_of_token = at::repeat_interleave(lengths);  // [N]
  const Tensor sums = at::zeros({packing.sentences(), hidden.size(1)}, hidden.options())
                          .index_add_(0, input_of_token, hidden);
  return sums / lengths.unsqueeze(1);
}

}  // namespace

Pooling parse_pooling(const std::string& name) {
  if (name == "none") return Pooling::kNone;
  if (name == "cls") return Pooling::kFirst;
  if (name == "mean") return Pooling::kMean;
  throw ConfigError("'" + name + "' is not a pooling method; possible: none, cls, mean");
}

Tensor pool(const Tensor& hidden, const encoders::Packing& packing, Pooling pooling) {
  if (pooling == Pooling::kNone) return hidden;
  if (pooling == Pooling::kMean) return mean(hidden, packing);
  std::vector<int64_t> firsts = packing.offsets();
  firsts.pop_back();
  return hidden.index_select(0, as_tensor(firsts, hidden.device()));
}

}  // namespace dietmt::bert
