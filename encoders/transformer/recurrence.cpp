#include "encoders/transformer/recurrence.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "encoders/ops/linear.h"

namespace dietmt::encoders {

using at::Tensor;

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kColumns = 64;  // of a thread's share

/// The rows of the tokens at one position of all sentences, and of the tokens before them.
struct TimeStep {
  Tensor rows;    // [sentences that are long enough] int64
  Tensor before;  // likewise; undefined at position 0
};

std::vector<TimeStep> time_steps(const Packing& packing, at::Device device) {
  std::vector<TimeStep> steps;
  for (int64_t t = 0; t < packing.max_length(); ++t) {
    std::vector<int64_t> rows;
    for (size_t b = 0; b < packing.lengths().size(); ++b)
      if (t < packing.lengths()[b]) rows.push_back(packing.offsets()[b] + t);
    const Tensor at_t = at::tensor(rows).to(device);
    steps.push_back({at_t, t == 0 ? Tensor() : at_t - 1});
  }
  return steps;
}

/// Calls work(first row, last row, first column, columns) for blocks of columns of each sentence.
template <typename Work>
void for_sentences(const Packing& packing, int64_t width, const Work& work) {
  const int64_t blocks = (width + kColumns - 1) / kColumns;
  at::parallel_for(0, packing.sentences() * blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto sentence = static_cast<size_t>(i / blocks);
      const int64_t column = i % blocks * kColumns;
      work(packing.offsets()[sentence], packing.offsets()[sentence + 1], column,
           std::min(kColumns, width - column));
    }
  });
}

Tensor states_on_cpu(const Tensor& candidate, const Tensor& forget, const Packing& packing) {
  Tensor states = at::empty_like(candidate);
  const int64_t width = candidate.size(1);
  const float* x = candidate.const_data_ptr<float>();
  const float* f = forget.const_data_ptr<float>();
  float* c = states.mutable_data_ptr<float>();
  for_sentences(packing, width, [&](int64_t first, int64_t last, int64_t column, int64_t count) {
    float state[kColumns] = {};
    for (int64_t row = first; row < last; ++row) {
      const int64_t at = row * width + column;
      for (int64_t d = 0; d < count; ++d) {
        state[d] = f[at + d] * state[d] + (1.0F - f[at + d]) * x[at + d];
        c[at + d] = state[d];
      }
    }
  });
  return states;
}

Tensor states_by_steps(const Tensor& candidate, const Tensor& forget, const Packing& packing) {
  Tensor states = (1.0 - forget) * candidate;
  for (const TimeStep& step : time_steps(packing, candidate.device())) {
    if (!step.before.defined()) continue;
    states.index_add_(0, step.rows,
                      forget.index_select(0, step.rows) * states.index_select(0, step.before));
  }
  return states;
}

/// c_t = f_t c_(t-1) + u_t by doubling steps (Hillis and Steele 1986): after the step of distance
/// d, each token has the sum over its last 2d tokens. Logarithmically many kernels on a device.
/// `sign` is 1, or -1 for sums over the tokens that follow; `places`: [N], how many tokens of the
/// sentence are on that side.
Tensor sums_by_doubling(const Tensor& given, const Tensor& factors, const Tensor& places,
                        int64_t longest, int64_t sign) {
  Tensor sums = given, products = factors;
  const int64_t tokens = given.size(0);
  for (int64_t distance = 1; distance < longest; distance *= 2) {
    if (distance >= tokens) break;
    const Tensor inside = places.ge(distance).unsqueeze(1).to(products.scalar_type());
    const int64_t from = sign > 0 ? 0 : distance, to = sign > 0 ? distance : 0;
    const auto moved = [&](const Tensor& x) { return x.narrow(0, from, tokens - distance); };
    const Tensor own = (products * inside).narrow(0, to, tokens - distance);
    Tensor next_sums = sums.clone();
    next_sums.narrow(0, to, tokens - distance).addcmul_(own, moved(sums));
    Tensor next_products = at::zeros_like(products);
    next_products.narrow(0, to, tokens - distance).copy_(own * moved(products));
    sums = next_sums;
    products = next_products;
  }
  return sums;
}

Tensor states_on_device(const Tensor& candidate, const Tensor& forget, const Packing& packing) {
  return sums_by_doubling((1.0 - forget) * candidate, forget, packing.positions(),
                          packing.max_length(), 1);
}

/// d loss / d c_t, including the contributions of later states.
Tensor state_gradients_on_cpu(const Tensor& gradient, const Tensor& forget,
                              const Packing& packing) {
  Tensor all = at::empty_like(gradient);
  const int64_t width = gradient.size(1);
  const float* g = gradient.const_data_ptr<float>();
  const float* f = forget.const_data_ptr<float>();
  float* to = all.mutable_data_ptr<float>();
  for_sentences(packing, width, [&](int64_t first, int64_t last, int64_t column, int64_t count) {
    float later[kColumns] = {};
    for (int64_t row = last - 1; row >= first; --row) {
      const int64_t at = row * width + column;
      for (int64_t d = 0; d < count; ++d) {
        to[at + d] = g[at + d] + later[d];
        later[d] = f[at + d] * to[at + d];
      }
    }
  });
  return all;
}

Tensor state_gradients_by_steps(const Tensor& gradient, const Tensor& forget,
                                const Packing& packing) {
  Tensor all = gradient.clone();
  const std::vector<TimeStep> steps = time_steps(packing, gradient.device());
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!step->before.defined()) continue;
    all.index_add_(0, step->before,
                   forget.index_select(0, step->rows) * all.index_select(0, step->rows));
  }
  return all;
}

/// The gradient of the next state; f_(t+1) times it flows back to c_t.
Tensor state_gradients_on_device(const Tensor& gradient, const Tensor& forget,
                                 const Packing& packing) {
  const Tensor following = packing.length_tensor()
                               .repeat_interleave(packing.length_tensor(), 0, packing.tokens())
                               .sub(packing.positions())
                               .sub(1);  // [N]
  Tensor factors = at::zeros_like(forget);
  const int64_t tokens = forget.size(0);
  factors.narrow(0, 0, tokens - 1).copy_(forget.narrow(0, 1, tokens - 1));
  return sums_by_doubling(gradient, factors, following, packing.max_length(), -1);
}

bool runs_on_cpu(const Tensor& x) { return x.is_cpu() && x.scalar_type() == at::kFloat; }

using Sums = Tensor (*)(const Tensor& given, const Tensor& forget, const Packing& packing);

/// One computation for each place where it can run.
struct SumsByPlace {
  Sums on_cpu, by_steps, on_device;
};
constexpr SumsByPlace kStates = {states_on_cpu, states_by_steps, states_on_device};
constexpr SumsByPlace kStateGradients = {state_gradients_on_cpu, state_gradients_by_steps,
                                         state_gradients_on_device};

Tensor sums_where_they_are(const Packing& packing, const Tensor& given, const Tensor& forget,
                           const SumsByPlace& sums) {
  if (!given.is_cpu()) return sums.on_device(given, forget, packing);
  return runs_on_cpu(given) ? sums.on_cpu(given, forget, packing)
                            : sums.by_steps(given, forget, packing);
}

struct HeldPacking : torch::CustomClassHolder {
  explicit HeldPacking(Packing given) : packing(std::move(given)) {}
  Packing packing;
};

class RecurrentStates : public torch::autograd::Function<RecurrentStates> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& candidate, const Tensor& forget,
                        const Packing& packing) {
    const Tensor states = sums_where_they_are(packing, candidate, forget, kStates);
    context->save_for_backward({candidate, forget, states});
    context->saved_data["packing"] =
        at::IValue::make_capsule(c10::make_intrusive<HeldPacking>(packing));
    return states;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &candidate = saved[0], &forget = saved[1], &states = saved[2];
    const auto held =
        c10::static_intrusive_pointer_cast<HeldPacking>(context->saved_data["packing"].toCapsule());
    const Packing& packing = held->packing;
    const Tensor of_state =
        sums_where_they_are(packing, gradients[0].contiguous(), forget, kStateGradients);
    // c_(t-1): the states a row down, zeros at the start of each sentence.
    Tensor before = at::zeros_like(states);
    before.narrow(0, 1, states.size(0) - 1).copy_(states.narrow(0, 0, states.size(0) - 1));
    before.masked_fill_(packing.positions().eq(0).unsqueeze(1), 0.0);
    return {of_state * (1.0 - forget), of_state * (before - candidate), Tensor()};
  }
};

}  // namespace

Recurrence::Recurrence(int64_t width) {
  input_weight_ =
      register_parameter("input_weight", torch::cat({glorot(width, width), glorot(width, width)}));
  forget_bias_ = register_parameter("forget_bias", torch::zeros({width}));
}

Recurrence::Projected Recurrence::project(const Tensor& x) const {
  const Tensor bias = at::cat({at::zeros_like(forget_bias_), forget_bias_});
  const Tensor projected = linear_layer(x, input_weight_, bias).to(at::kFloat);
  const int64_t width = x.size(1);
  return {projected.narrow(1, 0, width).contiguous(),
          at::sigmoid(projected.narrow(1, width, width))};
}

Tensor Recurrence::forward(const Tensor& x, const Packing& packing) const {
  const Projected now = project(x);
  return at::relu(recurrent_states(now.candidate, now.forget, packing));
}

Tensor Recurrence::step(const Tensor& x, Tensor& states, const StepRows& rows) const {
  const Projected now = project(x);
  const Tensor last = (rows.positions - 1).clamp_min(0).unsqueeze(1);
  const Tensor before = states.index_select(0, rows.slots.gather(1, last).squeeze(1))
                            .masked_fill(rows.positions.eq(0).unsqueeze(1), 0.0);
  const Tensor state = now.forget * before + (1.0 - now.forget) * now.candidate;
  states.index_copy_(0, rows.new_slots, state);
  return at::relu(state).to(x.scalar_type());
}

Tensor recurrent_states(const Tensor& candidate, const Tensor& forget, const Packing& packing) {
  return RecurrentStates::apply(candidate, forget, packing);
}

}  // namespace dietmt::encoders
