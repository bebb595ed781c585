#include "encoders/analysis/input_positions.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include "encoders/analysis/first_layer.h"
#include "encoders/position/sinusoid_table.h"

namespace dietmt::encoders {

InputPositions input_positions(const InspectedStack& stack, int64_t length) {
  const torch::NoGradGuard no_grad;
  const at::Tensor nothing = at::zeros({length, stack.width});
  const at::Tensor table = stack.position.position_table(length, table_options(nothing));
  if (!table.defined()) return {};
  const at::Tensor positions = table.narrow(0, 0, length);
  const SentenceVectors vectors = projected_positions(stack, positions);
  const at::Tensor rows = positions.to(at::kDouble);
  return {at::matmul(rows, rows.t()), at::einsum("ihc,jhc->hij", {vectors.queries.to(at::kDouble),
                                                                  vectors.keys.to(at::kDouble)})};
}

std::vector<Frequencies> learned_frequencies(const PositionScheme& position) {
  std::vector<Frequencies> found;
  for (const auto& parameter : position.named_parameters()) {
    if (!parameter.key().ends_with("frequencies")) continue;
    const at::Tensor values = parameter.value().detach().to(at::kCPU, at::kDouble);
    const int64_t count = values.size(0);
    found.push_back(
        {parameter.key(), values, sinusoid_frequencies(count, static_cast<double>(count))});
  }
  return found;
}

}  // namespace dietmt::encoders
