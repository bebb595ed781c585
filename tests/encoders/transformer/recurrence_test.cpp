#include "encoders/transformer/recurrence.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dietmt::encoders {
namespace {

using at::Tensor;

constexpr int64_t kWidth = 70;  // more than one block of columns

struct Inputs {
  Packing packing{{3, 1, 7, 2}};
  Tensor candidate, forget, weight;

  explicit Inputs(at::ScalarType type) {
    at::manual_seed(5);
    const auto options = at::TensorOptions().dtype(type);
    candidate = at::randn({packing.tokens(), kWidth}, options).requires_grad_();
    forget = at::rand({packing.tokens(), kWidth}, options).requires_grad_();
    weight = at::randn({packing.tokens(), kWidth}, options);
  }

  // The recurrence, computed directly from its formula.
  Tensor slow_states() const {
    std::vector<Tensor> rows;
    for (int64_t row = 0; row < packing.tokens(); ++row) {
      const bool first = packing.positions()[row].item<int64_t>() == 0;
      Tensor state = (1.0 - forget[row]) * candidate[row];
      if (!first) state = state + forget[row] * rows.back();
      rows.push_back(state);
    }
    return at::stack(rows);
  }

  std::vector<Tensor> gradients(const Tensor& states) {
    candidate.mutable_grad() = Tensor();
    forget.mutable_grad() = Tensor();
    (states * weight).sum().backward();
    return {candidate.grad(), forget.grad()};
  }
};

// fp32 takes the CPU's path, fp64 that of other devices.
class RecurrentStatesTest : public testing::TestWithParam<at::ScalarType> {};

TEST_P(RecurrentStatesTest, StatesAndGradientsFollowTheFormula) {
  Inputs inputs(GetParam());
  const Tensor states = recurrent_states(inputs.candidate, inputs.forget, inputs.packing);
  const Tensor slow = inputs.slow_states();
  EXPECT_TRUE(at::allclose(states, slow, 1e-5, 1e-6));
  const auto found = inputs.gradients(states), wanted = inputs.gradients(slow);
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(at::allclose(found[i], wanted[i], 1e-5, 1e-5)) << i;
}

INSTANTIATE_TEST_SUITE_P(Types, RecurrentStatesTest, testing::Values(at::kFloat, at::kDouble));

TEST(Recurrence, StepsGiveWhatAllTokensTogetherGive) {
  const torch::NoGradGuard no_grad;
  at::manual_seed(6);
  const Recurrence recurrence(kWidth);
  for (const Tensor& parameter : recurrence.parameters()) parameter.add_(at::randn_like(parameter));
  const int64_t sentences = 3, length = 5;
  const Tensor x = at::randn({sentences * length, kWidth});
  const Tensor all = recurrence.forward(x, Packing(std::vector<int64_t>(sentences, length)));
  Tensor states = at::full({sentences * length, kWidth}, NAN);
  const Tensor slots = at::arange(sentences * length).view({sentences, length});
  for (int64_t t = 0; t < length; ++t) {
    const Tensor rows = at::arange(sentences) * length + t;
    StepRows now;
    now.positions = at::full({sentences}, t, at::kLong);
    now.slots = slots.to(at::kInt);
    now.new_slots = slots.select(1, t);
    const Tensor step = recurrence.step(x.index_select(0, rows), states, now);
    EXPECT_TRUE(at::allclose(step, all.index_select(0, rows), 1e-5, 1e-5)) << t;
  }
}

}  // namespace
}  // namespace dietmt::encoders
