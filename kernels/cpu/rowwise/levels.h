// The row-wise kernels of each instruction set, for tests and for what chooses among them.
#pragma once

#include "kernels/cpu/instruction_sets.h"
#include "kernels/dropout.h"
#include "kernels/rowwise.h"

namespace dietmt::kernels {

struct RowwiseKernels {
  const InstructionSet* set;
  void (*add_norm_forward)(const AddNormForward<float>& call);
  void (*narrow_add_norm_forward)(const AddNormForward<BFloat16>& call);
  void (*add_norm_backward)(const AddNormBackward<float>& call);
  void (*narrow_add_norm_backward)(const AddNormBackward<BFloat16>& call);
  void (*dropout_add)(const DropoutAdd<float>& call);
  void (*narrow_dropout_add)(const DropoutAdd<BFloat16>& call);
  void (*dropout_mask)(uint64_t key, double p, int64_t size, float* mask);
  void (*probability_dropout_mask)(uint64_t key, double p, int64_t rows, int64_t columns,
                                   float* mask);
  void (*cross_entropy)(const CrossEntropy<float>& call);
  void (*narrow_cross_entropy)(const CrossEntropy<BFloat16>& call);
  void (*rotate)(const Rotate& call);
  void (*layer_norm_rows)(int64_t rows, int64_t width, const float* x, const float* gamma,
                          const float* beta, double epsilon, float* y);
  void (*rms_norm_rows)(int64_t rows, int64_t width, const float* x, const float* gamma,
                        double epsilon, float* y);
  void (*multiply_into)(int64_t size, const float* y, float* x);
  void (*ssru_step)(const SsruStep& call);
  int64_t (*next_above)(const float* row, int64_t first, int64_t count, float limit);
  void (*add_probabilities)(const float* row, int64_t count, float normalizer, float* sums);
};

std::span<const RowwiseKernels> rowwise_levels();

}  // namespace dietmt::kernels
