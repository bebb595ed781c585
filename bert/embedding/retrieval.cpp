#include "bert/embedding/retrieval.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>

namespace dietmt::bert {
namespace {

using at::Tensor;

constexpr int64_t kBlock = 4096;  // sentences of a side

// The K nearest of each row: cosines [rows, K], best first, and their indices.
struct Nearest {
  Tensor cosines, indices;

  // `others` [rows, block]: cosines with the rows from `begin` on.
  void add(const Tensor& others, int64_t begin, int64_t neighbors) {
    const Tensor places =
        at::arange(begin, begin + others.size(1), others.options().dtype(at::kLong));
    Tensor all = others, indices_of_all = places.unsqueeze(0).expand_as(others);
    if (cosines.defined()) {
      all = at::cat({cosines, all}, 1);
      indices_of_all = at::cat({indices, indices_of_all}, 1);
    }
    const auto [best, at] = all.topk(std::min(neighbors, all.size(1)), 1);
    cosines = best;
    indices = indices_of_all.gather(1, at);
  }
};

Tensor unit_rows(const Tensor& vectors, at::Device device) {
  const Tensor rows = vectors.to(device);
  return rows / rows.norm(2, 1, true).clamp_min(1e-12);
}

// The nearest targets of all sources, and the nearest sources of all targets.
std::pair<Nearest, Nearest> nearest_both_ways(const Tensor& source, const Tensor& target,
                                              int64_t neighbors) {
  std::vector<Tensor> cosines, indices;
  std::vector<Nearest> of_targets(static_cast<size_t>((target.size(0) + kBlock - 1) / kBlock));
  for (int64_t row = 0; row < source.size(0); row += kBlock) {
    const Tensor rows = source.slice(0, row, row + kBlock);
    Nearest of_rows;
    for (int64_t column = 0; column < target.size(0); column += kBlock) {
      const Tensor block = rows.matmul(target.slice(0, column, column + kBlock).t());
      of_rows.add(block, column, neighbors);
      of_targets[static_cast<size_t>(column / kBlock)].add(block.t(), row, neighbors);
    }
    cosines.push_back(of_rows.cosines);
    indices.push_back(of_rows.indices);
  }
  Nearest sources{at::cat(cosines), at::cat(indices)};
  cosines.clear();
  indices.clear();
  for (const Nearest& part : of_targets) {
    cosines.push_back(part.cosines);
    indices.push_back(part.indices);
  }
  return {sources, {at::cat(cosines), at::cat(indices)}};
}

// The best of the nearest of each row, by margin if `means` of both sides are given.
std::pair<Tensor, Tensor> best_of(const Nearest& nearest, const Tensor& own_means,
                                  const Tensor& other_means) {
  Tensor scores = nearest.cosines;
  if (own_means.defined())
    scores = scores / ((own_means.unsqueeze(1) + other_means.take(nearest.indices)) / 2.0);
  const auto [best, at] = scores.max(1, true);
  return {best.squeeze(1).to(at::kCPU, at::kDouble).contiguous(),
          nearest.indices.gather(1, at).squeeze(1).to(at::kCPU).contiguous()};
}

std::vector<RetrievedPair> one_to_one(std::vector<RetrievedPair> pairs, int64_t sources,
                                      int64_t targets) {
  std::ranges::stable_sort(pairs, std::greater(), &RetrievedPair::score);
  std::vector<bool> source_taken(static_cast<size_t>(sources)),
      target_taken(static_cast<size_t>(targets));
  std::erase_if(pairs, [&](const RetrievedPair& pair) {
    const auto s = static_cast<size_t>(pair.source), t = static_cast<size_t>(pair.target);
    if (source_taken[s] || target_taken[t]) return true;
    source_taken[s] = target_taken[t] = true;
    return false;
  });
  return pairs;
}

}  // namespace

Retrieval retrieve(const Tensor& source, const Tensor& target, const RetrievalOptions& options) {
  const torch::NoGradGuard no_grad;
  const auto [forward, backward] =
      nearest_both_ways(unit_rows(source, options.device), unit_rows(target, options.device),
                        std::max<int64_t>(1, options.neighbors));
  Tensor source_means, target_means;
  if (options.neighbors > 0) {
    source_means = forward.cosines.mean(1);
    target_means = backward.cosines.mean(1);
  }
  const auto [scores, targets] = best_of(forward, source_means, target_means);
  const auto [back_scores, sources] = best_of(backward, target_means, source_means);
  Retrieval found;
  for (int64_t i = 0; i < source.size(0); ++i)
    found.nearest.push_back(
        {i, targets.const_data_ptr<int64_t>()[i], scores.const_data_ptr<double>()[i]});
  found.mutual = found.nearest;
  for (int64_t j = 0; j < target.size(0); ++j)
    found.mutual.push_back(
        {sources.const_data_ptr<int64_t>()[j], j, back_scores.const_data_ptr<double>()[j]});
  found.mutual = one_to_one(std::move(found.mutual), source.size(0), target.size(0));
  return found;
}

}  // namespace dietmt::bert
