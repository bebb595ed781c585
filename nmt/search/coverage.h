// Coverage penalty (Wu et al. 2016, section 7, eq. 14): a translation that has not attended to a
// source token has probably omitted its word.
#pragma once

#include <cstdint>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// The sum over source tokens of log(min(a, 1)), where a is the attention that the token received
/// from all target tokens of the hypothesis, including end of sentence: 0 or less. The source's end
/// of sentence does not count, since nothing translates it, nor do the first `context_tokens`. An a
/// below 1e-9 counts as 1e-9, so that the score stays finite. Needs Hypothesis::attention.
double coverage(const Hypothesis& hypothesis, int64_t source_tokens, int64_t context_tokens = 0);

/// Adds options.coverage_penalty * coverage() to the score of each finished hypothesis of a search
/// and keeps the options.nbest best. The search itself does not depend on it. Drops the attention
/// unless options.alignment is set.
void rank_by_coverage(NBest& finished, const TranslationRequest& request,
                      const SearchOptions& options);

}  // namespace dietmt::nmt
