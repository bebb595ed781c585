// The block that runs on the host: its threads are fibres, which it resumes in turns. The
// primitives (primitives_host.cpp, sm90/primitives_host.cpp) call it through current_block.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "common/random.h"
#include "kernels/cuda/primitives.h"

namespace dietmt::kernels::host {

/// Ends the program with `message` if a kernel does something that a GPU does not allow.
void require(bool condition, const char* message);

struct AsyncCopy {
  void* to;
  const void* from;
  size_t bytes;
  bool valid;
};

struct Thread {
  boost::context::fiber fiber;      // to resume the thread
  boost::context::fiber scheduler;  // to leave it, while it runs
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

struct SharedBytes {
  char* start = nullptr;
  size_t size = 0;
};

/// Work of a block other than its threads, such as copies of a copy engine.
class Background {
 public:
  virtual ~Background() = default;
  /// Does some of it, drawn at random; at least a part if the threads are `stuck`. Whether it did
  /// any.
  virtual bool work(bool stuck) = 0;
  /// Called when the threads are done; ends the program if work is left that a thread had to await.
  virtual void finish() = 0;
};

class Block {
 public:
  /// `order` as in HostSchedule.
  Block(int threads, uint64_t order, std::function<void()> body, SharedBytes shared,
        boost::context::pooled_fixedsize_stack& stacks);

  /// Without an order all threads take turns. With one, a warp drawn at random runs until it waits
  /// for the others, which lets warps drift as far apart as barriers allow.
  void run();

  /// Runs one warp, drawn at random, until it waits for the others.
  void run_some_warp();

  bool done() const { return running_ == 0; }

  /// Whether an asynchronous copy arrives at once; otherwise it does when it is waited for.
  bool copies_early() { return !in_order_ && random_.below(2) == 0; }

  int current() const { return current_; }
  Thread& thread() { return threads_[static_cast<size_t>(current_)]; }
  Warp& warp() { return warps_[static_cast<size_t>(current_ / kWarpThreads)]; }
  int lane() const { return current_ % kWarpThreads; }
  int warps() const { return static_cast<int>(warps_.size()); }
  SharedBytes shared() const { return shared_; }
  bool in_order() const { return in_order_; }
  Random& random() { return random_; }
  void block_barrier() { wait(block_, static_cast<int>(threads_.size())); }

  /// A barrier of `participants` threads that has a number.
  void named_barrier(int number, int participants) { wait(named_[number], participants); }

  /// Lets other threads run until `ready`.
  void wait_until(const std::function<bool()>& ready);

  /// The operands of all lanes, once each has given its own.
  unsigned exchange(const Slot& slot, const detail::MultiplyOperands* operands);

  /// Null until one is set.
  Background* background() const { return background_.get(); }
  void set_background(std::unique_ptr<Background> background) {
    background_ = std::move(background);
  }

 private:
  bool run_background(bool stuck) { return background_ && background_->work(stuck); }
  void end();
  bool run_warp(int warp);
  bool resume(const std::vector<int>& turn);
  void leave(int index);
  void wait(Barrier& barrier, int participants);

  std::function<void()> body_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  SharedBytes shared_;
  std::unique_ptr<Background> background_;
  Barrier block_;
  std::map<int, Barrier> named_;
  Random random_;
  bool in_order_;
  int current_ = 0;
  int running_;
  int idle_turns_ = 0;
  bool moved_ = false;
};

/// The block that the calling system thread runs.
extern thread_local Block* current_block;

}  // namespace dietmt::kernels::host
