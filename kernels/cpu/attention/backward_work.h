// How the backward pass of attention is dealt out to threads, the same for all instruction sets.
#pragma once

#include <cstdint>

namespace dietmt::kernels {

struct BackwardWork {
  int64_t sentences = 0;
  int64_t heads = 0;
  int64_t head_width = 0;
  int64_t queries = 0;  // of all sentences
  int64_t block = 0;    // numbers of one head in the gradients of the tables
};

/// Parts of the batch; a unit of work is one head of one part. The parts follow from sizes only, so
/// that sums have the same order for any number of threads. Each unit sums the gradients of the
/// tables in its own block. All blocks together have at most 2^20 numbers, or as many as the
/// gradients of queries and keys, or one block for each head, whichever is the most.
int64_t parts_of_batch(const BackwardWork& work);

}  // namespace dietmt::kernels
