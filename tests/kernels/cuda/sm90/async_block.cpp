#include "tests/kernels/cuda/sm90/async_block.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace dietmt::kernels::host {
namespace {

constexpr uint64_t kInitialized = 1;
// Dynamic shared memory begins at a multiple of 16 bytes that is not one of 1,024.
constexpr uint32_t kSharedStart = 1040;

struct Descriptor {
  uint32_t start;
  uint32_t leading;
  uint32_t stride;
  Swizzle swizzle;
};

Descriptor decode(uint64_t bits) {
  const auto field = [&](int place) { return static_cast<uint32_t>(bits >> place & 0x3fffU) << 4; };
  require((bits >> 49 & 7U) == 0, "the base offset of a descriptor is not 0");
  const Descriptor descriptor{field(0), field(16), field(32), static_cast<Swizzle>(bits >> 62)};
  const auto pattern = static_cast<uint32_t>(8 * swizzle_bytes(descriptor.swizzle));
  require(descriptor.swizzle == Swizzle::kNone || descriptor.stride % pattern == 0,
          "eight rows of a tile do not begin where the swizzling pattern does");
  return descriptor;
}

/// Where element `index` of a row or column lies, at `depth`, by the canonical layouts of wgmma.
uint32_t place(const Descriptor& tile, int index, int depth, bool depth_major) {
  const auto row = static_cast<uint32_t>(depth_major ? index : depth);
  const auto along = static_cast<uint32_t>(2 * (depth_major ? depth : index));  // bytes in the row
  const auto row_bytes = static_cast<uint32_t>(swizzle_bytes(tile.swizzle));
  const uint32_t in_pattern = row % 8 * row_bytes + along % row_bytes;
  uint32_t eights = tile.stride;
  uint32_t pieces = tile.leading;
  // Without swizzling, tiles whose rows lie along the columns have the two the other way round.
  if (tile.swizzle == Swizzle::kNone && !depth_major) std::swap(eights, pieces);
  require(depth_major && tile.swizzle != Swizzle::kNone ? along < row_bytes : true,
          "a tile is narrower than the depth of a product");
  return swizzled(tile.start + row / 8 * eights + along / row_bytes * pieces + in_pattern,
                  tile.swizzle);
}

float read(const std::vector<char>& shared, uint32_t address, float (*to_float)(uint16_t)) {
  const uint32_t offset = address - kSharedStart;
  require(offset + 2 <= shared.size(), "a product reads beyond shared memory");
  uint16_t bits = 0;
  std::memcpy(&bits, shared.data() + offset, sizeof bits);
  return to_float(bits);
}

std::vector<uint32_t> copy_of(const void* data, size_t count) {
  std::vector<uint32_t> words(count);
  std::memcpy(words.data(), data, count * sizeof(uint32_t));
  return words;
}

}  // namespace

BarrierState read_barrier(const void* barrier) {
  BarrierState state;
  std::memcpy(&state, barrier, sizeof state);
  require(state.mark == kInitialized, "a barrier is not initialized");
  return state;
}

void write_barrier(TransactionBarrier* barrier, const BarrierState& state) {
  std::memcpy(barrier, &state, sizeof state);
}

void count(TransactionBarrier* barrier, int arrivals, int64_t bytes) {
  constexpr int64_t kMostBytes = (1 << 20) - 1;
  BarrierState state = read_barrier(barrier);
  require(state.awaited >= static_cast<uint64_t>(arrivals), "more arrivals than a barrier awaits");
  const int64_t sum = state.bytes + bytes;
  require(sum <= kMostBytes && sum >= -kMostBytes, "more bytes than a barrier can count");
  state.awaited -= static_cast<uint64_t>(arrivals) & 0xfffffU;
  state.bytes = sum;
  if (state.awaited == 0 && sum == 0) {
    state.awaited = state.arrivals;
    state.parity ^= 1U;
  }
  write_barrier(barrier, state);
}

uint32_t swizzled(uint32_t address, Swizzle swizzle) {
  const uint32_t mask = static_cast<uint32_t>(swizzle_bytes(swizzle)) / 16 - 1;
  return address ^ ((address >> 7 & mask) << 4);
}

void WarpMultiplies::begin(int lane, std::initializer_list<Registers> registers) {
  for (const Registers& r : registers) {
    require(!sums_[lane].contains(static_cast<float*>(r.data)),
            "registers of unfinished products are accessed");
    begun_[lane][reinterpret_cast<uintptr_t>(r.data)] =
        copy_of(r.data, static_cast<size_t>(r.count));
  }
}

bool WarpMultiplies::issue(int lane, const Multiply& multiply) {
  const auto check = [&](const void* data, size_t count) {
    const auto address = reinterpret_cast<uintptr_t>(data);
    const auto after = begun_[lane].upper_bound(address);
    const auto found = after == begun_[lane].begin() ? begun_[lane].end() : std::prev(after);
    const bool known = found != begun_[lane].end() &&
                       address + 4 * count <= found->first + 4 * found->second.size();
    require(known, "registers of a product need begin_multiplies()");
    const auto* words = found->second.data() + (address - found->first) / 4;
    require(std::memcmp(words, data, 4 * count) == 0,
            "registers of a product change after begin_multiplies()");
  };
  if (multiply.a != nullptr) check(multiply.a, 4);
  const size_t sums = static_cast<size_t>(multiply.columns) / 2;
  if (!sums_[lane].contains(multiply.d)) {
    check(multiply.d, sums);
    sums_[lane][multiply.d].values.assign(multiply.d, multiply.d + sums);
    std::fill_n(multiply.d, sums, std::numeric_limits<float>::quiet_NaN());
  }
  sums_[lane][multiply.d].last = issued_ + 1;
  if (arrived_ == 0) forming_.shape = multiply;
  const Multiply& first = forming_.shape;
  require(first.a_tile == multiply.a_tile && first.b_tile == multiply.b_tile &&
              first.add == multiply.add && first.columns == multiply.columns,
          "the threads of a warp issue different products");
  forming_.d[lane] = multiply.d;
  forming_.a[lane] = multiply.a;
  if (++arrived_ < kWarpThreads) return false;
  arrived_ = 0;
  queue_.push_back(forming_);
  ++issued_;
  return true;
}

bool WarpMultiplies::commit() {
  if (++committed_lanes_ < kWarpThreads) return false;
  committed_lanes_ = 0;
  commits_.push_back(issued_);
  return true;
}

size_t WarpMultiplies::target(size_t unfinished) const {
  return commits_.size() > unfinished ? commits_[commits_.size() - 1 - unfinished] : 0;
}

void WarpMultiplies::execute(const std::vector<char>& shared, int warp_of_group) {
  const Issued product = queue_.front();
  queue_.pop_front();
  ++executed_;
  const Multiply& shape = product.shape;
  const Descriptor b_tile = decode(shape.b_tile);
  std::vector<float> b(static_cast<size_t>(kDepth * shape.columns));
  for (int k = 0; k < kDepth; ++k) {
    for (int n = 0; n < shape.columns; ++n) {
      b[static_cast<size_t>(n * kDepth + k)] =
          read(shared, place(b_tile, n, k, shape.depth_major), shape.to_float);
    }
  }
  float a[16][kDepth];
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < kDepth; ++k) {
      if (shape.a == nullptr) {
        a[row][k] = read(shared, place(decode(shape.a_tile), 16 * warp_of_group + row, k, true),
                         shape.to_float);
        continue;
      }
      const uint32_t pair = product.a[row % 8 * 4 + k % 8 / 2][row / 8 + 2 * (k / 8)];
      a[row][k] = shape.to_float(static_cast<uint16_t>(pair >> (k % 2 * 16)));
    }
  }
  for (int lane = 0; lane < kWarpThreads; ++lane) {
    std::vector<float>& sums = sums_[lane].at(product.d[lane]).values;
    for (size_t i = 0; i < sums.size(); ++i) {
      const auto e = static_cast<int>(i % 4);
      const int row = lane / 4 + 8 * (e / 2);
      const int column = 8 * static_cast<int>(i / 4) + 2 * (lane % 4) + e % 2;
      float sum = shape.add ? sums[i] : 0.0f;
      for (int k = 0; k < kDepth; ++k) {
        sum += a[row][k] * b[static_cast<size_t>(column * kDepth + k)];
      }
      sums[i] = sum;
    }
  }
}

void WarpMultiplies::deliver(int lane) {
  begun_[lane].clear();
  std::erase_if(sums_[lane], [&](const auto& entry) {
    const auto& [registers, sums] = entry;
    if (sums.last > executed_) return false;
    std::copy(sums.values.begin(), sums.values.end(), registers);
    return true;
  });
}

AsyncBlock::AsyncBlock(Block& block)
    : block_(block),
      view_(block.shared().size, '\xff'),
      warps_(static_cast<size_t>(block.warps())),
      late_(static_cast<size_t>(block.warps())) {}

AsyncBlock& AsyncBlock::current() {
  if (current_block->background() == nullptr) {
    current_block->set_background(std::make_unique<AsyncBlock>(*current_block));
  }
  return static_cast<AsyncBlock&>(*current_block->background());
}

void AsyncBlock::fence() { std::memcpy(view_.data(), block_.shared().start, block_.shared().size); }

void AsyncBlock::delay() {
  if (block_.in_order() || block_.random().below(16) > 0) return;
  ++delayed_;
  block_.wait_until([this, turn = turns_] { return turns_ != turn; });
  --delayed_;
}

void AsyncBlock::load_box(char* to, const TensorLayout& layout, const int (&at)[3],
                          TransactionBarrier* barrier) {
  const auto offset = static_cast<size_t>(reinterpret_cast<char*>(barrier) - block_.shared().start);
  read_barrier(view_.data() + offset);  // initialized, and the copy engine knows
  const uint32_t pattern = static_cast<uint32_t>(8 * swizzle_bytes(layout.swizzle));
  require(shared_address(to) % pattern == 0, "a box begins amid the swizzling pattern");
  const int rows = layout.box[1] * layout.box[2];
  constexpr int kPieces = 3;
  for (int piece = 0; piece < kPieces; ++piece) {
    const int first = rows * piece / kPieces;
    const int last = rows * (piece + 1) / kPieces;
    if (first == last) continue;
    pieces_.push_back({to, layout, {at[0], at[1], at[2]}, first, last - first, barrier});
  }
}

void AsyncBlock::arrive(const Piece& piece) {
  const TensorLayout& layout = piece.layout;
  const auto start = static_cast<uint32_t>(piece.to - block_.shared().start);
  for (int row = piece.first; row < piece.first + piece.rows; ++row) {
    const int64_t y = piece.at[1] + row % layout.box[1];
    const int64_t z = piece.at[2] + row / layout.box[1];
    for (int column = 0; column < layout.box[0]; ++column) {
      const int64_t x = piece.at[0] + column;
      const bool inside = x >= 0 && y >= 0 && z >= 0 && x < layout.sizes[0] &&
                          y < layout.sizes[1] && z < layout.sizes[2];
      uint16_t element = 0;
      if (inside) {
        const auto* from = static_cast<const char*>(layout.data) + 2 * x + y * layout.strides[0] +
                           z * layout.strides[1];
        std::memcpy(&element, from, sizeof element);
      }
      const auto linear = start + static_cast<uint32_t>(2 * (row * layout.box[0] + column));
      const uint32_t place = swizzled(linear + kSharedStart, layout.swizzle) - kSharedStart;
      require(place + 2 <= view_.size(), "a box ends beyond shared memory");
      std::memcpy(block_.shared().start + place, &element, sizeof element);
      std::memcpy(view_.data() + place, &element, sizeof element);
    }
  }
  count(piece.barrier, 0, -int64_t{2} * piece.rows * layout.box[0]);
}

bool AsyncBlock::can_execute(size_t warp) const {
  return warps_[warp].executed() < warps_[warp].issued();
}

void AsyncBlock::execute_next(size_t warp) {
  warps_[warp].execute(view_, static_cast<int>(warp % (kWarpgroupThreads / kWarpThreads)));
}

bool AsyncBlock::work_warp(size_t warp) {
  bool worked = false;
  while (can_execute(warp) && block_.random().below(2) == 0) {
    execute_next(warp);
    worked = true;
  }
  return worked;
}

void AsyncBlock::issued() {
  if (!block_.in_order()) work_warp(static_cast<size_t>(block_.current() / kWarpThreads));
}

void AsyncBlock::committed() {
  const bool late = !block_.in_order() && block_.random().below(2) == 0;
  late_[static_cast<size_t>(block_.current() / kWarpThreads)] = late;
}

bool AsyncBlock::await(size_t target) {
  const auto warp = static_cast<size_t>(block_.current() / kWarpThreads);
  if (!late_[warp]) execute(target);
  return warps_[warp].executed() >= target;
}

void AsyncBlock::execute(size_t target) {
  const auto warp = static_cast<size_t>(block_.current() / kWarpThreads);
  while (warps_[warp].executed() < target) execute_next(warp);
}

bool AsyncBlock::work(bool stuck) {
  ++turns_;
  bool worked = stuck && delayed_ > 0;
  while (!pieces_.empty() && (stuck ? !worked : block_.random().below(2) == 0)) {
    const size_t drawn = block_.in_order() ? 0 : block_.random().below(pieces_.size());
    arrive(pieces_[drawn]);
    pieces_.erase(pieces_.begin() + static_cast<ptrdiff_t>(drawn));
    worked = true;
  }
  if (block_.in_order()) return worked;
  for (size_t warp = 0; warp < warps_.size(); ++warp) {
    worked = work_warp(warp) || worked;
    if (!stuck || worked || !can_execute(warp)) continue;
    execute_next(warp);
    worked = true;
  }
  return worked;
}

void AsyncBlock::finish() {
  require(pieces_.empty(), "a block ends before its copies have arrived");
  constexpr size_t kWarpsOfGroup = kWarpgroupThreads / kWarpThreads;
  for (size_t warp = 0; warp < warps_.size(); ++warp) {
    const WarpMultiplies& own = warps_[warp];
    require(own.executed() == own.issued(), "a block ends before its products are done");
    require(own.issued() == warps_[warp / kWarpsOfGroup * kWarpsOfGroup].issued(),
            "the warps of a warpgroup issue different products");
  }
}

}  // namespace dietmt::kernels::host

namespace dietmt::kernels {

uint32_t shared_address(const void* pointer) {
  const auto* start = host::current_block->shared().start;
  return host::kSharedStart + static_cast<uint32_t>(static_cast<const char*>(pointer) - start);
}

}  // namespace dietmt::kernels
