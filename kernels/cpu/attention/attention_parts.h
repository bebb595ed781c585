// Dropout and threads, for both passes of attention.
#pragma once

#include <omp.h>

#include <memory>

#include "kernels/cpu/attention/scores.h"

namespace dietmt::kernels::DIETMT_ISA {

/// Defined in attention_forward.isa.cpp.
void attention_forward(const AttentionForward& call);

/// Where dropout of a tile's row begins.
inline uint32_t dropout_start(const Scores& scores, int64_t row) {
  const AttentionSizes& sizes = scores.call.sizes;
  const int64_t block = scores.sentence * sizes.heads + scores.head;
  const int64_t query = block * sizes.max_queries + scores.first_query + row;
  return dropout_row_start(sizes.dropout_key, static_cast<uint32_t>(query));
}

/// The workspaces of all threads of a parallel region. They are allocated before it: an exception
/// such as std::bad_alloc that left the region would end the program.
template <typename Work>
class ThreadWork {
 public:
  template <typename... Arguments>
  explicit ThreadWork(const Arguments&... arguments)
      : works_(new std::unique_ptr<Work>[static_cast<unsigned>(omp_get_max_threads())]) {
    for (int thread = 0; thread < omp_get_max_threads(); ++thread)
      works_[static_cast<size_t>(thread)].reset(new Work(arguments...));
  }

  /// That of the calling thread.
  Work& own() { return *works_[static_cast<size_t>(omp_get_thread_num())]; }

 private:
  std::unique_ptr<std::unique_ptr<Work>[]> works_;
};

}  // namespace dietmt::kernels::DIETMT_ISA
