#include <atomic>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "common/random.h"
#include "kernels/cuda/primitives.h"

namespace dietmt::kernels {
namespace {

namespace context = boost::context;

constexpr size_t kStackBytes = size_t{256} << 10;

void require(bool condition, const char* message) {
  if (condition) return;
  std::fprintf(stderr, "block on the host: %s\n", message);
  std::abort();
}

struct AsyncCopy {
  void* to;
  const void* from;
  size_t bytes;
  bool valid;
};

struct Thread {
  context::fiber fiber;      // to resume the thread
  context::fiber scheduler;  // to leave it, while it runs
  bool done = false;
  std::deque<std::vector<AsyncCopy>> groups;  // committed and unfinished
  std::vector<AsyncCopy> open_group;
  unsigned operations = 0;  // of the warp, whose slots alternate
};

struct Barrier {
  int arrived = 0;
  unsigned generation = 0;
};

// One lane's operand of a warp operation; two sets, for a lane may be one operation ahead.
struct Slot {
  const char* operation = nullptr;
  float value = 0.0f;
  const void* address = nullptr;
};

struct Warp {
  Barrier barrier;
  Slot slots[2][kWarpThreads];
  detail::MultiplyOperands operands[2][kWarpThreads];
};

class Block;
thread_local Block* current_block = nullptr;

class Block {
 public:
  /// `order` as in HostSchedule.
  Block(int threads, uint64_t order, std::function<void()> body,
        context::pooled_fixedsize_stack& stacks)
      : body_(std::move(body)),
        threads_(static_cast<size_t>(threads)),
        warps_(static_cast<size_t>(threads / kWarpThreads)),
        random_(order),
        in_order_(order == 0),
        running_(threads) {
    for (Thread& thread : threads_) {
      thread.fiber = context::fiber(std::allocator_arg, stacks, [&](context::fiber&& scheduler) {
        thread.scheduler = std::move(scheduler);
        body_();
        thread.done = true;
        return std::move(thread.scheduler);
      });
    }
  }

  /// Without an order all threads take turns. With one, a warp drawn at random runs until it waits
  /// for the others, which lets warps drift as far apart as barriers allow.
  void run() {
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
        for (const int warp : warps) moved = run_warp(warp) || moved;
      }
      require_progress(moved);
    }
    current_block = nullptr;
  }

  /// Runs one warp, drawn at random, until it waits for the others.
  void run_some_warp() {
    constexpr int kMostAttempts = 10000;  // far more than a warp that can run waits to be drawn
    current_block = this;
    idle_turns_ = run_warp(static_cast<int>(random_.below(warps_.size()))) ? 0 : idle_turns_ + 1;
    require_progress(idle_turns_ < kMostAttempts);
    current_block = nullptr;
  }

  bool done() const { return running_ == 0; }

  /// Whether an asynchronous copy arrives at once; otherwise it does when it is waited for.
  bool copies_early() { return !in_order_ && random_.below(2) == 0; }

  int current() const { return current_; }
  Thread& thread() { return threads_[static_cast<size_t>(current_)]; }
  Warp& warp() { return warps_[static_cast<size_t>(current_ / kWarpThreads)]; }
  int lane() const { return current_ % kWarpThreads; }
  void block_barrier() { wait(block_, static_cast<int>(threads_.size())); }

  /// The operands of all lanes, once each has given its own.
  unsigned exchange(const Slot& slot, const detail::MultiplyOperands* operands) {
    const unsigned set = thread().operations++ % 2;
    warp().slots[set][lane()] = slot;
    if (operands != nullptr) warp().operands[set][lane()] = *operands;
    wait(warp().barrier, kWarpThreads);
    const int partner = (lane() + 1) % kWarpThreads;
    require(warp().slots[set][partner].operation == slot.operation,
            "the lanes of a warp run different operations");
    return set;
  }

 private:
  static void require_progress(bool progress) {
    require(progress, "threads wait for a barrier that others never reach");
  }

  /// Whether any of the warp's threads got past a barrier or ended.
  bool run_warp(int warp) {
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
  bool resume(const std::vector<int>& turn) {
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

  void wait(Barrier& barrier, int participants) {
    if (++barrier.arrived == participants) {
      barrier.arrived = 0;
      ++barrier.generation;
      moved_ = true;
      return;
    }
    const unsigned generation = barrier.generation;
    const int index = current_;
    while (barrier.generation == generation) {
      Thread& self = threads_[static_cast<size_t>(index)];
      self.scheduler = std::move(self.scheduler).resume();
    }
  }

  std::function<void()> body_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  Barrier block_;
  Random random_;
  bool in_order_;
  int current_ = 0;
  int running_;
  int idle_turns_ = 0;
  bool moved_ = false;
};

constexpr char kShuffle[] = "shuffle";
constexpr char kLoad[] = "load";
constexpr char kMultiply[] = "multiply";
constexpr char kSync[] = "sync";

uint16_t matrix_element(const Slot* lanes, int matrix, int row, int column) {
  uint16_t value = 0;
  const auto* start = static_cast<const char*>(lanes[matrix * 8 + row].address);
  std::memcpy(&value, start + 2 * column, sizeof value);
  return value;
}

template <typename RowColumn>
void gather_matrices(uint32_t (&r)[4], const void* row, const RowColumn& element) {
  require(reinterpret_cast<uintptr_t>(row) % 16 == 0, "ldmatrix of a misaligned row");
  const unsigned set = current_block->exchange({kLoad, 0.0f, row}, nullptr);
  const Slot* lanes = current_block->warp().slots[set];
  for (int matrix = 0; matrix < 4; ++matrix) {
    r[matrix] = uint32_t{element(lanes, matrix, 0)} | (uint32_t{element(lanes, matrix, 1)} << 16);
  }
}

void finish(const AsyncCopy& copy) {
  if (copy.valid) {
    std::memcpy(copy.to, copy.from, copy.bytes);
  } else {
    std::memset(copy.to, 0, copy.bytes);
  }
}

void start_copy(const AsyncCopy& copy) {
  require(reinterpret_cast<uintptr_t>(copy.to) % copy.bytes == 0,
          "cp.async to a misaligned address");
  require(!copy.valid || reinterpret_cast<uintptr_t>(copy.from) % copy.bytes == 0,
          "cp.async from a misaligned address");
  if (current_block->copies_early()) {
    finish(copy);
  } else {
    current_block->thread().open_group.push_back(copy);
  }
}

/// A block with its shared memory, which is NaN in every format.
struct RunningBlock {
  template <typename MakeBlock>
  RunningBlock(size_t shared_bytes, const MakeBlock& make_block)
      : shared(static_cast<char*>(std::aligned_alloc(64, (shared_bytes / 64 + 1) * 64)),
               &std::free) {
    std::memset(shared.get(), 0xff, (shared_bytes / 64 + 1) * 64);
    block = make_block(shared.get());
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

void run_on_host(BlockIndex grid, size_t shared_bytes, const HostSchedule& schedule,
                 const std::function<void(BlockIndex, char*)>& body, int threads) {
  std::vector<BlockIndex> blocks;
  for (int z = 0; z < grid.z; ++z) {
    for (int y = 0; y < grid.y; ++y) {
      for (int x = 0; x < grid.x; ++x) blocks.push_back({x, y, z});
    }
  }
  if (schedule.order != 0) Random(schedule.order).shuffle(blocks);
  const auto workers = static_cast<size_t>(schedule.workers);
  const auto work = [&](size_t worker) {
    context::pooled_fixedsize_stack stacks(kStackBytes);
    size_t next = worker;
    const auto start = [&]() -> std::unique_ptr<RunningBlock> {
      if (next >= blocks.size()) return nullptr;
      const size_t index = std::exchange(next, next + workers);
      const uint64_t order = schedule.order == 0 ? 0 : schedule.order + index;
      return std::make_unique<RunningBlock>(shared_bytes, [&, index, order](char* shared) {
        return std::make_unique<Block>(
            threads, order, [&, index, shared] { body(blocks[index], shared); }, stacks);
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

int thread_index() { return current_block->current(); }

void sync_block() { current_block->block_barrier(); }

void sync_warp() { current_block->exchange({kSync, 0.0f, nullptr}, nullptr); }

float shuffle_xor(float value, int mask) {
  const unsigned set = current_block->exchange({kShuffle, value, nullptr}, nullptr);
  return current_block->warp().slots[set][current_block->lane() ^ mask].value;
}

void load_matrices(uint32_t (&r)[4], const void* row) {
  gather_matrices(r, row, [](const Slot* lanes, int matrix, int half) {
    const int lane = current_block->lane();
    return matrix_element(lanes, matrix, lane / 4, 2 * (lane % 4) + half);
  });
}

void load_matrices_transposed(uint32_t (&r)[4], const void* row) {
  gather_matrices(r, row, [](const Slot* lanes, int matrix, int half) {
    const int lane = current_block->lane();
    return matrix_element(lanes, matrix, 2 * (lane % 4) + half, lane / 4);
  });
}

const detail::MultiplyOperands* detail::exchange_operands(const MultiplyOperands& own) {
  const unsigned set = current_block->exchange({kMultiply, 0.0f, nullptr}, &own);
  return current_block->warp().operands[set];
}

Words load_words(const void* from) {
  require(reinterpret_cast<uintptr_t>(from) % 16 == 0, "16 bytes from a misaligned address");
  Words words;
  std::memcpy(&words, from, sizeof words);
  return words;
}

Words load_written(const void* from) { return load_words(from); }

void store_words(void* to, const Words& words) {
  require(reinterpret_cast<uintptr_t>(to) % 16 == 0, "16 bytes to a misaligned address");
  std::memcpy(to, &words, sizeof words);
}

uint32_t take_ticket(uint32_t* ticket, uint32_t last) {
  const std::atomic_ref<uint32_t> shared(*ticket);
  uint32_t taken = shared.load();
  while (!shared.compare_exchange_weak(taken, taken >= last ? 0 : taken + 1)) {
  }
  return taken;
}

void copy_async(void* to, const void* from, bool valid) { start_copy({to, from, 16, valid}); }

void copy_word_async(void* to, const void* from, bool valid) { start_copy({to, from, 4, valid}); }

void commit_copies() {
  Thread& thread = current_block->thread();
  thread.groups.push_back(std::exchange(thread.open_group, {}));
}

void wait_for_copies(size_t unfinished) {
  auto& groups = current_block->thread().groups;
  for (; groups.size() > unfinished; groups.pop_front()) {
    for (const AsyncCopy& copy : groups.front()) finish(copy);
  }
}

}  // namespace dietmt::kernels
