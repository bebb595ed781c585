// Sentence boundaries of a packed batch: the tokens of all sentences end to end, without padding.
//
// Everything that a device needs of them travels in one asynchronous copy from page-locked memory,
// when the packing is made; any thread may make it. Copies of a packing share its contents.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/corpus/batches.h"
#include "kernels/attention.h"

namespace dietmt::encoders {

/// Sentence b owns tokens offsets()[b] .. offsets()[b+1]-1 of [N, ...] tensors.
class Packing {
 public:
  explicit Packing(std::vector<int64_t> lengths, at::Device device = at::kCPU);

  int64_t sentences() const { return static_cast<int64_t>(lengths().size()); }  // B
  int64_t tokens() const { return offsets().back(); }                           // N
  int64_t max_length() const { return boundaries_->max_length; }
  const std::vector<int64_t>& lengths() const { return boundaries_->lengths; }
  const std::vector<int64_t>& offsets() const { return boundaries_->offsets; }

  /// Every sentence has max_length() tokens: [N, ...] viewed as [B, T, ...] needs no padding.
  bool uniform() const { return tokens() == sentences() * max_length(); }

  /// [N] int64: the position of each token in its sentence, from 0.
  const at::Tensor& positions() const { return boundaries_->positions; }

  /// [N] int64: b * max_length() + position, the row of each token in a padded [B * T, ...] tensor.
  const at::Tensor& padded_rows() const { return boundaries_->padded_rows; }

  /// offsets() and lengths() as int64 tensors on the device, [B + 1] and [B].
  const at::Tensor& offset_tensor() const { return boundaries_->offset_tensor; }
  const at::Tensor& length_tensor() const { return boundaries_->length_tensor; }

  /// For the attention kernels of a device; empty on the CPU.
  kernels::DeviceOffsets device_offsets() const;
  kernels::DeviceTiles device_tiles() const;

  /// As many sentences, of `rows` rows each, on the same device. The last one is kept.
  Packing with_rows(int64_t rows) const;

  /// [N] int64: the segment of each token, such as BERT's first and second sentence. Undefined if
  /// the input has no segments.
  const at::Tensor& segments() const { return segments_; }
  void set_segments(const at::Tensor& segments) { segments_ = segments; }

 private:
  struct Boundaries {
    std::vector<int64_t> lengths;
    std::vector<int64_t> offsets;
    int64_t max_length = 0;
    at::Tensor positions;
    at::Tensor padded_rows;
    at::Tensor offset_tensor;
    at::Tensor length_tensor;
    at::Tensor tiles;  // [tiles]: kernels::TileOfSentence as int64; undefined on the CPU
  };
  struct KeptRows;

  std::shared_ptr<const Boundaries> boundaries_;
  std::shared_ptr<KeptRows> kept_rows_;
  at::Tensor segments_;
};

/// The boundaries of the sentences of a batch.
Packing packing_of(const data::PackedTokens& packed, at::Device device);

/// The ids, or classes, as an int64 tensor [ids.size()] on `device`; the copy to a device is
/// asynchronous.
at::Tensor ids_of(std::span<const int32_t> ids, at::Device device);

}  // namespace dietmt::encoders
