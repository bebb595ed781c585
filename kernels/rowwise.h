// Kernels that pass over rows on the CPU, one pass over memory each. Training: dropout + residual +
// layer norm, and softmax cross-entropy with its gradient; results do not depend on the number of
// threads. Inference: fp32, one thread; a row does not depend on the others. Rows are contiguous.
// Chosen at run time for AVX-512, AVX2 or any x86-64.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/bfloat16.h"
#include "kernels/rotate.h"
#include "kernels/row_calls.h"

namespace dietmt::kernels {

/// Label-smoothed cross-entropy (Szegedy et al. 2016): the target distribution is
/// (1 - smoothing) on the target plus smoothing / classes on every class.
/// losses[r] = smoothed loss, target_losses[r] = -log p(target), both in nats. If `gradient`,
/// logits are replaced by d losses[r] / d logits * gradient_scale. A row's weight multiplies its
/// losses and gradient. Computed in fp32 from float or BFloat16.
template <typename Number>
struct CrossEntropy {
  int64_t rows = 0;
  int64_t classes = 0;
  Number* logits = nullptr;          // [rows, classes]
  const int64_t* targets = nullptr;  // [rows]; below 0: the row has no loss and no gradient
  double smoothing = 0.0;
  double gradient_scale = 1.0;
  bool gradient = false;
  double* losses = nullptr;         // [rows]
  double* target_losses = nullptr;  // [rows]
  const float* weights = nullptr;   // [rows] or null: 1
};

/// A step of the recurrence of an SSRU (Kim et al. 2019), for one row of `width`:
/// f = sigmoid(gate), state = f * before + (1 - f) * candidate, residual += max(state, 0).
/// before == nullptr: zeros.
struct SsruStep {
  int64_t width = 0;
  const float* candidate = nullptr;
  const float* gate = nullptr;
  const float* before = nullptr;
  float* state = nullptr;
  float* residual = nullptr;
};

constexpr double kLayerNormEpsilon = 1e-5;

/// A kernel for both types of numbers.
template <template <typename> class Call>
struct ForNumbers {
  void (*fp32)(const Call<float>& call);
  void (*bf16)(const Call<BFloat16>& call);

  void operator()(const Call<float>& call) const { fp32(call); }
  void operator()(const Call<BFloat16>& call) const { bf16(call); }
};

/// The kernels of one instruction set.
struct RowwiseKernels {
  const char* instruction_set;
  /// fp32 or bf16.
  void (*add_norm)(const AddNorm& call);
  void (*add_norm_backward)(const AddNormBackward& call);
  void (*activate)(const Activate& call);
  ForNumbers<CrossEntropy> cross_entropy;
  /// mask[i] = 1 / (1 - p) where element i is kept, else 0 (kernels/dropout.h).
  void (*dropout_mask)(uint64_t key, double p, int64_t size, float* mask);
  /// Mask of attention probabilities [rows, columns].
  void (*probability_dropout_mask)(uint64_t key, double p, int64_t rows, int64_t columns,
                                   float* mask);
  /// fp32 or bf16, at most 64 heads.
  void (*rotate)(const Rotate& call);
  /// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta, row by row (Ba et al. 2016); x may
  /// be y. x, y: [rows, width].
  void (*layer_norm_rows)(int64_t rows, int64_t width, const float* x, const float* gamma,
                          const float* beta, double epsilon, float* y);
  /// y = x / sqrt(mean of squares + epsilon) * gamma, row by row (Zhang and Sennrich 2019); x may
  /// be y. x, y: [rows, width].
  void (*rms_norm_rows)(int64_t rows, int64_t width, const float* x, const float* gamma,
                        double epsilon, float* y);
  /// x *= y, element by element.
  void (*multiply_into)(int64_t size, const float* y, float* x);
  void (*ssru_step)(const SsruStep& call);
  /// The first index from `first` on where row is above `limit`; `count` if there is none.
  int64_t (*next_above)(const float* row, int64_t first, int64_t count, float limit);
  /// sums[v] += exp(row[v] - normalizer): the probabilities of one model of an ensemble.
  void (*add_probabilities)(const float* row, int64_t count, float normalizer, float* sums);
};

/// One table for each instruction set that makes a difference, in the order of
/// instruction_sets() (kernels/cpu/instruction_sets.h).
std::span<const RowwiseKernels* const> row_tables();

/// The best table that runs on this processor, chosen once.
const RowwiseKernels& row_kernels();

}  // namespace dietmt::kernels
