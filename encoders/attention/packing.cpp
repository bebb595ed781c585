#include "encoders/attention/packing.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "common/error.h"
#include "encoders/device/device.h"
#include "kernels/attention_tiles.h"

namespace dietmt::encoders {
namespace {

using kernels::TileOfSentence;

static_assert(sizeof(TileOfSentence) == sizeof(int64_t));

/// Writes `count` tiles; those after `tiles` have no rows. Returns where they end.
int64_t* write_tiles(std::vector<TileOfSentence> tiles, int64_t count, const PackingSizes& sizes,
                     int64_t* numbers) {
  const auto past_all = static_cast<int32_t>(kernels::tiles_of(sizes.max_length));
  tiles.resize(static_cast<size_t>(count), {0, past_all});
  std::memcpy(numbers, tiles.data(), tiles.size() * sizeof(TileOfSentence));
  return numbers + count;
}

/// [B + 1], from 0.
std::vector<int64_t> offsets_of(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> offsets(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  return offsets;
}

void write_tokens(const std::vector<int64_t>& lengths, int64_t longest, int64_t* position,
                  int64_t* row) {
  for (size_t b = 0; b < lengths.size(); ++b) {
    for (int64_t i = 0; i < lengths[b]; ++i) {
      *position++ = i;
      *row++ = static_cast<int64_t>(b) * longest + i;
    }
  }
}

}  // namespace

/// What with_rows() made last.
struct Packing::KeptRows {
  std::mutex mutex;
  std::optional<Packing> packing;
};

PackingSizes packing_sizes(const std::vector<int64_t>& lengths, at::Device device) {
  PackingSizes sizes{.sentences = std::ssize(lengths)};
  for (const int64_t length : lengths) {
    if (length < 1) throw Error("a packed sentence has " + std::to_string(length) + " tokens");
    sizes.tokens += length;
    sizes.max_length = std::max(sizes.max_length, length);
  }
  if (device.is_cpu()) return sizes;
  for (const int64_t length : lengths) sizes.tiles += kernels::tiles_of(length);
  sizes.packed_tiles = kernels::count_packed_tiles(lengths);
  return sizes;
}

PackingSizes with_most_tiles(PackingSizes sizes) {
  sizes.tiles = kernels::most_single_tiles(sizes.sentences, sizes.tokens, sizes.max_length);
  sizes.packed_tiles = kernels::most_packed_tiles(sizes.sentences, sizes.tokens, sizes.max_length);
  return sizes;
}

void write_packing(const std::vector<int64_t>& lengths, const PackingSizes& sizes,
                   int64_t* numbers) {
  write_tokens(lengths, sizes.max_length, numbers, numbers + sizes.tokens);
  int64_t* const offsets = numbers + 2 * sizes.tokens;
  std::ranges::copy(offsets_of(lengths), offsets);
  int64_t* after = std::ranges::copy(lengths, offsets + sizes.sentences + 1).out;
  if (sizes.tiles == 0) return;
  const std::vector<TileOfSentence> single = kernels::single_tiles(lengths);
  after = write_tiles(single, sizes.tiles, sizes, after);
  if (sizes.packed_tiles == 0) return;
  write_tiles(kernels::packed_tiles(lengths, single), sizes.packed_tiles, sizes, after);
}

namespace {

/// Those of write_packing(), on the device; the copy there is asynchronous.
at::Tensor packing_numbers(const std::vector<int64_t>& lengths, at::Device device) {
  const PackingSizes sizes = packing_sizes(lengths, device);
  const at::Tensor host = staging_tensor(sizes.numbers(), device);
  write_packing(lengths, sizes, host.mutable_data_ptr<int64_t>());
  return host.to(device, /*non_blocking=*/true);
}

}  // namespace

Packing::Packing(std::vector<int64_t> lengths, at::Device device)
    : Packing(lengths, packing_sizes(lengths, device), packing_numbers(lengths, device)) {}

Packing::Packing(std::vector<int64_t> lengths, const PackingSizes& sizes, const at::Tensor& numbers)
    : kept_rows_(std::make_shared<KeptRows>()) {
  const auto made = on(sizes, numbers);
  made->offsets = offsets_of(lengths);
  made->lengths = std::move(lengths);
  boundaries_ = made;
}

Packing::Packing(const PackingSizes& sizes, const at::Tensor& numbers)
    : boundaries_(on(sizes, numbers)), kept_rows_(std::make_shared<KeptRows>()) {}

std::shared_ptr<Packing::Boundaries> Packing::on(const PackingSizes& sizes,
                                                 const at::Tensor& numbers) {
  const auto made = std::make_shared<Boundaries>();
  made->sizes = sizes;
  int64_t begin = 0;
  const auto next = [&](int64_t size) {
    return numbers.narrow(0, std::exchange(begin, begin + size), size);
  };
  made->positions = next(sizes.tokens);
  made->padded_rows = next(sizes.tokens);
  made->offset_tensor = next(sizes.sentences + 1);
  made->length_tensor = next(sizes.sentences);
  if (numbers.is_cpu()) return made;
  made->tiles = next(sizes.tiles);
  made->packed_tiles = next(sizes.packed_tiles);
  return made;
}

const std::vector<int64_t>& Packing::lengths() const {
  offsets();
  return boundaries_->lengths;
}

const std::vector<int64_t>& Packing::offsets() const {
  if (!has_lengths()) throw Error("it needs the lengths of sentences that only the device knows");
  return boundaries_->offsets;
}

kernels::DeviceOffsets Packing::device_offsets() const {
  if (!boundaries_->tiles.defined()) return {};
  return {boundaries_->offset_tensor.const_data_ptr<int64_t>()};
}

kernels::DeviceTilings Packing::device_tiles() const {
  if (!boundaries_->tiles.defined()) return {};
  const auto list_of = [](const at::Tensor& tiles) -> kernels::DeviceTiles {
    return {static_cast<const TileOfSentence*>(tiles.const_data_ptr()), tiles.size(0)};
  };
  return {list_of(boundaries_->tiles), list_of(boundaries_->packed_tiles)};
}

namespace {

/// Those of write_packing() for sentences of max_length tokens each, computed on their device: a
/// copy from the host could not be recorded.
at::Tensor uniform_numbers(const PackingSizes& sizes, const at::TensorOptions& options) {
  const int64_t count = sizes.sentences, length = sizes.max_length;
  std::vector<at::Tensor> parts = {
      at::arange(length, options).repeat(count), at::arange(sizes.tokens, options),
      at::arange(count + 1, options) * length, at::full({count}, length, options)};
  if (sizes.tiles > 0) {
    constexpr int64_t kTile = int64_t{1} << 32;  // where TileOfSentence has the tile
    const at::Tensor tiles = at::arange(kernels::tiles_of(length), options) * kTile;
    parts.push_back((at::arange(count, options).unsqueeze(1) + tiles).flatten());
    const int64_t together = kernels::kDeviceTileRows / length;  // sentences of a tile
    if (together == 0) {
      parts.push_back(parts.back());
    } else {
      const at::Tensor first = at::arange(sizes.packed_tiles, options) * together;
      parts.push_back(first - (count - first).clamp_max(together) * kTile);
    }
  }
  return at::cat(parts);
}

}  // namespace

Packing Packing::with_rows(int64_t rows) const {
  const std::scoped_lock lock(kept_rows_->mutex);
  std::optional<Packing>& kept = kept_rows_->packing;
  if (!kept || kept->max_length() != rows) {
    std::vector<int64_t> equal(static_cast<size_t>(sentences()), rows);
    const PackingSizes equal_sizes = packing_sizes(equal, positions().device());
    kept.emplace(std::move(equal), equal_sizes,
                 uniform_numbers(equal_sizes, positions().options()));
  }
  return *kept;
}

std::vector<int64_t> lengths_of(const data::PackedTokens& packed) {
  std::vector<int64_t> lengths;
  for (size_t b = 0; b + 1 < packed.offsets.size(); ++b)
    lengths.push_back(packed.offsets[b + 1] - packed.offsets[b]);
  return lengths;
}

Packing packing_of(const data::PackedTokens& packed, at::Device device) {
  return Packing(lengths_of(packed), device);
}

at::Tensor ids_of(std::span<const int32_t> ids, at::Device device) {
  const at::Tensor host = staging_tensor(std::ssize(ids), device);
  std::ranges::copy(ids, host.mutable_data_ptr<int64_t>());
  return host.to(device, /*non_blocking=*/true);
}

}  // namespace dietmt::encoders
