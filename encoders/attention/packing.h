// Sentence boundaries of a packed batch: the tokens of all sentences end to end, without padding.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus/batches.h"

namespace dietmt::encoders {

/// Sentence b owns tokens offsets()[b] .. offsets()[b+1]-1 of [N, ...] tensors.
class Packing {
 public:
  explicit Packing(std::vector<int64_t> lengths, at::Device device = at::kCPU);

  int64_t sentences() const { return static_cast<int64_t>(lengths_.size()); }  // B
  int64_t tokens() const { return offsets_.back(); }                           // N
  int64_t max_length() const { return max_length_; }
  const std::vector<int64_t>& lengths() const { return lengths_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }

  /// Every sentence has max_length() tokens: [N, ...] viewed as [B, T, ...] needs no padding.
  bool uniform() const { return tokens() == sentences() * max_length_; }

  /// [N] int64: the position of each token in its sentence, from 0.
  const at::Tensor& positions() const { return positions_; }

  /// [N] int64: b * max_length() + position, the row of each token in a padded [B * T, ...] tensor.
  const at::Tensor& padded_rows() const { return padded_rows_; }

  /// [N] int64: the segment of each token, such as BERT's first and second sentence. Undefined if
  /// the input has no segments.
  const at::Tensor& segments() const { return segments_; }
  void set_segments(const at::Tensor& segments) { segments_ = segments; }

 private:
  std::vector<int64_t> lengths_;
  std::vector<int64_t> offsets_;
  int64_t max_length_ = 0;
  at::Tensor positions_;
  at::Tensor padded_rows_;
  at::Tensor segments_;
};

/// The boundaries of the sentences of a batch.
Packing packing_of(const data::PackedTokens& packed, at::Device device);

/// The ids, or classes, as an int64 tensor [ids.size()] on `device`.
at::Tensor ids_of(std::span<const int32_t> ids, at::Device device);

}  // namespace dietmt::encoders
