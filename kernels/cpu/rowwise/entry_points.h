// Functions that the sources of this folder define for the table of kernels, in its types.
#pragma once

#include <type_traits>

#include "kernels/cpu/vector.h"
#include "kernels/rowwise.h"

namespace dietmt::kernels::DIETMT_ISA {

inline DropoutLanes dropout_lanes(const DropoutCall& call) {
  return dropout_lanes(call.p, call.p > 0.0 ? call.key.value() : 0);
}

void cross_entropy(const CrossEntropy<float>& call);
void cross_entropy(const CrossEntropy<BFloat16>& call);

#define DIETMT_ENTRY_POINT(name) std::remove_pointer_t<decltype(RowwiseKernels::name)> name
DIETMT_ENTRY_POINT(activate);
DIETMT_ENTRY_POINT(dropout_mask);
DIETMT_ENTRY_POINT(probability_dropout_mask);
DIETMT_ENTRY_POINT(rotate);
DIETMT_ENTRY_POINT(layer_norm_rows);
DIETMT_ENTRY_POINT(rms_norm_rows);
DIETMT_ENTRY_POINT(multiply_into);
DIETMT_ENTRY_POINT(ssru_step);
DIETMT_ENTRY_POINT(next_above);
DIETMT_ENTRY_POINT(add_probabilities);
#undef DIETMT_ENTRY_POINT

}  // namespace dietmt::kernels::DIETMT_ISA
