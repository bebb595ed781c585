#include "metrics/significance.h"

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/random.h"
#include "metrics/samples.h"

namespace dietmt::metrics {
namespace {

enum Stream : uint64_t { kBootstrap = 1, kRandomization = 2 };

void add_to(std::vector<double>& total, std::span<const double> row) {
  for (size_t k = 0; k < row.size(); ++k) total[k] += row[k];
}

void check(const CorpusStatistics& baseline, const CorpusStatistics& system,
           const ResamplingOptions& options) {
  if (options.samples < 1) throw ConfigError("a significance test needs 1 sample or more");
  if (baseline.sentences() != system.sentences()) {
    throw DataError("the systems differ in length: " + std::to_string(baseline.sentences()) +
                    " and " + std::to_string(system.sentences()) + " sentences");
  }
}

// The scores of `samples` corpora of the same size, drawn with replacement.
std::vector<double> resampled_scores(const ScoreRule& metric, const CorpusStatistics& system,
                                     const ResamplingOptions& options) {
  Random random(random_key(options.seed, kBootstrap));
  std::vector<double> scores;
  std::vector<double> total(system.width());
  for (int64_t sample = 0; sample < options.samples; ++sample) {
    std::fill(total.begin(), total.end(), 0.0);
    for (size_t i = 0; i < system.sentences(); ++i)
      add_to(total, system[random.below(system.sentences())]);
    scores.push_back(metric.score(total).score);
  }
  return scores;
}

ConfidenceInterval interval_of(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const size_t cut = scores.size() / 40;  // 2.5 % at each end
  return {mean_of(scores), 0.5 * (scores[scores.size() - 1 - cut] - scores[cut])};
}

// The share of `differences` not below the observed one, with one added to both counts so that a
// test of few samples never claims certainty.
double p_value(const std::vector<double>& differences, double observed) {
  const auto extreme = std::count_if(differences.begin(), differences.end(),
                                     [observed](double d) { return d >= observed; });
  return static_cast<double>(extreme + 1) / static_cast<double>(differences.size() + 1);
}

double observed_difference(const ScoreRule& metric, const CorpusStatistics& a,
                           const CorpusStatistics& b) {
  return std::abs(metric.score(a.sum()).score - metric.score(b.sum()).score);
}

}  // namespace

ConfidenceInterval bootstrap_interval(const ScoreRule& metric, const CorpusStatistics& system,
                                      const ResamplingOptions& options) {
  check(system, system, options);
  return interval_of(resampled_scores(metric, system, options));
}

double paired_bootstrap(const ScoreRule& metric, const CorpusStatistics& baseline,
                        const CorpusStatistics& system, const ResamplingOptions& options) {
  check(baseline, system, options);
  const std::vector<double> of_baseline = resampled_scores(metric, baseline, options);
  const std::vector<double> of_system = resampled_scores(metric, system, options);
  std::vector<double> differences(of_system.size());
  for (size_t i = 0; i < differences.size(); ++i)
    differences[i] = std::abs(of_system[i] - of_baseline[i]);
  const double centre = mean_of(differences);
  for (double& difference : differences) difference -= centre;
  return p_value(differences, observed_difference(metric, baseline, system));
}

double paired_randomization(const ScoreRule& metric, const CorpusStatistics& baseline,
                            const CorpusStatistics& system, const ResamplingOptions& options) {
  check(baseline, system, options);
  Random random(random_key(options.seed, kRandomization));
  std::vector<double> differences;
  std::vector<double> first(system.width()), second(system.width());
  for (int64_t trial = 0; trial < options.samples; ++trial) {
    std::fill(first.begin(), first.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    uint64_t coins = 0;
    for (size_t i = 0; i < system.sentences(); ++i, coins >>= 1) {
      if (i % 64 == 0) coins = random.next();
      const bool swap = coins & 1;
      add_to(first, swap ? system[i] : baseline[i]);
      add_to(second, swap ? baseline[i] : system[i]);
    }
    differences.push_back(std::abs(metric.score(first).score - metric.score(second).score));
  }
  return p_value(differences, observed_difference(metric, baseline, system));
}

}  // namespace dietmt::metrics
