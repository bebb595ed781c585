#include "encoders/analysis/indicators.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/error.h"
#include "metrics/samples.h"

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

/// OPR of the first 2, 3, ... n entries of the half rows: [n - 1].
std::vector<double> ordered_pair_ratios(const at::Tensor& a) {
  const int64_t n = a.size(0);
  const auto most = static_cast<size_t>(n);
  std::vector<double> sums(most, 0.0);    // by the largest distance in it
  std::vector<int64_t> entries(most, 0);  // the same
  const auto add_half_row = [&](const double* diagonal, int64_t step, int64_t count) {
    int64_t rising = 0;  // pairs whose farther value is larger
    double ratio = 0;
    for (int64_t reach = 1; reach < n; ++reach) {
      for (int64_t x = 0; reach < count && x < reach; ++x)
        rising += diagonal[reach * step] > diagonal[x * step];
      const int64_t length = std::min(reach + 1, count);
      if (length < 2) continue;
      ratio = static_cast<double>(rising) / static_cast<double>(length * (length - 1) / 2);
      sums[static_cast<size_t>(reach)] += ratio * static_cast<double>(length);
      entries[static_cast<size_t>(reach)] += length;
    }
  };
  for (int64_t i = 0; i < n; ++i) {
    const double* diagonal = a.const_data_ptr<double>() + i * n + i;
    add_half_row(diagonal, 1, n - i);
    add_half_row(diagonal, -1, i + 1);
  }
  std::vector<double> ratios;
  for (size_t reach = 1; reach < most; ++reach)
    ratios.push_back(sums[reach] / static_cast<double>(entries[reach]));
  return ratios;
}

/// DB with |i - j| <= 1, 2, ... n - 1.
std::vector<double> directional_balances(const at::Tensor& a) {
  std::vector<double> balances;
  double before = 0, after = 0;
  for (int64_t reach = 1; reach < a.size(0); ++reach) {
    before += a.diagonal(-reach).sum().item<double>();
    after += a.diagonal(reach).sum().item<double>();
    balances.push_back(before / after);
  }
  return balances;
}

}  // namespace

AttentionIndicators attention_indicators(const at::Tensor& attention, int64_t reach) {
  if (attention.dim() != 2 || attention.size(0) != attention.size(1))
    throw Error("indicators need a square attention matrix");
  const at::Tensor a = attention.detach().to(at::kCPU, at::kDouble).contiguous();
  const int64_t n = a.size(0);
  AttentionIndicators result{
      .aiv = kUndefined, .opr = kUndefined, .db = kUndefined, .inner_aiv = kUndefined};
  const auto pairs = static_cast<double>(n * (n - 1) / 2);
  result.sd = (a - a.t()).triu(1).abs().sum().item<double>() / pairs;
  if (n < 2) return result;
  const bool is_defined = !is_flat(a);
  result.opr_by_reach =
      is_defined ? ordered_pair_ratios(a) : std::vector(static_cast<size_t>(n - 1), kUndefined);
  result.opr = result.opr_by_reach.back();
  if (is_defined) result.aiv = variance_in_diagonals(a);
  if (n >= 4) {
    const at::Tensor inner = a.narrow(0, 1, n - 2).narrow(1, 1, n - 2);
    if (!is_flat(inner)) result.inner_aiv = variance_in_diagonals(inner);
  }
  result.db_by_reach = directional_balances(a);
  result.db = result.db_by_reach[static_cast<size_t>(std::min(reach, n - 1)) - 1];
  return result;
}

AttentionIndicators mean_indicators(const std::vector<AttentionIndicators>& all) {
  AttentionIndicators mean;
  for (double AttentionIndicators::*indicator :
       {&AttentionIndicators::aiv, &AttentionIndicators::opr, &AttentionIndicators::sd,
        &AttentionIndicators::db, &AttentionIndicators::inner_aiv}) {
    std::vector<double> values;
    for (const AttentionIndicators& one : all) values.push_back(one.*indicator);
    mean.*indicator = metrics::mean_of_defined(values);
  }
  for (std::vector<double> AttentionIndicators::*curve :
       {&AttentionIndicators::opr_by_reach, &AttentionIndicators::db_by_reach})
    for (size_t k = 0; k < (all.empty() ? 0 : (all.front().*curve).size()); ++k) {
      std::vector<double> values;
      for (const AttentionIndicators& one : all)
        if (k < (one.*curve).size()) values.push_back((one.*curve)[k]);
      (mean.*curve).push_back(metrics::mean_of_defined(values));
    }
  return mean;
}

Spectrum spectrum(const at::Tensor& matrix) {
  const at::Tensor values =
      at::linalg_svdvals(matrix.detach().to(at::kCPU, at::kDouble)).contiguous();
  const auto size = static_cast<double>(std::max(matrix.size(0), matrix.size(1)));
  const double tolerance = values.max().item<double>() * size * kFloatSpacing;
  const auto* first = values.const_data_ptr<double>();
  return {{first, first + values.numel()}, values.gt(tolerance).sum().item<int64_t>()};
}

int64_t numeric_rank(const at::Tensor& matrix) { return spectrum(matrix).rank; }

CosineMap cosine_map(const at::Tensor& table) {
  const at::Tensor rows = table.detach().to(at::kCPU, at::kDouble);
  const at::Tensor lengths = rows.norm(2, {1}, /*keepdim=*/true);
  const at::Tensor directions = rows / lengths.clamp_min(std::numeric_limits<double>::min());
  CosineMap map;
  map.cosines = at::matmul(directions, directions.t());
  map.products = at::matmul(rows, rows.t());
  const int64_t count = rows.size(0);
  const auto pairs = static_cast<double>(count * (count - 1) / 2);
  map.share_alike = map.cosines.triu(1).gt(kAlike).sum().item<double>() / pairs;
  return map;
}

}  // namespace dietmt::encoders
