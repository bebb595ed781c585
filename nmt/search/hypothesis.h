// One translation found by a search.
#pragma once

#include <cstdint>
#include <vector>

namespace dietmt::nmt {

struct Hypothesis {
  std::vector<int32_t> ids;         // without end of sentence
  std::vector<float> token_scores;  // log-probability of each token and of end of sentence
  double sum = 0.0;                 // of token_scores
  double score = 0.0;               // sum normalized by length: what hypotheses are ranked by
};

/// The hypotheses of one sentence, best first.
using NBest = std::vector<Hypothesis>;

}  // namespace dietmt::nmt
