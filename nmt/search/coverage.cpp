#include "nmt/search/coverage.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dietmt::nmt {

double coverage(const Hypothesis& hypothesis, int64_t source_tokens, int64_t context_tokens) {
  constexpr double kLeast = 1e-9;
  const auto width = static_cast<size_t>(source_tokens);
  std::vector<double> attended(width);
  for (size_t i = 0; i < hypothesis.attention.size(); ++i)
    attended[i % width] += static_cast<double>(hypothesis.attention[i]);
  attended.pop_back();  // end of sentence
  double sum = 0.0;
  for (auto i = static_cast<size_t>(context_tokens); i < attended.size(); ++i)
    sum += std::log(std::clamp(attended[i], kLeast, 1.0));
  return sum;
}

void rank_by_coverage(NBest& finished, const TranslationRequest& request,
                      const SearchOptions& options) {
  for (Hypothesis& one : finished) {
    one.score += options.coverage_penalty *
                 coverage(one, std::ssize(request.source), request.context_tokens);
    if (!options.alignment) one.attention.clear();
  }
  std::ranges::stable_sort(
      finished, [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  if (std::ssize(finished) > options.nbest) finished.resize(static_cast<size_t>(options.nbest));
}

}  // namespace dietmt::nmt
