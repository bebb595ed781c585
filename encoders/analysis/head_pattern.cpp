#include "encoders/analysis/head_pattern.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace dietmt::encoders {
namespace {

HeadPattern pattern_of(const HeadShape& shape, bool causal) {
  if (!causal && shape.direction >= kOneSided) return HeadPattern::kPrevious;
  if (!causal && shape.direction <= 1 / kOneSided) return HeadPattern::kNext;
  if (shape.near >= kLocalHead) return HeadPattern::kLocal;
  return shape.near <= 1 / kLocalHead ? HeadPattern::kGlobal : HeadPattern::kBroad;
}

}  // namespace

const char* name_of(HeadPattern pattern) {
  switch (pattern) {
    case HeadPattern::kGlobal:
      return "global";
    case HeadPattern::kLocal:
      return "local";
    case HeadPattern::kPrevious:
      return "previous";
    case HeadPattern::kNext:
      return "next";
    case HeadPattern::kBroad:
      break;
  }
  return "broad";
}

HeadShape head_shape(const at::Tensor& attention, bool causal) {
  const at::Tensor a = attention.detach().to(at::kCPU, at::kDouble);
  const int64_t n = a.size(0);
  const int64_t reach = std::max<int64_t>(1, n / 16);
  at::Tensor uniform = at::ones_like(a);
  if (causal) uniform = uniform.tril();
  uniform = uniform / uniform.sum(1, /*keepdim=*/true);
  const auto nearby = [&](const at::Tensor& x) {
    return x.triu(-reach).tril(reach).sum().item<double>();
  };
  HeadShape shape;
  shape.near = nearby(a) / nearby(uniform);
  shape.direction = a.tril(-1).sum().item<double>() / a.triu(1).sum().item<double>();
  shape.pattern = pattern_of(shape, causal);
  return shape;
}

HeadShape shape_of_scores(const at::Tensor& scores, bool causal) {
  const int64_t others = scores.size(0) - 1;
  at::Tensor inner = scores.detach().narrow(0, 1, others).narrow(1, 1, others).to(at::kDouble);
  if (causal)
    inner = inner.masked_fill(at::ones_like(inner, at::kBool).triu(1),
                              -std::numeric_limits<double>::infinity());
  return head_shape(at::softmax(inner, -1), causal);
}

}  // namespace dietmt::encoders
