// Gradients of the score tables. Each part of the batch sums its own; they are then added up in a
// fixed order, so that results do not depend on the number of threads.
#pragma once

#include <array>

#include "kernels/attention_tables.h"
#include "kernels/cpu/attention/scores.h"

namespace dietmt::kernels::DIETMT_ISA {

/// The place of `table` in kAttentionTables.
constexpr size_t index_of(HeadTable AttentionTables::*table) {
  size_t t = 0;
  while (kAttentionTables[t].table != table) ++t;  // beyond the end: no constant, does not compile
  return t;
}

/// The place of each of kAttentionTables in the block of sums of one head and one part of the
/// batch.
class GradientLayout {
 public:
  /// Place of a table; size 0 if its gradient is not wanted.
  struct Place {
    int64_t start = 0;
    int64_t size = 0;
    Band band = {};  // tables over offsets: those that occur in the batch
    explicit operator bool() const { return size > 0; }
  };

  explicit GradientLayout(const AttentionBackward& call)
      : width_(padded(call.forward.sizes.head_width)) {
    for (size_t t = 0; t < places_.size(); ++t) {
      if ((call.grad_tables.*kAttentionTables[t].table).data == nullptr) continue;
      places_[t] = place(kAttentionTables[t], call.forward);
      size_ += padded(places_[t].size);
    }
  }

  /// The sums of a table have the shape that kAttentionTables gives it, but those over offsets only
  /// their band: an offset bias with its ends repeated, vectors with Dh padded.
  template <HeadTable AttentionTables::*kTable>
  const Place& of() const {
    constexpr size_t kIndex = index_of(kTable);
    return places_[kIndex];
  }

  int64_t size() const { return size_; }  // of the block
  /// Blocks are added in slices, which write to different numbers.
  int64_t slices() const { return std::min<int64_t>((size_ + 511) / 512, 64); }
  /// Adds a slice of the block of one head and part of the batch to the gradients of the call.
  void add_block(const AttentionBackward& call, int64_t head, float* block, int64_t slice) const;

 private:
  Place place(const AttentionTable& table, const AttentionForward& call) const;

  int64_t width_;  // padded Dh
  int64_t size_ = 0;
  std::array<Place, kAttentionTables.size()> places_;
};

inline GradientLayout::Place GradientLayout::place(const AttentionTable& table,
                                                   const AttentionForward& call) const {
  const AttentionSizes& sizes = call.sizes;
  if (!has_offsets(table.rows)) return {size_, numbers_per_head(table, sizes, call.terms)};
  const int64_t clip = call.terms.*table.size;
  // Offsets are j - i; those of rows that keys meet i - j (RelativeVectors::Use).
  const Band band = table.by_key ? Band::of(clip, 0, sizes.max_keys, 0, sizes.max_queries)
                                 : Band::of(clip, 0, sizes.max_queries, 0, sizes.max_keys);
  return {size_, table.rows == TableRows::kOffsets ? band.row_size() : band.width * width_, band};
}

/// to[r, 0:width] += from[r, 0:width] for `rows` rows.
inline void add_rows(const float* from, int64_t from_stride, int64_t rows, int64_t width, float* to,
                     int64_t to_stride) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < width; ++c) to[r * to_stride + c] += from[r * from_stride + c];
}

inline void GradientLayout::add_block(const AttentionBackward& call, int64_t head, float* block,
                                      int64_t slice) const {
  const int64_t head_width = call.forward.sizes.head_width;
  const auto begin_of = [&](int64_t count, int64_t s) { return count * s / slices(); };
  for (size_t t = 0; t < places_.size(); ++t) {
    const AttentionTable& table = kAttentionTables[t];
    const Place& from = places_[t];
    if (!from) continue;
    const HeadTable& to = call.grad_tables.*table.table;
    float* const numbers = to.data + head * to.head_stride;
    const int64_t clip = has_offsets(table.rows) ? call.forward.terms.*table.size : 0;
    if (table.rows == TableRows::kOffsetVectors) {
      const int64_t direction = table.by_key ? -1 : 1;
      const int64_t first = begin_of(from.band.width, slice);
      add_rows(block + from.start + first * width_, width_,
               begin_of(from.band.width, slice + 1) - first, head_width,
               numbers + (clip + direction * (from.band.lowest + first)) * head_width,
               direction * head_width);
    } else if (table.rows == TableRows::kOffsets) {
      if (slice > 0) continue;
      float* const sums = block + from.start + kLanes;
      fold_ends(sums, from.band.width);
      add_rows(sums, 0, 1, from.band.width, numbers + clip + from.band.lowest, 0);
    } else {
      const int64_t first = begin_of(from.size, slice);
      add_rows(block + from.start + first, 0, 1, begin_of(from.size, slice + 1) - first,
               numbers + first, 0);
    }
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
