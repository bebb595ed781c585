// Batches of sentences of similar length, and threads that work on them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace dietmt::nmt {

/// Groups the indices of sentences by length, longest first, so that the number of sentences times
/// the longest length of a batch stays within `batch_tokens`. A longer sentence gets its own batch.
std::vector<std::vector<size_t>> batches_by_length(std::span<const int64_t> lengths,
                                                   int64_t batch_tokens);

/// Calls `work` for each batch from `threads` threads (0: as many as ATen uses). Each of them
/// computes with one ATen thread: sentences in parallel scale better than small matrix products,
/// and a result cannot depend on how a product is split. `progress` gets the size of each finished
/// batch, from one thread at a time. After an exception no thread starts another batch, and the
/// caller gets the exception. Throws Error if the system cannot start enough threads.
void for_each_batch(const std::vector<std::vector<size_t>>& batches, int64_t threads,
                    const std::function<void(const std::vector<size_t>&)>& work,
                    const std::function<void(int64_t)>& progress);

}  // namespace dietmt::nmt
