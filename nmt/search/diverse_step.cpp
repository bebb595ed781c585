#include "nmt/search/diverse_step.h"

#include <algorithm>

namespace dietmt::nmt {

DiverseStep::DiverseStep(const SearchOptions& options, const SpecialTokens& special)
    : end_(special.end),
      group_beam_(static_cast<size_t>(options.group_beam())),
      strength_(options.diversity_strength),
      chosen_(static_cast<size_t>(options.diverse_groups)) {}

std::span<const std::vector<Candidate>> DiverseStep::choose(const Beam& beam) {
  tokens_.clear();
  size_t row = 0;  // the first of the next group
  auto next = offers_.begin();
  for (size_t g = 0; g < chosen_.size(); ++g) {
    row += beam.group_size(g);
    const auto end = std::find_if(next, offers_.end(), [&](const Candidate& one) {
      return static_cast<size_t>(one.beam) >= row;
    });
    choose_group({next, end}, chosen_[g]);
    next = end;
  }
  offers_.clear();
  return chosen_;
}

// As in beam search: of the best candidates, one per place, those that end are done, and the best
// open ones continue.
void DiverseStep::choose_group(std::span<const Candidate> offers, std::vector<Candidate>& chosen) {
  ranked_.clear();
  for (const Candidate& one : offers) ranked_.push_back({one.sum - penalty(one.token), one});
  std::ranges::sort(ranked_, [](const Ranked& a, const Ranked& b) {
    return a.value != b.value ? a.value > b.value : a.candidate.before(b.candidate);
  });
  chosen.clear();
  for (size_t rank = 0; rank < std::min(group_beam_, ranked_.size()); ++rank)
    if (ranked_[rank].candidate.token == end_) chosen.push_back(ranked_[rank].candidate);
  const auto ended = std::ssize(chosen);
  const size_t most = chosen.size() + group_beam_;
  for (size_t rank = 0; rank < ranked_.size() && chosen.size() < most; ++rank)
    if (ranked_[rank].candidate.token != end_) chosen.push_back(ranked_[rank].candidate);
  std::sort(chosen.begin(), chosen.begin() + ended, kBestFirst);
  std::sort(chosen.begin() + ended, chosen.end(), kBestFirst);
  for (auto open = chosen.begin() + ended; open != chosen.end(); ++open)
    tokens_.push_back(open->token);
  std::ranges::sort(tokens_);
}

double DiverseStep::penalty(int32_t token) const {
  if (token == end_) return 0.0;
  return strength_ * static_cast<double>(std::ranges::equal_range(tokens_, token).size());
}

}  // namespace dietmt::nmt
