// The effect of an encoding as numbers: four indicators of an attention matrix (Wang et al. 2021,
// "On Position Embeddings in BERT"), the numeric rank of a matrix of position scores (Chen et al.
// 2021, "A Simple and Effective Positional Encoding for Transformers") and how alike the rows of a
// table over offsets are.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dietmt::encoders {

/// Indicators of an attention matrix a[i,j], i the query's position. An undefined indicator is NaN:
/// AIV and OPR if all entries are equal up to rounding, DB of one token.
struct AttentionIndicators {
  /// Share of the variance that lies inside the diagonals j - i = const: 0 where attention depends
  /// only on the offset.
  double aiv = 0;
  /// Ordered pair ratio: of the pairs in a half row that starts at the diagonal, the share where
  /// the farther one is larger, averaged by the length of the half rows; 0 where attention falls
  /// with the distance. Half rows of one entry are left out.
  double opr = 0;
  /// Mean of |a_ij - a_ji| over i < j: 0 where both directions are alike.
  double sd = 0;
  /// Sum over i > j divided by the sum over i < j, |i - j| <= reach: above 1 where more goes to
  /// preceding words; infinite for causal attention.
  double db = 0;
  /// OPR of the first k + 1 entries of each half row, and DB with |i - j| <= k, for k = 1 .. n - 1.
  std::vector<double> opr_by_reach = {}, db_by_reach = {};
  /// AIV without the first and the last row and column, where [CLS] and [SEP] stand; undefined for
  /// fewer than 4 tokens.
  double inner_aiv = 0;
};

/// attention: [n, n], computed in double in time n^3. Throws Error unless it is square.
AttentionIndicators attention_indicators(const at::Tensor& attention, int64_t reach = 20);

/// Means of each number; undefined ones of single matrices are left out. By reach: as far as the
/// first one goes.
AttentionIndicators mean_indicators(const std::vector<AttentionIndicators>& all);

/// Singular values, largest first, and how many exceed sigma_max * max(T, S) * 2^-23, the spacing
/// of fp32.
struct Spectrum {
  std::vector<double> values;
  int64_t rank = 0;
};

/// matrix: [T, S].
Spectrum spectrum(const at::Tensor& matrix);

int64_t numeric_rank(const at::Tensor& matrix);

constexpr double kAlike = 0.95;

struct CosineMap {
  at::Tensor cosines;        // [rows, rows] double; a row of zeros has cosine 0 to all
  double share_alike = 0;    // of the pairs of different rows, those with a cosine above kAlike
  at::Tensor products = {};  // [rows, rows] double: dot products
};

/// table: [rows, width].
CosineMap cosine_map(const at::Tensor& table);

}  // namespace dietmt::encoders
