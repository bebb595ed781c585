// Sentence boundaries of a packed batch: the tokens of all sentences end to end, without padding.
//
// Everything that a device needs of them is one array of numbers, which travels in one asynchronous
// copy from page-locked memory; any thread may make it. Copies of a packing share its contents.
#pragma once

#include <ATen/core/Tensor.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/corpus/batches.h"
#include "kernels/attention.h"

namespace dietmt::encoders {

/// Sizes of a packing that the host needs to enqueue work on it. Work that is recorded with one
/// packing serves all that have equal sizes.
struct PackingSizes {
  int64_t sentences = 0;     // B
  int64_t tokens = 0;        // N
  int64_t max_length = 0;    // at least that of the longest sentence
  int64_t tiles = 0;         // for the attention kernels of a device, at least those of all
                             // sentences; none on the CPU
  int64_t packed_tiles = 0;  // the same where sentences share tiles; 0: they never do

  auto operator<=>(const PackingSizes&) const = default;

  /// Numbers that write_packing() writes.
  int64_t numbers() const { return 2 * tokens + 2 * sentences + 1 + tiles + packed_tiles; }
};

/// The sizes without padding. Throws Error for a sentence without tokens.
PackingSizes packing_sizes(const std::vector<int64_t>& lengths, at::Device device);

/// With the most tiles that sentences of these sizes can have.
PackingSizes with_most_tiles(PackingSizes sizes);

/// Writes sizes.numbers() numbers: the arrays that a device needs for sentences of these lengths.
void write_packing(const std::vector<int64_t>& lengths, const PackingSizes& sizes,
                   int64_t* numbers);

/// Sentence b owns tokens offsets()[b] .. offsets()[b+1]-1 of [N, ...] tensors.
class Packing {
 public:
  explicit Packing(std::vector<int64_t> lengths, at::Device device = at::kCPU);

  /// `numbers`: those of write_packing(), on the device.
  Packing(std::vector<int64_t> lengths, const PackingSizes& sizes, const at::Tensor& numbers);

  /// A packing without lengths on the host: lengths() and offsets() throw. For work that is
  /// recorded once and replayed on other sentences of these sizes, whose numbers take the place of
  /// these.
  Packing(const PackingSizes& sizes, const at::Tensor& numbers);

  const PackingSizes& sizes() const { return boundaries_->sizes; }
  int64_t sentences() const { return sizes().sentences; }  // B
  int64_t tokens() const { return sizes().tokens; }        // N
  int64_t max_length() const {
    return sizes().max_length;
  }  // at least that of the longest sentence

  /// Throw Error if only the device knows them.
  const std::vector<int64_t>& lengths() const;
  const std::vector<int64_t>& offsets() const;
  bool has_lengths() const { return !boundaries_->offsets.empty(); }

  /// The same sentences, without a look at the device.
  bool is_same(const Packing& other) const {
    return boundaries_ == other.boundaries_ || lengths() == other.lengths();
  }

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
  kernels::DeviceTilings device_tiles() const;

  /// As many sentences, of `rows` rows each, on the same device, which computes all it needs of
  /// them. The last one is kept.
  Packing with_rows(int64_t rows) const;

  /// [N] int64: the segment of each token, such as BERT's first and second sentence. Undefined if
  /// the input has no segments.
  const at::Tensor& segments() const { return segments_; }
  void set_segments(const at::Tensor& segments) { segments_ = segments; }

 private:
  struct Boundaries {
    PackingSizes sizes;
    std::vector<int64_t> lengths;
    std::vector<int64_t> offsets;  // empty: only the device knows lengths and offsets
    at::Tensor positions;
    at::Tensor padded_rows;
    at::Tensor offset_tensor;
    at::Tensor length_tensor;
    at::Tensor tiles;         // [tiles]: kernels::TileOfSentence as int64; undefined on the CPU
    at::Tensor packed_tiles;  // [packed_tiles]
  };
  struct KeptRows;

  static std::shared_ptr<Boundaries> on(const PackingSizes& sizes, const at::Tensor& numbers);

  std::shared_ptr<const Boundaries> boundaries_;
  std::shared_ptr<KeptRows> kept_rows_;
  at::Tensor segments_;
};

/// The lengths of the sentences of a batch.
std::vector<int64_t> lengths_of(const data::PackedTokens& packed);

/// The boundaries of the sentences of a batch.
Packing packing_of(const data::PackedTokens& packed, at::Device device);

/// The ids, or classes, as an int64 tensor [ids.size()] on `device`; the copy to a device is
/// asynchronous.
at::Tensor ids_of(std::span<const int32_t> ids, at::Device device);

}  // namespace dietmt::encoders
