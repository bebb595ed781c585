#include "encoders/position/head_mix.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

namespace dietmt::encoders {
namespace {

using Field = at::Tensor ScoreTerms::*;

/// Brings a part's table to the largest size of dimension `dim` among the parts.
struct FieldRule {
  Field field;
  int64_t dim;
  at::Tensor (*fit)(const at::Tensor& table, int64_t size);
  double absent = 0.0;  // the value of heads without the term
};

at::Tensor same(const at::Tensor& table, int64_t) { return table; }

/// [h, 2c+1, ...] -> [h, 2C+1, ...]
at::Tensor repeat_ends(const at::Tensor& table, int64_t entries) {
  const int64_t extra = (entries - table.size(1)) / 2;
  if (extra == 0) return table;
  const int64_t last = table.size(1) - 1;
  const at::Tensor before = table.slice(1, 0, 1).repeat_interleave(extra, 1);
  const at::Tensor behind = table.slice(1, last, last + 1).repeat_interleave(extra, 1);
  return at::cat({before, table, behind}, 1);
}

/// Contextual positions beyond a part's own are its last one. [h, p, Dh] -> [h, P, Dh]
at::Tensor repeat_last(const at::Tensor& table, int64_t entries) {
  const int64_t extra = entries - table.size(1);
  if (extra == 0) return table;
  return at::cat({table, table.slice(1, -1).repeat_interleave(extra, 1)}, 1);
}

/// Features of different rank agree after zeros are appended. [h, rows, r] -> [h, rows, R]
at::Tensor append_zeros(const at::Tensor& features, int64_t rank) {
  return at::constant_pad_nd(features, {0, rank - features.size(2)});
}

/// [h, 1, Dh] -> [h, T, Dh]
at::Tensor expand_rows(const at::Tensor& shift, int64_t rows) {
  return shift.expand({-1, rows, -1});
}

const std::array<FieldRule, 15> kRules = {{
    {&ScoreTerms::position_bias, 1, same},
    {&ScoreTerms::query_features, 2, append_zeros},
    {&ScoreTerms::key_features, 2, append_zeros},
    {&ScoreTerms::offset_bias, 1, repeat_ends},
    {&ScoreTerms::relative_keys, 1, repeat_ends},
    {&ScoreTerms::relative_queries, 1, repeat_ends},
    {&ScoreTerms::relative_values, 1, repeat_ends},
    {&ScoreTerms::segment_bias, 1, same},
    {&ScoreTerms::contextual, 1, repeat_last},
    {&ScoreTerms::query_shift, 1, expand_rows},
    {&ScoreTerms::key_shift, 1, expand_rows},
    {&ScoreTerms::query_cosines, 1, same, 1.0},
    {&ScoreTerms::query_sines, 1, same},
    {&ScoreTerms::key_cosines, 1, same, 1.0},
    {&ScoreTerms::key_sines, 1, same},
}};

/// Rows [h|1, ...] of `heads`, in their places of `mixed` [H, ...].
at::Tensor place_rows(const at::Tensor& mixed, const at::Tensor& rows,
                      const std::vector<int64_t>& heads) {
  std::vector<int64_t> sizes = rows.sizes().vec();
  sizes[0] = static_cast<int64_t>(heads.size());
  return mixed.index_copy(0, at::tensor(heads, mixed.options().dtype(at::kLong)),
                          rows.expand(sizes));
}

/// One term of one layer; undefined if no part has it.
at::Tensor mix_term(const std::vector<HeadTerms>& parts, size_t layer, int64_t heads,
                    const FieldRule& rule) {
  int64_t largest = -1;
  for (const HeadTerms& part : parts)
    if (const at::Tensor& table = part.layers[layer].*rule.field; table.defined())
      largest = std::max(largest, table.size(rule.dim));
  at::Tensor mixed;
  for (const HeadTerms& part : parts) {
    const at::Tensor& table = part.layers[layer].*rule.field;
    if (!table.defined()) continue;
    const at::Tensor rows = rule.fit(table, largest);
    if (!mixed.defined()) {
      std::vector<int64_t> sizes = rows.sizes().vec();
      sizes[0] = heads;
      mixed = at::full(sizes, rule.absent, rows.options());
    }
    mixed = place_rows(mixed, rows, part.heads);
  }
  return mixed;
}

bool same_as_before(const std::vector<HeadTerms>& parts, size_t layer, Field field) {
  return layer > 0 && std::all_of(parts.begin(), parts.end(), [&](const HeadTerms& part) {
           return (part.layers[layer].*field).is_same(part.layers[layer - 1].*field);
         });
}

/// One value a head, of parts that have one or one a head.
template <typename T>
std::vector<T> mix_values(const std::vector<HeadTerms>& parts, size_t layer, int64_t heads,
                          std::vector<T> ScoreTerms::*field) {
  std::vector<T> mixed(static_cast<size_t>(heads));
  for (const HeadTerms& part : parts) {
    const std::vector<T>& own = part.layers[layer].*field;
    for (size_t h = 0; h < part.heads.size(); ++h)
      mixed[static_cast<size_t>(part.heads[h])] = own[std::min(h, own.size() - 1)];
  }
  return mixed;
}

}  // namespace

std::vector<ScoreTerms> mix_heads(const std::vector<HeadTerms>& parts, int64_t heads) {
  std::vector<ScoreTerms> mixed(parts.front().layers.size());
  for (size_t l = 0; l < mixed.size(); ++l) {
    mixed[l].content_scale = mix_values(parts, l, heads, &ScoreTerms::content_scale);
    mixed[l].pairing = mix_values(parts, l, heads, &ScoreTerms::pairing);
    for (const FieldRule& rule : kRules)
      mixed[l].*rule.field = same_as_before(parts, l, rule.field) ? mixed[l - 1].*rule.field
                                                                  : mix_term(parts, l, heads, rule);
  }
  return mixed;
}

}  // namespace dietmt::encoders
