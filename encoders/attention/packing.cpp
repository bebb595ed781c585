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

namespace dietmt::encoders {
namespace {

using kernels::TileOfSentence;

static_assert(sizeof(TileOfSentence) == sizeof(int64_t));

/// Of the longest sentences first, so that the last blocks of a kernel are short ones.
std::vector<TileOfSentence> tiles_of(const std::vector<int64_t>& lengths) {
  std::vector<int32_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
    return lengths[static_cast<size_t>(a)] > lengths[static_cast<size_t>(b)];
  });
  std::vector<TileOfSentence> tiles;
  for (const int32_t b : order) {
    const int64_t length = lengths[static_cast<size_t>(b)];
    for (int32_t tile = 0; tile * kernels::kDeviceTileRows < length; ++tile)
      tiles.push_back({b, tile});
  }
  return tiles;
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

Packing::Packing(std::vector<int64_t> lengths, at::Device device)
    : kept_rows_(std::make_shared<KeptRows>()) {
  const auto made = std::make_shared<Boundaries>();
  made->lengths = std::move(lengths);
  made->offsets.reserve(made->lengths.size() + 1);
  made->offsets.push_back(0);
  for (const int64_t length : made->lengths) {
    if (length < 1) throw Error("a packed sentence has " + std::to_string(length) + " tokens");
    made->offsets.push_back(made->offsets.back() + length);
    made->max_length = std::max(made->max_length, length);
  }

  const int64_t tokens = made->offsets.back(), count = std::ssize(made->lengths);
  const std::vector<TileOfSentence> tiles =
      device.is_cpu() ? std::vector<TileOfSentence>() : tiles_of(made->lengths);
  const at::Tensor host = staging_tensor(2 * tokens + 2 * count + 1 + std::ssize(tiles), device);
  auto* const numbers = host.mutable_data_ptr<int64_t>();
  write_tokens(made->lengths, made->max_length, numbers, numbers + tokens);
  int64_t* const offsets = std::ranges::copy(made->offsets, numbers + 2 * tokens).out;
  int64_t* const after = std::ranges::copy(made->lengths, offsets).out;
  if (!tiles.empty()) std::memcpy(after, tiles.data(), tiles.size() * sizeof(TileOfSentence));

  const at::Tensor all = host.to(device, /*non_blocking=*/true);
  made->positions = all.narrow(0, 0, tokens);
  made->padded_rows = all.narrow(0, tokens, tokens);
  made->offset_tensor = all.narrow(0, 2 * tokens, count + 1);
  made->length_tensor = all.narrow(0, 2 * tokens + count + 1, count);
  if (!device.is_cpu()) made->tiles = all.narrow(0, 2 * tokens + 2 * count + 1, std::ssize(tiles));
  boundaries_ = made;
}

kernels::DeviceOffsets Packing::device_offsets() const {
  if (!boundaries_->tiles.defined()) return {};
  return {boundaries_->offset_tensor.const_data_ptr<int64_t>()};
}

kernels::DeviceTiles Packing::device_tiles() const {
  if (!boundaries_->tiles.defined()) return {};
  return {static_cast<const TileOfSentence*>(boundaries_->tiles.const_data_ptr()),
          boundaries_->tiles.size(0)};
}

Packing Packing::with_rows(int64_t rows) const {
  const std::scoped_lock lock(kept_rows_->mutex);
  std::optional<Packing>& kept = kept_rows_->packing;
  if (!kept || kept->max_length() != rows)
    kept.emplace(std::vector<int64_t>(lengths().size(), rows), positions().device());
  return *kept;
}

Packing packing_of(const data::PackedTokens& packed, at::Device device) {
  std::vector<int64_t> lengths;
  for (size_t b = 0; b + 1 < packed.offsets.size(); ++b)
    lengths.push_back(packed.offsets[b + 1] - packed.offsets[b]);
  return Packing(std::move(lengths), device);
}

at::Tensor ids_of(std::span<const int32_t> ids, at::Device device) {
  const at::Tensor host = staging_tensor(std::ssize(ids), device);
  std::ranges::copy(ids, host.mutable_data_ptr<int64_t>());
  return host.to(device, /*non_blocking=*/true);
}

}  // namespace dietmt::encoders
