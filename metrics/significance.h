// The reliability of a score, from the sentence statistics only.
//   bootstrap_interval    95 % interval of one system's score over resampled test sets
//   paired_bootstrap      is the difference of two systems chance? (Koehn 2004, centred)
//   paired_randomization  the same by swapping their outputs at random (Riezler and Maxwell 2005);
//                         fewer assumptions, the usual choice for small differences
// The algorithms are sacreBLEU's. Its draws come from NumPy's generator, ours from common/random.h:
// intervals and p-values agree as closely as two seeds of one program do. One more difference:
// a sampled difference that equals the observed one counts against significance (sacreBLEU: only a
// larger one), so that a system compared with itself has p = 1. All systems and metrics of one seed
// see the same draws.
#pragma once

#include <cstdint>

#include "metrics/metric.h"

namespace dietmt::metrics {

struct ResamplingOptions {
  int64_t samples = 1000;  ///< 10000 is usual for paired_randomization
  uint64_t seed = 12345;
};

struct ConfidenceInterval {
  double mean = 0.0;        ///< of the resampled scores
  double half_width = 0.0;  ///< half the distance of their 2.5 and 97.5 percentiles
};

ConfidenceInterval bootstrap_interval(const ScoreRule& metric, const CorpusStatistics& system,
                                      const ResamplingOptions& options);

/// p-value of the absolute difference of the scores by sacreBLEU's rule: how often a resampled one
/// is above the mean of all by more than the observed one; at least 1 / (samples + 1). Too small
/// for tiny differences, for which paired_randomization() assumes less. Throws DataError if the
/// systems have different numbers of sentences.
double paired_bootstrap(const ScoreRule& metric, const CorpusStatistics& baseline,
                        const CorpusStatistics& system, const ResamplingOptions& options);

/// Two-sided p-value of the absolute difference (Riezler and Maxwell 2005); errors as above.
double paired_randomization(const ScoreRule& metric, const CorpusStatistics& baseline,
                            const CorpusStatistics& system, const ResamplingOptions& options);

}  // namespace dietmt::metrics
