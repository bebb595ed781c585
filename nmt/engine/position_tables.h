// The position terms of one attention site as plain pointers; encoders/position/score_terms.h
// defines the terms. They are lowered once for sentences of up to 64, 128, 256, ... tokens, when
// the first such sentence comes, and all workers share them. A sentence reads the tables of its own
// length class, so that its numbers do not depend on its neighbours.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/step_attention.h"

namespace dietmt::nmt {

/// Rows by head and position: that of head h and position i starts at h * head_stride +
/// i * row_stride. A stride is 0 if all share one row. Null: absent.
struct PositionRows {
  const float* data = nullptr;
  int64_t head_stride = 0;
  int64_t row_stride = 0;

  const float* at(int64_t head, int64_t row) const {
    return data + head * head_stride + row * row_stride;
  }
};

/// Moves the vectors of queries, or of keys: first shifts, then rotates.
struct VectorMoves {
  PositionRows shift;        // [H|1, T|1, Dh]
  PositionRows cosines;      // [H|1, T, Dh/2]
  PositionRows sines;        // [H|1, T, Dh/2]
  std::vector<bool> halved;  // [H]: pairs are m and m + Dh/2, not 2m and 2m + 1

  explicit operator bool() const { return shift.data != nullptr || cosines.data != nullptr; }
  /// Whether all heads move in the same way.
  bool are_shared() const;
  /// x: [H, Dh], the vectors of the token at `position`.
  void apply(int64_t heads, int64_t head_width, int64_t position, float* x) const;
};

struct LayerPositions {
  kernels::StepTerms step;  // terms of scores and values
  VectorMoves queries;
  VectorMoves keys;
  PositionRows key_compression;    // [H|1, k, longest sentence]
  PositionRows value_compression;  // [H|1, k, longest sentence]
};

/// The terms of all layers for positions 0 .. length - 1.
struct SitePositions {
  int64_t compressed_keys = 0;       // k; 0: no compression
  const float* embedding = nullptr;  // [length, D]: added to the embeddings; null: none
  std::vector<LayerPositions> layers;
  std::vector<std::shared_ptr<const void>> storage;

  /// Keys that a query of a sentence of `length` tokens sees.
  int64_t keys_of(int64_t sentence) const {
    return compressed_keys > 0 ? compressed_keys : sentence;
  }
};

class PositionTables {
 public:
  static constexpr int64_t kShortest = 64;  // tokens of the smallest length class

  /// `lower` makes the tables of positions 0 .. length - 1, with length at most `max_length`.
  using Lower = std::function<std::unique_ptr<SitePositions>(int64_t length)>;
  PositionTables(Lower lower, int64_t max_length);

  int64_t max_length() const { return max_length_; }

  /// The tables of a sentence of `length` tokens, at most max_length(). They live as long as this.
  const SitePositions& of(int64_t length) const;

 private:
  static constexpr size_t kClasses = 32;

  Lower lower_;
  int64_t max_length_;
  mutable std::mutex mutex_;
  mutable std::array<std::unique_ptr<SitePositions>, kClasses> owned_;
  mutable std::array<std::atomic<const SitePositions*>, kClasses> classes_ = {};
};

}  // namespace dietmt::nmt
