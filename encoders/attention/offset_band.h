// Applies tables over clipped offsets to score matrices without a tensor of [T, S, Dh].
//
// A table has one entry for each offset -C .. C. Query i and key j meet at the offset j - i,
// so row i reads the entries of a window that moves one step to the left per row. Three moves are
// enough for every relative encoding:
//   band    the entries of a table that occur at all;
//   spread  [.., T, band] -> [.., T, S]: entry of each pair's offset, both ends repeated;
//   gather  [.., T, S] -> [.., T, band]: sums over the pairs of one offset (the adjoint of spread).
// The moves are views, concatenations and paddings, so autograd differentiates them cheaply. The
// underlying identity is the relative shift of Huang et al. 2018 ("Music Transformer").
#pragma once

#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

class OffsetBand {
 public:
  /// For tables of `entries` = 2C + 1 offsets.
  OffsetBand(const Extent& extent, int64_t entries);

  /// The occurring entries of a table [.., 2C+1] (dim -1) or [.., 2C+1, Dh] (dim -2).
  at::Tensor band(const at::Tensor& table, int64_t dim) const;

  /// [.., T, band] -> [.., T, S].
  at::Tensor spread(const at::Tensor& by_offset) const;

  /// [.., S, band] -> [.., T, S], where rows are keys instead of queries.
  at::Tensor spread_keys(const at::Tensor& by_offset) const;

  /// [.., T, S] -> [.., T, band].
  at::Tensor gather(const at::Tensor& pairs) const;

 private:
  /// [.., band] -> [.., T + S - 1], one column for each offset from lowest to highest.
  at::Tensor widen(const at::Tensor& by_offset) const;

  int64_t queries_;
  int64_t keys_;
  int64_t left_;   // offsets below the band's first, all clipped to it
  int64_t first_;  // the band's first table entry
  int64_t width_;
  int64_t right_;  // offsets beyond the band's last, all clipped to it
};

}  // namespace dietmt::encoders
