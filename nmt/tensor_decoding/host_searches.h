// Searches that run on the host, sentence by sentence, as in the engine
// (nmt/engine/sentence_search.h): beam search with diverse groups, limits on repetition, terms or
// an open word, and sampling with terms or an open word. In beam search the model's
// log-probabilities stay on the device, except those of the best tokens of each hypothesis and of
// the tokens that its search asks for.
#pragma once

#include <span>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"
#include "nmt/tensor_decoding/step_scorer.h"

namespace dietmt::nmt {

/// Beam search, or by the options sampling. With K = options.beam hypotheses per sentence, each
/// step takes the best 2 K continuations of all hypotheses. Those of the best K that end the
/// sentence are done; the best K others continue. A sentence is finished, and leaves the batch,
/// when ceil(K * options.patience) hypotheses are done (Kasai et al. 2022) or when no open one can
/// enter the n best: sums only fall, so length_normalized(sum, max_length) bounds the score of an
/// open hypothesis. K = 1 is greedy search. With options.diverse_groups above 1 each group is such
/// a search (nmt/search/diverse_step.h).
///
/// Here and in sampling, nmt/search/token_limits.h removes tokens or changes their
/// log-probabilities; scores include the changes. Forced tokens are exempt.
///
/// `scorer` was made for the sentences of `tasks` with options.rows() rows each. Returns the
/// options.nbest best hypotheses of each task.
std::vector<NBest> search_on_host(StepScorer& scorer, std::span<const SearchTask> tasks,
                                  const SpecialTokens& special, const SearchOptions& options);

}  // namespace dietmt::nmt
