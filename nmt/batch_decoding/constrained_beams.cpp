#include "nmt/batch_decoding/constrained_beams.h"

#include <ATen/ATen.h>

#include "nmt/batch_decoding/candidates.h"

namespace dietmt::nmt {

ConstrainedBeams::ConstrainedBeams(std::span<const SearchTask> tasks, const SpecialTokens& special,
                                   const SearchOptions& options)
    : special_(special), beam_(options.beam), steps_(tasks.size()) {
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].constraints) continue;
    steps_[i].emplace(*tasks[i].constraints, special, options.beam);
    any_ = true;
  }
}

void ConstrainedBeams::read_wanted(const at::Tensor& log_probs, std::span<const Beam* const> beams,
                                   std::span<const size_t> tasks, int64_t step) {
  struct Wanted {
    size_t sentence, row;
    int32_t token;
  };
  std::vector<Wanted> all;
  std::vector<int64_t> rows, tokens;
  for (size_t b = 0; b < beams.size(); ++b) {
    const auto& constrained = steps_[tasks[b]];
    if (!constrained || beams[b]->task().forced_token(step, special_) >= 0) continue;
    for (size_t k = 0; k < beams[b]->size(); ++k) {
      for (const int32_t token : constrained->wanted(k)) {
        all.push_back({b, k, token});
        rows.push_back(static_cast<int64_t>(b) * beam_ + static_cast<int64_t>(k));
        tokens.push_back(token);
      }
    }
  }
  if (all.empty()) return;
  const at::Tensor found =
      log_probs.index({index_of(rows, log_probs), index_of(tokens, log_probs)}).cpu();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& [sentence, row, token] = all[i];
    const float log_prob = found.data_ptr<float>()[i];
    steps_[tasks[sentence]]->offer_wanted(
        {beams[sentence]->sums()[row] + log_prob, log_prob, static_cast<int32_t>(row), token});
  }
}

void ConstrainedBeams::choose(const at::Tensor& log_probs, std::span<const Beam* const> beams,
                              std::span<const size_t> tasks,
                              std::vector<std::vector<Candidate>>& candidates) {
  std::vector<int64_t> rows;
  std::vector<double> sums;
  for (size_t b = 0; b < beams.size(); ++b) {
    if (!steps_[tasks[b]]) continue;
    for (size_t k = 0; k < beams[b]->size(); ++k) {
      rows.push_back(static_cast<int64_t>(b) * beam_ + static_cast<int64_t>(k));
      sums.push_back(beams[b]->sums()[k]);
    }
  }
  if (rows.empty()) return;
  const auto best = best_candidates(log_probs.index_select(0, index_of(rows, log_probs)), sums,
                                    std::ssize(rows), 2 * beam_);
  auto of_row = best.begin();
  for (size_t b = 0; b < beams.size(); ++b) {
    auto& constrained = steps_[tasks[b]];
    if (!constrained) continue;
    for (size_t k = 0; k < beams[b]->size(); ++k, ++of_row) {
      for (Candidate candidate : *of_row) {
        candidate.beam = static_cast<int32_t>(k);
        constrained->offer(candidate);
      }
    }
    candidates[b] = constrained->choose();
  }
}

}  // namespace dietmt::nmt
