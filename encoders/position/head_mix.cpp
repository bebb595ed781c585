#include "encoders/position/head_mix.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "common/error.h"
#include "encoders/position/term_table.h"

namespace dietmt::encoders {
namespace {

/// [h, 2c+1, ...] -> [h, 2C+1, ...]
at::Tensor repeat_ends(const at::Tensor& table, int64_t entries) {
  const int64_t extra = (entries - table.size(1)) / 2;
  if (extra == 0) return table;
  const int64_t last = table.size(1) - 1;
  const at::Tensor before = table.slice(1, 0, 1).repeat_interleave(extra, 1);
  const at::Tensor after = table.slice(1, last, last + 1).repeat_interleave(extra, 1);
  return at::cat({before, table, after}, 1);
}

/// Contextual positions beyond a part's own are its last one. [h, p, Dh] -> [h, P, Dh]
at::Tensor repeat_last(const at::Tensor& table, int64_t entries) {
  const int64_t extra = entries - table.size(1);
  if (extra == 0) return table;
  return at::cat({table, table.slice(1, -1).repeat_interleave(extra, 1)}, 1);
}

/// A part's table as large in the mixed dimension as the largest among the parts.
at::Tensor enlarged(const at::Tensor& table, const Term& term, int64_t size) {
  switch (term.mix) {
    case MixRule::kSame:
      return table;
    case MixRule::kRepeatEnds:
      return repeat_ends(table, size);
    case MixRule::kRepeatLast:
      return repeat_last(table, size);
    case MixRule::kAppendZeros:  // [h, rows, r] -> [h, rows, R]
      return at::constant_pad_nd(table, {0, size - table.size(2)});
    case MixRule::kExpandRows:  // [h, 1, Dh] -> [h, T, Dh]
      return table.expand({-1, size, -1});
    case MixRule::kRefuse:
      break;
  }
  throw Error("a mix of heads cannot have the term " + std::string(term.name) +
              ": it replaces the keys of all heads");
}

/// Rows [h|1, ...] of `heads`, in their places of `mixed` [H, ...].
at::Tensor place_rows(const at::Tensor& mixed, const at::Tensor& rows,
                      const std::vector<int64_t>& heads) {
  std::vector<int64_t> sizes = rows.sizes().vec();
  sizes[0] = static_cast<int64_t>(heads.size());
  return mixed.index_copy(0, at::tensor(heads, mixed.options().dtype(at::kLong)),
                          rows.expand(sizes));
}

/// Rows [h|1, ...] of heads.
struct OwnedRows {
  const std::vector<int64_t>* heads;
  at::Tensor rows;
};

/// place_rows() of all parts at once, for devices: without an index, which would be copied there.
at::Tensor join_rows(const std::vector<OwnedRows>& parts, int64_t heads, double absent) {
  std::map<int64_t, at::Tensor> runs;  // rows of heads side by side, by the first one
  std::vector<int64_t> sizes = parts.front().rows.sizes().vec();
  for (const OwnedRows& part : parts) {
    const std::vector<int64_t>& owned = *part.heads;
    sizes[0] = std::ssize(owned);
    const at::Tensor rows = part.rows.expand(sizes);
    for (size_t h = 0, end = 0; h < owned.size(); h = end) {
      for (end = h + 1; end < owned.size() && owned[end] == owned[end - 1] + 1;) ++end;
      runs[owned[h]] = rows.narrow(0, static_cast<int64_t>(h), static_cast<int64_t>(end - h));
    }
  }
  std::vector<at::Tensor> joined;
  int64_t next = 0;
  const auto fill_up_to = [&](int64_t head) {
    sizes[0] = head - next;
    if (head > next) joined.push_back(at::full(sizes, absent, parts.front().rows.options()));
  };
  for (const auto& [head, rows] : runs) {
    fill_up_to(head);
    joined.push_back(rows);
    next = head + rows.size(0);
  }
  fill_up_to(heads);
  return at::cat(joined);
}

/// One term of one layer; undefined if no part has it.
at::Tensor mix_term(const std::vector<HeadTerms>& parts, size_t layer, int64_t heads,
                    const Term& term) {
  int64_t largest = -1;
  for (const HeadTerms& part : parts)
    if (const at::Tensor& table = part.layers[layer].*term.table; table.defined())
      largest = std::max(largest, table.size(term.mixed_dim));
  at::Tensor mixed;
  std::vector<OwnedRows> on_device;
  for (const HeadTerms& part : parts) {
    const at::Tensor& table = part.layers[layer].*term.table;
    if (!table.defined()) continue;
    const at::Tensor rows = enlarged(table, term, largest);
    if (!rows.is_cpu()) {
      on_device.push_back({&part.heads, rows});
      continue;
    }
    if (!mixed.defined()) {
      std::vector<int64_t> sizes = rows.sizes().vec();
      sizes[0] = heads;
      mixed = at::full(sizes, term.absent, rows.options());
    }
    mixed = place_rows(mixed, rows, part.heads);
  }
  return on_device.empty() ? mixed : join_rows(on_device, heads, term.absent);
}

bool same_as_before(const std::vector<HeadTerms>& parts, size_t layer, const Term& term) {
  return layer > 0 && std::all_of(parts.begin(), parts.end(), [&](const HeadTerms& part) {
           return (part.layers[layer].*term.table).is_same(part.layers[layer - 1].*term.table);
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
    mixed[l].untied_vectors = mix_values(parts, l, heads, &ScoreTerms::untied_vectors);
    for (const Term& term : kTerms)
      mixed[l].*term.table = same_as_before(parts, l, term) ? mixed[l - 1].*term.table
                                                            : mix_term(parts, l, heads, term);
  }
  return mixed;
}

}  // namespace dietmt::encoders
