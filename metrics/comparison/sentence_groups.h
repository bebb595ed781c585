// Sentences of a kind, such as those of 10 to 19 words or of one domain, for scores of each kind
// (part_scores() in metrics/evaluation.h).
#pragma once

#include <string>
#include <vector>

#include "metrics/ngrams.h"

namespace dietmt::metrics {

struct SentenceGroups {
  std::vector<std::string> names = {};
  std::vector<size_t> of_sentences = {};  // numbers of groups; each group has a sentence
  std::vector<size_t> sizes = {};         // sentences by group
};

/// By tens of words, from "0–9" to "60+"; groups without a sentence are left out.
SentenceGroups groups_by_length(const std::vector<Symbols>& sentences);

/// By equal labels, in the order of their first appearance. The labels that come after the first
/// 100 share a group.
SentenceGroups groups_by_label(const std::vector<std::string>& labels);

}  // namespace dietmt::metrics
