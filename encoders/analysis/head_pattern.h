// Five patterns of heads, as Ke et al. 2021 see them in TUPE's positions (figure 5), told apart by
// two numbers.
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::encoders {

enum class HeadPattern {
  kGlobal,    // attends globally and ignores local positions
  kLocal,     // attends locally
  kBroad,     // attends broadly
  kPrevious,  // attends to previous positions
  kNext,      // attends to next positions
};

/// "global", "local", "broad", "previous" or "next".
const char* name_of(HeadPattern pattern);

struct HeadShape {
  /// Attention to keys with |j - i| <= r, relative to uniform attention; r = max(1, n / 16).
  double near = 1;
  /// Attention to previous keys relative to that to next ones; infinite for causal attention.
  double direction = 1;
  HeadPattern pattern = HeadPattern::kBroad;
};

constexpr double kOneSided = 2.0;   // direction from here on, or below the inverse
constexpr double kLocalHead = 1.5;  // near from here on, or below the inverse

/// attention: [n, n], whose rows sum to 1. The pattern is previous or next if attention is
/// one-sided, unless it is causal; else local, global or broad by `near`.
HeadShape head_shape(const at::Tensor& attention, bool causal);

/// The shape of the attention that `scores` [n, n] give without words. Position 0, which often
/// holds a special token, is left out.
HeadShape shape_of_scores(const at::Tensor& scores, bool causal);

}  // namespace dietmt::encoders
