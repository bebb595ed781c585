// Attention by its definition, forward and backward, in double or with every tensor rounded to an
// element type as a plain implementation in that type would do.
#pragma once

#include <vector>

#include "tests/kernels/attention_case.h"

namespace dietmt::kernels {

/// In the order of AttentionCase::results(). `precision` kFloat stands for double here.
std::vector<NamedValues> attention_reference(const AttentionCase& attention, ElementType precision);

}  // namespace dietmt::kernels
