// The asynchronous part of a block on the host: copies of boxes and products of
// warpgroups, and shared memory as they see it.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "kernels/cuda/sm90/tensor_map.h"
#include "tests/kernels/cuda/host_block.h"

namespace dietmt::kernels::host {

/// The contents of a TransactionBarrier: 20 bits of arrivals and 21 bits of bytes, like mbarrier.
struct BarrierState {
  uint64_t parity : 1;
  uint64_t mark : 2;       // kInitialized
  uint64_t arrivals : 20;  // of a phase
  uint64_t awaited : 20;   // arrivals
  int64_t bytes : 21;      // awaited
};
static_assert(sizeof(BarrierState) == sizeof(TransactionBarrier));

BarrierState read_barrier(const void* barrier);
void write_barrier(TransactionBarrier* barrier, const BarrierState& state);
/// Counts an arrival and expected bytes, or bytes that have come (negative).
void count(TransactionBarrier* barrier, int arrivals, int64_t bytes);

/// Where a byte lies whose place would be `address` in shared memory without swizzling.
uint32_t swizzled(uint32_t address, Swizzle swizzle);

/// The products of one warp.
class WarpMultiplies {
 public:
  void begin(int lane, std::initializer_list<Registers> registers);
  /// Called for each lane; whether this one is the last, which issues the product.
  bool issue(int lane, const Multiply& multiply);
  /// Called for each lane; whether this one is the last, which closes the group.
  bool commit();
  size_t issued() const { return issued_; }
  size_t executed() const { return executed_; }
  /// How many products are done when at most `unfinished` groups are not.
  size_t target(size_t unfinished) const;
  /// Runs the next product, on shared memory as copies and products see it.
  void execute(const std::vector<char>& shared, int warp_of_group);
  /// Gives a lane the sums of products that are done.
  void deliver(int lane);

 private:
  struct Issued {
    Multiply shape;  // of lane 0
    float* d[kWarpThreads];
    const uint32_t* a[kWarpThreads];
  };
  struct Sums {
    std::vector<float> values;
    size_t last = 0;  // product that adds to them
  };

  Issued forming_;
  int arrived_ = 0;
  int committed_lanes_ = 0;
  std::deque<Issued> queue_;
  size_t issued_ = 0;
  size_t executed_ = 0;
  std::vector<size_t> commits_;                // products issued at each
  std::map<float*, Sums> sums_[kWarpThreads];  // whose registers are NaN meanwhile
  std::map<uintptr_t, std::vector<uint32_t>> begun_[kWarpThreads];  // by address
};

class AsyncBlock : public Background {
 public:
  explicit AsyncBlock(Block& block);

  /// The state of the running block; made at the first call.
  static AsyncBlock& current();

  void fence();
  /// Lets other warps, and lanes of the same warp, overtake a thread.
  void delay();
  void load_box(char* to, const TensorLayout& layout, const int (&at)[3],
                TransactionBarrier* barrier);
  WarpMultiplies& warp() { return warps_[static_cast<size_t>(block_.current() / kWarpThreads)]; }
  /// Work that the thread's warp has issued runs at once, or later.
  void issued();
  /// Draws whether products of the thread's warp run while others of the block continue.
  void committed();
  /// Whether the products of the thread's warp are done up to `target`.
  bool await(size_t target);

  bool work(bool stuck) override;
  void finish() override;

 private:
  /// Rows of a box that arrive together.
  struct Piece {
    char* to;  // of the box
    TensorLayout layout;
    int at[3];
    int first;
    int rows;
    TransactionBarrier* barrier;
  };
  void arrive(const Piece& piece);
  bool can_execute(size_t warp) const;
  void execute(size_t target);
  bool work_warp(size_t warp);
  void execute_next(size_t warp);

  Block& block_;
  std::vector<char> view_;  // shared memory as copies and products see it
  std::vector<Piece> pieces_;
  std::vector<WarpMultiplies> warps_;
  std::vector<bool> late_;
  size_t turns_ = 0;  // calls of work()
  int delayed_ = 0;   // threads in delay()
};

}  // namespace dietmt::kernels::host
