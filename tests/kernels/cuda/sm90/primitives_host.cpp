#include <cstring>

#include "tests/kernels/cuda/sm90/async_block.h"

namespace dietmt::kernels {

using host::AsyncBlock;
using host::current_block;
using host::require;

namespace {

constexpr char kBegin[] = "begin_multiplies";
constexpr char kMultiply[] = "multiply of a warpgroup";
constexpr char kCommit[] = "commit_multiplies";
constexpr char kWait[] = "wait_multiplies";

/// All lanes of the warp run the same operation.
void meet(const char* operation) { current_block->exchange({operation, 0.0f, nullptr}, nullptr); }

static_assert(sizeof(TensorLayout) <= sizeof(TensorMap));

}  // namespace

TensorMap encode_tensor_map(const TensorLayout& layout) {
  const auto aligned = [](int64_t bytes) { return bytes % 16 == 0; };
  require(reinterpret_cast<uintptr_t>(layout.data) % 16 == 0, "a tensor begins at a bad address");
  require(aligned(layout.strides[0]) && aligned(layout.strides[1]), "a stride of a tensor is bad");
  require(2 * layout.box[0] == swizzle_bytes(layout.swizzle), "a box has the wrong width");
  require(layout.box[1] * layout.box[2] <= 256, "a box has too many rows");
  TensorMap map{};
  std::memcpy(static_cast<void*>(&map), &layout, sizeof layout);
  return map;
}

void init_barrier(TransactionBarrier* barrier, int arrivals) {
  const auto count = static_cast<uint64_t>(arrivals) & 0xfffffU;
  host::write_barrier(barrier,
                      {.parity = 0, .mark = 1, .arrivals = count, .awaited = count, .bytes = 0});
}

void arrive(TransactionBarrier* barrier) { host::count(barrier, 1, 0); }

void arrive_expecting(TransactionBarrier* barrier, int bytes) { host::count(barrier, 1, bytes); }

void wait_barrier(TransactionBarrier* barrier, int parity) {
  current_block->wait_until(
      [&] { return host::read_barrier(barrier).parity != static_cast<uint64_t>(parity); });
  AsyncBlock::current().delay();
}

void load_box(void* to, const TensorMap& map, const int (&at)[3], TransactionBarrier* barrier) {
  TensorLayout layout;
  std::memcpy(static_cast<void*>(&layout), &map, sizeof layout);
  AsyncBlock::current().load_box(static_cast<char*>(to), layout, at, barrier);
}

void fence_async_proxy() { AsyncBlock::current().fence(); }

void sync_warpgroup(int barrier) { current_block->named_barrier(barrier, kWarpgroupThreads); }

void commit_multiplies() {
  AsyncBlock& block = AsyncBlock::current();
  if (block.warp().commit()) block.committed();
  meet(kCommit);
}

namespace host {

void begin(std::initializer_list<Registers> registers) {
  AsyncBlock::current().warp().begin(current_block->lane(), registers);
  meet(kBegin);
}

void issue(const Multiply& multiply) {
  AsyncBlock& block = AsyncBlock::current();
  if (block.warp().issue(current_block->lane(), multiply)) block.issued();
  meet(kMultiply);
}

void wait(int unfinished_groups) {
  meet(kWait);
  AsyncBlock& block = AsyncBlock::current();
  const size_t target = block.warp().target(static_cast<size_t>(unfinished_groups));
  current_block->wait_until([&] { return block.await(target); });
  block.warp().deliver(current_block->lane());
}

void change_registers() {
  constexpr int kHardwareBarriers = 16;
  const int warpgroup = current_block->current() / kWarpgroupThreads;
  current_block->named_barrier(kHardwareBarriers + warpgroup, kWarpgroupThreads);
}

}  // namespace host
}  // namespace dietmt::kernels
