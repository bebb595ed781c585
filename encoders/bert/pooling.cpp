#include "encoders/bert/pooling.h"

#include <ATen/ATen.h>

#include <limits>
#include <optional>

#include "encoders/ops/deterministic_sums.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

/// [N]: the input of each token.
Tensor inputs_of_tokens(const Packing& packing) {
  // An optional, or the overload that repeats every length is called.
  return at::repeat_interleave(packing.length_tensor(), std::optional<int64_t>(packing.tokens()));
}

}  // namespace

Tensor first_states(const Tensor& hidden, const Packing& packing) {
  return hidden.index_select(0, packing.offset_tensor().narrow(0, 0, packing.sentences()));
}

Tensor mean_states(const Tensor& hidden, const Packing& packing) {
  const Tensor sums = sums_by_index(hidden, inputs_of_tokens(packing), packing.sentences());
  return sums / packing.length_tensor().unsqueeze(1);
}

Tensor max_states(const Tensor& hidden, const Packing& packing) {
  const Tensor input_of_token = inputs_of_tokens(packing).unsqueeze(1).expand_as(hidden);
  return at::full({packing.sentences(), hidden.size(1)}, -std::numeric_limits<float>::infinity(),
                  hidden.options())
      .scatter_reduce_(0, input_of_token, hidden, "amax");
}

}  // namespace dietmt::encoders
