// Minimum Bayes risk decoding (metrics/minimum_bayes_risk.h) over the hypotheses of a search or
// over samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/text/tokenizer.h"
#include "metrics/minimum_bayes_risk.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

struct BayesRiskChoice {
  metrics::BayesRiskOptions risk = {};
  metrics::LearnedUtility learned = {};  // instead of `risk`; may be empty
  bool samples = false;  // all equally probable; otherwise the model's probabilities count
  int64_t nbest = 1;     // kept per sentence
  int64_t workers = 0;   // threads; 0: one per core
};

/// Keeps the `nbest` distinct translations of each sentence with the highest expected utility,
/// which becomes their score. `requests`: of the sentences.
void choose_by_bayes_risk(std::span<const TranslationRequest> requests, std::vector<NBest>& found,
                          const data::Tokenizer& tokenizer, const BayesRiskChoice& choice);

}  // namespace dietmt::nmt
