#include "encoders/position/head_mix.h"

#include <torch/torch.h>

#include <algorithm>

namespace dietmt::encoders {
namespace {

using Field = at::Tensor ScoreTerms::*;

/// [h, 2c+1, ...] -> [h, 2C+1, ...]
at::Tensor repeat_ends(const at::Tensor& table, int64_t entries) {
  const int64_t extra = (entries - table.size(1)) / 2;
  if (extra == 0) return table;
  const int64_t last = table.size(1) - 1;
  const at::Tensor before = table.slice(1, 0, 1).repeat_interleave(extra, 1);
  const at::Tensor behind = table.slice(1, last, last + 1).repeat_interleave(extra, 1);
  return at::cat({before, table, behind}, 1);
}

/// Features of different rank agree after zeros are appended. [h, rows, r] -> [h, rows, R]
at::Tensor append_zeros(const at::Tensor& features, int64_t rank) {
  return at::constant_pad_nd(features, {0, rank - features.size(2)});
}

/// Rows [h|1, ...] of `heads`, in their places of [H, ...]; zeros elsewhere.
at::Tensor place_rows(const at::Tensor& rows, const std::vector<int64_t>& heads, int64_t all) {
  std::vector<int64_t> sizes = rows.sizes().vec();
  sizes[0] = static_cast<int64_t>(heads.size());
  const at::Tensor expanded = rows.expand(sizes);
  sizes[0] = all;
  return rows.new_zeros(sizes).index_copy(0, at::tensor(heads, rows.options().dtype(at::kLong)),
                                          expanded);
}

/// One term of all parts; `fit` brings a part's table to the largest size of dimension `dim`.
template <typename Fit>
at::Tensor mix_term(const std::vector<HeadTerms>& parts, int64_t heads, Field field, int64_t dim,
                    Fit fit) {
  int64_t largest = 0;
  for (const HeadTerms& part : parts)
    if ((part.terms.*field).defined()) largest = std::max(largest, (part.terms.*field).size(dim));
  at::Tensor sum;
  for (const HeadTerms& part : parts) {
    if (!(part.terms.*field).defined()) continue;
    const at::Tensor rows = place_rows(fit(part.terms.*field, largest), part.heads, heads);
    sum = sum.defined() ? sum + rows : rows;
  }
  return sum;
}

std::vector<double> mix_scales(const std::vector<HeadTerms>& parts, int64_t heads) {
  std::vector<double> scales(static_cast<size_t>(heads));
  for (const HeadTerms& part : parts) {
    for (size_t h = 0; h < part.heads.size(); ++h) {
      const std::vector<double>& own = part.terms.content_scale;
      scales[static_cast<size_t>(part.heads[h])] = own[std::min(h, own.size() - 1)];
    }
  }
  return scales;
}

}  // namespace

ScoreTerms mix_heads(const std::vector<HeadTerms>& parts, int64_t heads) {
  const auto as_it_is = [](const at::Tensor& table, int64_t) { return table; };
  ScoreTerms mixed;
  mixed.content_scale = mix_scales(parts, heads);
  for (const Field field : {&ScoreTerms::position_bias, &ScoreTerms::segment_bias})
    mixed.*field = mix_term(parts, heads, field, 1, as_it_is);
  for (const Field field : {&ScoreTerms::query_features, &ScoreTerms::key_features})
    mixed.*field = mix_term(parts, heads, field, 2, append_zeros);
  for (const Field field : {&ScoreTerms::offset_bias, &ScoreTerms::relative_keys,
                            &ScoreTerms::relative_queries, &ScoreTerms::relative_values})
    mixed.*field = mix_term(parts, heads, field, 1, repeat_ends);
  return mixed;
}

}  // namespace dietmt::encoders
