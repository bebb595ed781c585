#include "encoders/analysis/indicators.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "common/error.h"

namespace dietmt::encoders {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kFloatSpacing = std::numeric_limits<float>::epsilon();

/// Entries differ by no more than rounding does.
bool is_flat(const at::Tensor& a) {
  const double low = a.min().item<double>();
  const double high = a.max().item<double>();
  return high - low <= 8 * kFloatSpacing * std::max(std::abs(low), std::abs(high));
}

double variance_in_diagonals(const at::Tensor& a) {
  const int64_t n = a.size(0);
  double squares = 0;
  for (int64_t offset = 1 - n; offset < n; ++offset) {
    const at::Tensor diagonal = a.diagonal(offset);
    squares += (diagonal - diagonal.mean()).square().sum().item<double>();
  }
  return squares / (a - a.mean()).square().sum().item<double>();
}

/// Pairs x < y of first[0], first[step], ... (count values) with the later value larger.
int64_t rising_pairs(const double* first, int64_t step, int64_t count) {
  int64_t rising = 0;
  for (int64_t x = 0; x < count; ++x)
    for (int64_t y = x + 1; y < count; ++y) rising += first[y * step] > first[x * step];
  return rising;
}

double ordered_pair_ratio(const at::Tensor& a) {
  const int64_t n = a.size(0);
  double sum = 0;
  int64_t entries = 0;
  const auto add_half_row = [&](const double* diagonal, int64_t step, int64_t count) {
    if (count < 2) return;
    const auto pairs = static_cast<double>(count * (count - 1) / 2);
    sum += static_cast<double>(rising_pairs(diagonal, step, count)) / pairs *
           static_cast<double>(count);
    entries += count;
  };
  for (int64_t i = 0; i < n; ++i) {
    const double* diagonal = a.const_data_ptr<double>() + i * n + i;
    add_half_row(diagonal, 1, n - i);
    add_half_row(diagonal, -1, i + 1);
  }
  return entries == 0 ? kUndefined : sum / static_cast<double>(entries);
}

}  // namespace

AttentionIndicators attention_indicators(const at::Tensor& attention, int64_t reach) {
  if (attention.dim() != 2 || attention.size(0) != attention.size(1))
    throw Error("indicators need a square attention matrix");
  const at::Tensor a = attention.detach().to(at::kCPU, at::kDouble).contiguous();
  const int64_t n = a.size(0);
  AttentionIndicators result;
  const bool flat = is_flat(a);
  result.aiv = flat ? kUndefined : variance_in_diagonals(a);
  result.opr = flat ? kUndefined : ordered_pair_ratio(a);
  const auto pairs = static_cast<double>(n * (n - 1) / 2);
  result.sd = (a - a.t()).triu(1).abs().sum().item<double>() / pairs;
  const double before = a.tril(-1).triu(-reach).sum().item<double>();
  const double after = a.triu(1).tril(reach).sum().item<double>();
  result.db = before / after;
  return result;
}

int64_t numeric_rank(const at::Tensor& matrix) {
  const at::Tensor values = at::linalg_svdvals(matrix.detach().to(at::kCPU, at::kDouble));
  const auto size = static_cast<double>(std::max(matrix.size(0), matrix.size(1)));
  const double tolerance = values.max().item<double>() * size * kFloatSpacing;
  return values.gt(tolerance).sum().item<int64_t>();
}

CosineMap cosine_map(const at::Tensor& table) {
  const at::Tensor rows = table.detach().to(at::kCPU, at::kDouble);
  const at::Tensor lengths = rows.norm(2, {1}, /*keepdim=*/true);
  const at::Tensor directions = rows / lengths.clamp_min(std::numeric_limits<double>::min());
  CosineMap map;
  map.cosines = at::matmul(directions, directions.t());
  const int64_t count = rows.size(0);
  const auto pairs = static_cast<double>(count * (count - 1) / 2);
  map.share_alike = map.cosines.triu(1).gt(kAlike).sum().item<double>() / pairs;
  return map;
}

}  // namespace dietmt::encoders
