// The kernels of inference of every instruction set, for tests and for what chooses among them.
#pragma once

#include <span>

#include "kernels/packed_linear.h"
#include "kernels/vocabulary.h"

namespace dietmt::kernels {

struct InferenceLevel {
  const char* name;
  bool runs_here;
  PreparedRows (*prepare_rows)(WeightType type, int64_t rows, int64_t inputs, const float* values,
                               int64_t stride, void* storage);
  void (*linear)(const LinearCall& call);
  void (*select_tokens)(const TokenSelection& call);
};

/// Best last; the first runs everywhere.
std::span<const InferenceLevel> inference_levels();

}  // namespace dietmt::kernels
