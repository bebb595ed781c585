#include "tests/kernels/cuda/host_block.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>

namespace dietmt::kernels {
namespace host {

thread_local Block* current_block = nullptr;

void require(bool condition, const char* message) {
  if (condition) return;
  std::fprintf(stderr, "block on the host: %s\n", message);
  std::abort();
}

Block::Block(int threads, uint64_t order, std::function<void()> body, SharedBytes shared,
             boost::context::pooled_fixedsize_stack& stacks)
    : body_(std::move(body)),
      threads_(static_cast<size_t>(threads)),
      warps_(static_cast<size_t>(threads / kWarpThreads)),
      shared_(shared),
      random_(order),
      in_order_(order == 0),
      running_(threads) {
  for (Thread& thread : threads_) {
    thread.fiber =
        boost::context::fiber(std::allocator_arg, stacks, [&](boost::context::fiber&& scheduler) {
          thread.scheduler = std::move(scheduler);
          body_();
          thread.done = true;
          return std::move(thread.scheduler);
        });
  }
}

void Block::run() {
  std::vector<int> everybody(threads_.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  std::vector<int> warps(warps_.size());
  std::iota(warps.begin(), warps.end(), 0);
  while (!done()) {
    current_block = this;
    bool moved = false;
    if (in_order_) {
      moved = resume(everybody);
    } else {
      random_.shuffle(warps);
      for (const int warp : warps) {
        moved = run_warp(warp) || moved;
        moved = run_background(false) || moved;
      }
    }
    if (!moved) moved = run_background(true);
    require(moved, "threads wait for a barrier that others never reach");
  }
  end();
}

void Block::run_some_warp() {
  constexpr int kMostAttempts = 10000;  // far more than a warp that can run waits to be drawn
  current_block = this;
  const bool moved = run_warp(static_cast<int>(random_.below(warps_.size())));
  idle_turns_ = run_background(!moved) || moved ? 0 : idle_turns_ + 1;
  require(idle_turns_ < kMostAttempts, "threads wait for a barrier that others never reach");
  if (done()) end();
  current_block = nullptr;
}

void Block::end() {
  if (background_) background_->finish();
  current_block = nullptr;
}

/// Whether any of the warp's threads got past a barrier or ended.
bool Block::run_warp(int warp) {
  std::vector<int> turn(kWarpThreads);
  std::iota(turn.begin(), turn.end(), warp * kWarpThreads);
  bool moved = false;
  bool again = false;
  do {
    random_.shuffle(turn);
    again = resume(turn);
    moved = moved || again;
  } while (again);
  return moved;
}

/// Resumes these threads once each; whether any got past a barrier or ended.
bool Block::resume(const std::vector<int>& turn) {
  moved_ = false;
  for (const int index : turn) {
    Thread& thread = threads_[static_cast<size_t>(index)];
    if (thread.done) continue;
    current_ = index;
    thread.fiber = std::move(thread.fiber).resume();
    if (thread.done) {
      --running_;
      moved_ = true;
    }
  }
  return moved_;
}

void Block::leave(int index) {
  Thread& self = threads_[static_cast<size_t>(index)];
  self.scheduler = std::move(self.scheduler).resume();
}

void Block::wait(Barrier& barrier, int participants) {
  if (++barrier.arrived == participants) {
    barrier.arrived = 0;
    ++barrier.generation;
    moved_ = true;
    return;
  }
  const unsigned generation = barrier.generation;
  const int index = current_;
  while (barrier.generation == generation) leave(index);
  moved_ = true;
}

void Block::wait_until(const std::function<bool()>& ready) {
  const int index = current_;
  while (!ready()) leave(index);
  moved_ = true;
}

unsigned Block::exchange(const Slot& slot, const detail::MultiplyOperands* operands) {
  const unsigned set = thread().operations++ % 2;
  warp().slots[set][lane()] = slot;
  if (operands != nullptr) warp().operands[set][lane()] = *operands;
  wait(warp().barrier, kWarpThreads);
  const int partner = (lane() + 1) % kWarpThreads;
  require(warp().slots[set][partner].operation == slot.operation,
          "the lanes of a warp run different operations");
  return set;
}

namespace {

constexpr size_t kStackBytes = size_t{256} << 10;

/// A block with its shared memory, which is NaN in every format.
struct RunningBlock {
  template <typename MakeBlock>
  RunningBlock(size_t shared_bytes, const MakeBlock& make_block)
      : shared(static_cast<char*>(std::aligned_alloc(64, (shared_bytes / 64 + 1) * 64)),
               &std::free) {
    std::memset(shared.get(), 0xff, (shared_bytes / 64 + 1) * 64);
    block = make_block(SharedBytes{shared.get(), shared_bytes});
  }

  std::unique_ptr<char, decltype(&std::free)> shared;
  std::unique_ptr<Block> block;
};

/// Runs warps of several blocks in random turns until start() gives no more blocks.
template <typename Start>
void run_in_turns(const Start& start, const HostSchedule& schedule) {
  std::vector<std::unique_ptr<RunningBlock>> running;
  const auto add = [&] {
    if (auto block = start()) running.push_back(std::move(block));
  };
  for (int i = 0; i < schedule.together; ++i) add();
  Random random(schedule.order);
  while (!running.empty()) {
    const auto drawn = running.begin() + static_cast<ptrdiff_t>(random.below(running.size()));
    (*drawn)->block->run_some_warp();
    if (!(*drawn)->block->done()) continue;
    running.erase(drawn);
    add();
  }
}

}  // namespace
}  // namespace host

void run_on_host(BlockIndex grid, size_t shared_bytes, const HostSchedule& schedule,
                 const std::function<void(BlockIndex, char*)>& body, int threads) {
  using namespace host;
  std::vector<BlockIndex> blocks;
  for (int z = 0; z < grid.z; ++z) {
    for (int y = 0; y < grid.y; ++y) {
      for (int x = 0; x < grid.x; ++x) blocks.push_back({x, y, z});
    }
  }
  if (schedule.order != 0) Random(schedule.order).shuffle(blocks);
  const auto workers = static_cast<size_t>(schedule.workers);
  const auto work = [&](size_t worker) {
    boost::context::pooled_fixedsize_stack stacks(kStackBytes);
    size_t next = worker;
    const auto start = [&]() -> std::unique_ptr<RunningBlock> {
      if (next >= blocks.size()) return nullptr;
      const size_t index = std::exchange(next, next + workers);
      const uint64_t order = schedule.order == 0 ? 0 : schedule.order + index;
      return std::make_unique<RunningBlock>(shared_bytes, [&, index, order](SharedBytes shared) {
        return std::make_unique<Block>(
            threads, order, [&, index, shared] { body(blocks[index], shared.start); }, shared,
            stacks);
      });
    };
    if (schedule.together > 1) {
      run_in_turns(start, schedule);
    } else {
      while (const auto running = start()) running->block->run();
    }
  };
  std::vector<std::thread> others;
  for (size_t worker = 1; worker < workers; ++worker) others.emplace_back(work, worker);
  work(0);
  for (std::thread& other : others) other.join();
}

}  // namespace dietmt::kernels
