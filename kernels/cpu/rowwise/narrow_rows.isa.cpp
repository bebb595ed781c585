// Norms and dropout of bf16 rows. Compiled once for each instruction set, in namespace
// dietmt::kernels::DIETMT_ISA.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/buffer.h"
#include "kernels/cpu/rowwise/norm_gradients.h"
#include "kernels/cpu/vector.h"
#include "kernels/rowwise.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

Vector dropped(Vector x, double p, const DropoutLanes& lanes, int64_t index) {
  return p == 0.0 ? x : x * lanes.factors(static_cast<uint32_t>(index));
}

// `sum`: [width padded to whole vectors], for the sums of the row.
void forward_row(const AddNormForward<BFloat16>& call, int64_t r, const DropoutLanes& lanes,
                 float* sum) {
  const int64_t begin = r * call.width;
  const auto width = static_cast<float>(call.width);
  Vector total{};
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    Vector x = load(call.residual + begin + c, count);
    if (call.branch != nullptr)
      x += dropped(load(call.branch + begin + c, count), call.dropout, lanes, begin + c);
    store(sum + c, x);
    total += x;  // zeros behind the end
  });
  const float mean = call.beta != nullptr ? sum_of(total) / width : 0.0f;
  Vector squares{};
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    const Vector centred = first_lanes(load(sum + c) - mean, count, 0.0f);
    squares += centred * centred;
  });
  const float inverse_std =
      1.0f / std::sqrt(sum_of(squares) / width + static_cast<float>(call.epsilon));
  call.inverse_std[r] = inverse_std;
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    const Vector x = (load(sum + c) - mean) * inverse_std;
    if (call.normalized != nullptr) store(call.normalized + begin + c, x, count);
    Vector y = x * load(call.gamma + c, count);
    if (call.beta != nullptr) y += load(call.beta + c, count);
    store(call.output + begin + c, y, count);
  });
}

// Adds to the gradients of gamma and, if there is one, beta.
void backward_row(const AddNormBackward<BFloat16>& call, int64_t r, const DropoutLanes& lanes,
                  float* gamma_sum, float* beta_sum) {
  const int64_t begin = r * call.width;
  const BFloat16* const grad = call.grad_output + begin;
  const BFloat16* const normalized = call.normalized + begin;
  Vector grads{}, products{};
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    const Vector g = load(grad + c, count), x = load(normalized + c, count);
    const Vector scaled = g * load(call.gamma + c, count);
    grads += scaled;
    products += scaled * x;
    store(gamma_sum + c, load(gamma_sum + c, count) + g * x, count);
    store(beta_sum + c, load(beta_sum + c, count) + g, count);
  });
  const auto width = static_cast<float>(call.width);
  const float mean_grad = call.beta != nullptr ? sum_of(grads) / width : 0.0f;
  const float mean_product = sum_of(products) / width;
  const float inverse_std = call.inverse_std[r];
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    const Vector scaled = load(grad + c, count) * load(call.gamma + c, count);
    const Vector of_sum =
        inverse_std * (scaled - mean_grad - load(normalized + c, count) * mean_product);
    store(call.grad_residual + begin + c, of_sum, count);
    if (call.grad_branch != nullptr)
      store(call.grad_branch + begin + c, dropped(of_sum, call.dropout, lanes, begin + c), count);
  });
}

}  // namespace

void add_norm_forward(const AddNormForward<BFloat16>& call) {
  const DropoutLanes lanes = dropout_lanes(call.dropout, call.dropout_key);
  ThreadBuffers sums(padded(call.width));
#pragma omp parallel
  {
    float* const sum = sums.own();
#pragma omp for schedule(static)
    for (int64_t r = 0; r < call.rows; ++r) forward_row(call, r, lanes, sum);
  }
}

void add_norm_backward(const AddNormBackward<BFloat16>& call) {
  const DropoutLanes lanes = dropout_lanes(call.dropout, call.dropout_key);
  add_norm_gradients(call, [&](int64_t r, float* gamma_sum, float* beta_sum) {
    backward_row(call, r, lanes, gamma_sum, beta_sum);
  });
}

void dropout_add(const DropoutAdd<BFloat16>& call) {
  const DropoutLanes lanes = dropout_lanes(call.dropout, call.dropout_key);
  const int64_t vectors = (call.size + kLanes - 1) / kLanes;
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < vectors; ++v) {
    const int64_t i = v * kLanes, count = std::min(kLanes, call.size - i);
    Vector x = dropped(load(call.branch + i, count), call.dropout, lanes, i);
    if (call.residual != nullptr) x += load(call.residual + i, count);
    store(call.output + i, x, count);
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
