// Beam search. With K = options.beam hypotheses per sentence, each step takes the best 2 K
// continuations of all hypotheses. Those of the best K that end the sentence are done; the best K
// others go on. A sentence is finished, and leaves the batch, when K hypotheses are done or when no
// open one can enter the n best: log-probabilities only fall, so normalized(sum, max_length) bounds
// the score of an open hypothesis. K = 1 is greedy search.
#pragma once

#include <span>
#include <vector>

#include "nmt/batch_decoding/step_scorer.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// `scorer` was made for the sentences of `tasks` with options.beam rows each. Returns the
/// options.nbest best hypotheses of each task.
std::vector<NBest> beam_search(StepScorer& scorer, std::span<const SearchTask> tasks,
                               const SpecialTokens& special, const SearchOptions& options);

}  // namespace dietmt::nmt
