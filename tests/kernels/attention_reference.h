// Attention by its definition, forward and backward, in double or with every tensor rounded to an
// element type like a plain implementation in that type.
#pragma once

#include <vector>

#include "tests/kernels/attention_case.h"

namespace dietmt::kernels {

/// In the order of AttentionCase::results(). `precision` kFloat means double here.
std::vector<NamedValues> attention_reference(const AttentionCase& attention, ElementType precision);

}  // namespace dietmt::kernels
