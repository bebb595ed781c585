#include "nmt/batch_decoding/parallel_batches.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

#include "nmt/engine/thread_team.h"

namespace dietmt::nmt {
namespace {

// One ATen thread for the lifetime of this object.
class SingleThreadedKernels {
 public:
  SingleThreadedKernels() { at::set_num_threads(1); }
  ~SingleThreadedKernels() { at::set_num_threads(before_); }
  SingleThreadedKernels(const SingleThreadedKernels&) = delete;
  SingleThreadedKernels& operator=(const SingleThreadedKernels&) = delete;

 private:
  int before_ = at::get_num_threads();
};

}  // namespace

std::vector<std::vector<size_t>> batches_by_length(std::span<const int64_t> lengths,
                                                   int64_t batch_tokens) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<size_t>> batches;
  for (const size_t i : order) {
    const auto joins = [&](const std::vector<size_t>& batch) {
      const int64_t longest = lengths[batch.front()];
      return static_cast<int64_t>(batch.size() + 1) * longest <= batch_tokens;
    };
    if (batches.empty() || !joins(batches.back())) batches.emplace_back();
    batches.back().push_back(i);
  }
  return batches;
}

void for_each_batch(const std::vector<std::vector<size_t>>& batches, int64_t threads,
                    const std::function<void(const std::vector<size_t>&)>& work,
                    const std::function<void(int64_t)>& progress) {
  const int64_t wanted = threads > 0 ? threads : at::get_num_threads();
  const SingleThreadedKernels single_threaded;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  ThreadTeam team(std::min(wanted, std::ssize(batches)));
  team.run([&](int64_t) {
    for (size_t i = next++; i < batches.size(); i = next++) {
      try {
        work(batches[i]);
        const std::lock_guard lock(mutex);
        if (progress) progress(std::ssize(batches[i]));
      } catch (...) {
        next = batches.size();
        throw;
      }
    }
  });
}

}  // namespace dietmt::nmt
