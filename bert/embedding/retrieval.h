// Translations among two sets of sentences by the vectors of an encoder: Tatoeba and BUCC in XTREME
// (Hu et al. 2020). The score of x and y is their cosine, or with K neighbors the margin of Artetxe
// and Schwenk (2019):
//
//   cos(x, y) / (mean of cos(x, its K nearest y) / 2 + mean of cos(y, its K nearest x) / 2)
//
// The vectors are compared in blocks: memory grows with the sentences, not with their pairs.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dietmt::bert {

struct RetrievalOptions {
  int64_t neighbors = 0;  // K of the margin; 0: cosine
  at::Device device = at::kCPU;
};

struct RetrievedPair {
  int64_t source = 0;  // rows
  int64_t target = 0;
  double score = 0.0;
};

struct Retrieval {
  /// The best target of each source, in their order.
  std::vector<RetrievedPair> nearest;
  /// The best partners of all sources and targets, best first; each row is in one pair at most.
  std::vector<RetrievedPair> mutual;
};

/// source: [N, D], target: [M, D], fp32 on the CPU, with at least one row each. With a margin only
/// the K nearest are candidates.
Retrieval retrieve(const at::Tensor& source, const at::Tensor& target,
                   const RetrievalOptions& options);

}  // namespace dietmt::bert
