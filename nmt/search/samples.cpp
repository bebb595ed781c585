#include "nmt/search/samples.h"

#include <algorithm>

#include "common/random.h"

namespace dietmt::nmt {

Samples::Samples(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options)
    : task_(task),
      special_(special),
      options_(options),
      hypotheses_(static_cast<size_t>(options.nbest)),
      ended_(static_cast<size_t>(options.nbest)) {}

bool Samples::all_ended() const {
  return std::find(ended_.begin(), ended_.end(), false) == ended_.end();
}

double Samples::uniform(int64_t sample, int64_t step) const {
  uint64_t key = random_key(options_.seed, static_cast<uint64_t>(task_.index));
  key = random_key(key, static_cast<uint64_t>(sample));
  return Random(random_key(key, static_cast<uint64_t>(step))).uniform();
}

void Samples::append(int64_t sample, int32_t token, float log_prob) {
  const auto k = static_cast<size_t>(sample);
  if (ended_[k]) return;
  Hypothesis& hypothesis = hypotheses_[k];
  hypothesis.token_scores.push_back(log_prob);
  hypothesis.sum += log_prob;
  ended_[k] = token == special_.end;
  if (!ended_[k]) hypothesis.ids.push_back(token);
}

NBest Samples::ranked() && {
  for (Hypothesis& hypothesis : hypotheses_) {
    const auto length = static_cast<int64_t>(hypothesis.token_scores.size());
    hypothesis.score = options_.normalized(hypothesis.sum, length);
  }
  std::stable_sort(hypotheses_.begin(), hypotheses_.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  return std::move(hypotheses_);
}

}  // namespace dietmt::nmt
