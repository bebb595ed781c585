#include "metrics/comparison/sentence_groups.h"

#include <algorithm>

#include "metrics/sentence_choice.h"

namespace dietmt::metrics {
namespace {

constexpr size_t kMostLabels = 100;

void count_sizes(SentenceGroups& groups) {
  groups.sizes.assign(groups.names.size(), 0);
  for (const size_t group : groups.of_sentences) ++groups.sizes[group];
}

void drop_empty_groups(SentenceGroups& groups) {
  std::vector<size_t> renumbered(groups.names.size());
  size_t kept = 0;
  for (size_t group = 0; group < groups.names.size(); ++group) {
    renumbered[group] = kept;
    if (groups.sizes[group] == 0) continue;
    groups.names[kept] = groups.names[group];
    groups.sizes[kept++] = groups.sizes[group];
  }
  groups.names.resize(kept);
  groups.sizes.resize(kept);
  for (size_t& group : groups.of_sentences) group = renumbered[group];
}

}  // namespace

SentenceGroups groups_by_length(const std::vector<Symbols>& sentences) {
  constexpr size_t kWidth = 10, kLast = 6;
  SentenceGroups groups;
  for (size_t group = 0; group < kLast; ++group)
    groups.names.push_back(std::to_string(group * kWidth) + "–" +
                           std::to_string((group + 1) * kWidth - 1));
  groups.names.push_back(std::to_string(kLast * kWidth) + "+");
  for (const Symbols& sentence : sentences)
    groups.of_sentences.push_back(std::min(sentence.size() / kWidth, kLast));
  count_sizes(groups);
  drop_empty_groups(groups);
  return groups;
}

SentenceGroups groups_by_label(const std::vector<std::string>& labels) {
  NumberedDocuments numbered = number_documents(labels);
  SentenceGroups groups{std::move(numbered.ids), std::move(numbered.of_sentences)};
  if (groups.names.size() > kMostLabels) {
    groups.names.resize(kMostLabels);
    groups.names.emplace_back("all others");
    for (size_t& group : groups.of_sentences) group = std::min(group, kMostLabels);
  }
  count_sizes(groups);
  return groups;
}

}  // namespace dietmt::metrics
