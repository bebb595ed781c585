#include "metrics/metric.h"

#include <cstdio>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

void check_lengths(const std::vector<std::string>& hypotheses, const References& references) {
  if (references.empty()) throw DataError("no references are given");
  if (hypotheses.empty()) throw DataError("the hypotheses are empty: 0 sentences");
  for (size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() != hypotheses.size()) {
      throw DataError("reference set " + std::to_string(r + 1) + " has " +
                      std::to_string(references[r].size()) + " sentences, the hypotheses have " +
                      std::to_string(hypotheses.size()));
    }
  }
}

}  // namespace

std::string Score::to_string(int digits, const std::string& significance) const {
  char value[400];
  std::snprintf(value, sizeof value, "%.*f", digits + more_digits, score);
  std::string text = name + " = " + value;
  if (!significance.empty()) text += " " + significance;
  if (!detail.empty()) text += " " + detail;
  return text;
}

void CorpusStatistics::add(std::span<const double> sentence) {
  width_ = sentence.size();
  values_.insert(values_.end(), sentence.begin(), sentence.end());
}

std::vector<double> CorpusStatistics::sum() const {
  std::vector<double> total(width_, 0.0);
  for (size_t i = 0; i < values_.size(); ++i) total[i % width_] += values_[i];
  return total;
}

CorpusStatistics Metric::corpus_statistics(const std::vector<std::string>& hypotheses,
                                           const References& references) const {
  check_lengths(hypotheses, references);
  CorpusStatistics statistics;
  std::vector<std::string> of_sentence(references.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    for (size_t r = 0; r < references.size(); ++r) of_sentence[r] = references[r][i];
    statistics.add(sentence_statistics(hypotheses[i], of_sentence));
  }
  return statistics;
}

Score Metric::corpus_score(const std::vector<std::string>& hypotheses,
                           const References& references) const {
  return score(corpus_statistics(hypotheses, references).sum());
}

Score Metric::sentence_score(const std::string& hypothesis,
                             std::span<const std::string> references) const {
  if (references.empty()) throw DataError("no references are given");
  return score(sentence_statistics(hypothesis, references));
}

std::string ScoreRule::signature(size_t reference_sets, const std::string& more) const {
  return "nrefs:" + std::to_string(reference_sets) + "|" + more + signature_fields() + "|" +
         version_field();
}

std::string version_field() { return "version:dietmt-" DIETMT_VERSION; }

}  // namespace dietmt::metrics
