// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include "kernels/rowwise.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/rowwise/norm_gradients.h"
#include "kernels/dropout.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

inline float masked(float value, uint64_t key, uint32_t index, uint32_t threshold, float scale) {
  return dropout_keeps(key, index, threshold) ? value * scale : 0.0f;
}

enum class RowNorm { kLayer, kRms };

RowNorm norm_of(const float* beta) { return beta != nullptr ? RowNorm::kLayer : RowNorm::kRms; }

// The normalized sum again, into `row`.
template <RowNorm kNorm>
const float* normalized_row(const AddNormBackward<float>& call, const float* output, float* row) {
#pragma omp simd
  for (int64_t c = 0; c < call.width; ++c) {
    if constexpr (kNorm == RowNorm::kLayer)
      row[c] = (output[c] - call.beta[c]) / call.gamma[c];
    else
      row[c] = output[c] / call.gamma[c];
  }
  return row;
}

// Writes the sum of one row and returns its total.
float add_row(const AddNormForward<float>& call, int64_t r, uint32_t threshold, float scale,
              float* sum) {
  const int64_t width = call.width;
  const float* residual = call.residual + r * width;
  const float* branch = call.branch == nullptr ? nullptr : call.branch + r * width;
  float total = 0.0f;
  if (branch == nullptr) {
    std::copy(residual, residual + width, sum);
  } else if (call.dropout > 0.0) {
    const uint32_t base = static_cast<uint32_t>(r * width);
#pragma omp simd reduction(+ : total)
    for (int64_t c = 0; c < width; ++c) {
      sum[c] = residual[c] + masked(branch[c], call.dropout_key, base + static_cast<uint32_t>(c),
                                    threshold, scale);
      total += sum[c];
    }
  } else {
#pragma omp simd reduction(+ : total)
    for (int64_t c = 0; c < width; ++c) {
      sum[c] = residual[c] + branch[c];
      total += sum[c];
    }
  }
  return total;
}

template <RowNorm kNorm>
void forward(const AddNormForward<float>& call) {
  const int64_t width = call.width;
  const uint32_t threshold = dropout_threshold(call.dropout);
  const float scale = static_cast<float>(1.0 / (1.0 - call.dropout));
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < call.rows; ++r) {
    float* output = call.output + r * width;
    float* sum = call.normalized ? call.normalized + r * width : output;
    const float total = add_row(call, r, threshold, scale, sum);
    const float mean = kNorm == RowNorm::kLayer ? total / static_cast<float>(width) : 0.0f;
    float squares = 0.0f;
#pragma omp simd reduction(+ : squares)
    for (int64_t c = 0; c < width; ++c) {
      if constexpr (kNorm == RowNorm::kLayer) sum[c] -= mean;
      squares += sum[c] * sum[c];
    }
    const float inverse_std =
        1.0f / std::sqrt(squares / static_cast<float>(width) + static_cast<float>(call.epsilon));
    call.inverse_std[r] = inverse_std;
#pragma omp simd
    for (int64_t c = 0; c < width; ++c) {
      sum[c] *= inverse_std;
      if constexpr (kNorm == RowNorm::kLayer)
        output[c] = sum[c] * call.gamma[c] + call.beta[c];
      else
        output[c] = sum[c] * call.gamma[c];
    }
  }
}

// One row of the backward pass; adds to the gradients of gamma and beta.
template <RowNorm kNorm>
void backward_row(const AddNormBackward<float>& call, int64_t r, float* gamma_sum,
                  float* beta_sum) {
  const int64_t width = call.width;
  const float* grad = call.grad_output + r * width;
  float* grad_residual = call.grad_residual + r * width;
  // Stays in the cache until the gradient takes its place.
  const float* normalized =
      call.normalized ? call.normalized + r * width
                      : normalized_row<kNorm>(call, call.output + r * width, grad_residual);
  float mean_grad = 0.0f;
  float mean_product = 0.0f;
#pragma omp simd reduction(+ : mean_grad, mean_product)
  for (int64_t c = 0; c < width; ++c) {
    const float g = grad[c] * call.gamma[c];
    if constexpr (kNorm == RowNorm::kLayer) mean_grad += g;
    mean_product += g * normalized[c];
    gamma_sum[c] += grad[c] * normalized[c];
    beta_sum[c] += grad[c];
  }
  mean_grad /= static_cast<float>(width);
  mean_product /= static_cast<float>(width);
  const float inverse_std = call.inverse_std[r];
#pragma omp simd
  for (int64_t c = 0; c < width; ++c) {
    if constexpr (kNorm == RowNorm::kLayer)
      grad_residual[c] =
          inverse_std * (grad[c] * call.gamma[c] - mean_grad - normalized[c] * mean_product);
    else
      grad_residual[c] = inverse_std * (grad[c] * call.gamma[c] - normalized[c] * mean_product);
  }
}

void drop_branch(const AddNormBackward<float>& call, int64_t r, uint32_t threshold, float scale) {
  const int64_t width = call.width;
  const float* grad_residual = call.grad_residual + r * width;
  float* grad_branch = call.grad_branch + r * width;
  if (call.dropout > 0.0) {
    const uint32_t base = static_cast<uint32_t>(r * width);
#pragma omp simd
    for (int64_t c = 0; c < width; ++c) {
      grad_branch[c] = masked(grad_residual[c], call.dropout_key, base + static_cast<uint32_t>(c),
                              threshold, scale);
    }
  } else {
    std::copy(grad_residual, grad_residual + width, grad_branch);
  }
}

template <RowNorm kNorm>
void backward(const AddNormBackward<float>& call) {
  const uint32_t threshold = dropout_threshold(call.dropout);
  const float scale = static_cast<float>(1.0 / (1.0 - call.dropout));
  add_norm_gradients(call, [&](int64_t r, float* gamma_sum, float* beta_sum) {
    backward_row<kNorm>(call, r, gamma_sum, beta_sum);
    if (call.grad_branch != nullptr) drop_branch(call, r, threshold, scale);
  });
}

}  // namespace

void add_norm_forward(const AddNormForward<float>& call) {
  if (norm_of(call.beta) == RowNorm::kLayer)
    forward<RowNorm::kLayer>(call);
  else
    forward<RowNorm::kRms>(call);
}

void add_norm_backward(const AddNormBackward<float>& call) {
  if (norm_of(call.beta) == RowNorm::kLayer)
    backward<RowNorm::kLayer>(call);
  else
    backward<RowNorm::kRms>(call);
}

void dropout_add(const DropoutAdd<float>& call) {
  const uint32_t threshold = dropout_threshold(call.dropout);
  const float scale = static_cast<float>(1.0 / (1.0 - call.dropout));
  const uint64_t key = call.dropout_key;
  if (call.residual == nullptr) {
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < call.size; ++i)
      call.output[i] = masked(call.branch[i], key, static_cast<uint32_t>(i), threshold, scale);
  } else {
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < call.size; ++i) {
      call.output[i] = call.residual[i] +
                       masked(call.branch[i], key, static_cast<uint32_t>(i), threshold, scale);
    }
  }
}

void dropout_mask(uint64_t key, double p, int64_t size, float* mask) {
  const uint32_t threshold = dropout_threshold(p);
  const float scale = static_cast<float>(1.0 / (1.0 - p));
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < size; ++i)
    mask[i] = masked(1.0f, key, static_cast<uint32_t>(i), threshold, scale);
}

void probability_dropout_mask(uint64_t key, double p, int64_t rows, int64_t columns, float* mask) {
  const uint32_t threshold = dropout_threshold(p);
  const float scale = static_cast<float>(1.0 / (1.0 - p));
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; ++r) {
    const uint32_t start = dropout_row_start(key, static_cast<uint32_t>(r));
    for (int64_t c = 0; c < columns; ++c) {
      const uint32_t place = start + static_cast<uint32_t>(c) * kDropoutStep;
      mask[r * columns + c] = dropout_keeps_at(place, threshold) ? scale : 0.0f;
    }
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
