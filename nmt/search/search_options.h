// Options of the search for a translation: beam search (greedy with beam 1) or sampling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/option_rule.h"

namespace dietmt::nmt {

/// How a sum of log-probabilities over `length` tokens (including end of sentence) becomes a score.
enum class LengthNorm {
  kPower,  // sum / length^alpha
  kGnmt,   // sum / ((5 + length) / 6)^alpha, Wu et al. 2016, eq. 14
};

/// "power" or "gnmt". Throws ConfigError listing them.
LengthNorm parse_length_norm(const std::string& name);

/// Ranges of the numbers below, for options and requests.
namespace search_rules {

inline const OptionRule kBeam{.least = 1, .most = 1000};  // and translations per sentence
inline const OptionRule kLengthPenalty{.least = 0, .most = 10};
inline const OptionRule kMaxLengthFactor{.least = 0, .most = 100};
inline const OptionRule kMaxLengthOffset{.least = 1, .most = 10'000};
inline const OptionRule kMinLength{.least = 0, .most = 10'000};
inline const OptionRule kNoRepeatNgram{.least = 0, .most = 10'000};
// Below 1 repetitions are rewarded.
inline const OptionRule kRepetitionPenalty{.least = 0.01, .most = 100};
inline const OptionRule kPatience{.above = 0, .most = 100};
inline const OptionRule kDiversityStrength{.least = 0, .most = 100};
inline const OptionRule kCoveragePenalty{.least = 0, .most = 100};
inline const OptionRule kMaxSourceLength{.least = 1, .most = 100'000};
inline const OptionRule kTopK{.least = 0, .most = 10'000'000};
inline const OptionRule kTopP{.above = 0, .most = 1};
// From almost always the most probable token to almost uniform.
inline const OptionRule kTemperature{.least = 0.001, .most = 1000};
inline const OptionRule kWorkerThreads{.least = 1, .most = 256};

}  // namespace search_rules

/// `workers`, or if that is 0 as many as leave one core per thread of each worker.
int64_t usable_workers(int64_t workers, int64_t threads);

struct SearchOptions {
  int64_t beam = 5;
  int64_t nbest = 1;            // hypotheses returned per sentence; at most `beam` unless sampling
  double length_penalty = 1.0;  // alpha; 0: the score is the sum
  LengthNorm length_norm = LengthNorm::kPower;

  // A target has at most factor * source length + offset tokens, both including end of sentence,
  // and never more than kLongestTarget in addition to a prefix.
  static constexpr int64_t kLongestTarget = 65536;
  double max_length_factor = 2.0;
  int64_t max_length_offset = 50;
  int64_t min_length = 0;            // tokens before end of sentence is allowed
  int64_t no_repeat_ngram = 0;       // no n-gram of N tokens twice in a hypothesis; 0: off
  double repetition_penalty = 1.0;   // multiplies a repeated token's log-probability
  double patience = 1.0;             // a search ends with beam * patience finished hypotheses
  int64_t diverse_groups = 1;        // of diverse beam search, which the beam is divided into
  double diversity_strength = 0.5;   // penalty for a token that an earlier group has chosen
  double coverage_penalty = 0.0;     // beta: see nmt/search/coverage.h; 0: off
  int64_t max_source_length = 1000;  // tokens with end of sentence; the rest is cut off

  bool alignment = false;  // fill Hypothesis::attention

  bool sample = false;       // draw `nbest` translations instead of searching
  int64_t top_k = 0;         // 0: all tokens
  double top_p = 1.0;        // nucleus sampling (Holtzman et al. 2020)
  double temperature = 1.0;  // of the sampling distribution; does not affect scores
  uint64_t seed = 1;

  int64_t batch_tokens = 512;  // limit for the source tokens decoded together
  int64_t workers = 0;         // parallel decoders on the CPU; 0: see usable_workers()
  int64_t threads = 1;         // per worker

  /// All problems, one sentence each, naming the option of `dietmt translate`.
  std::vector<std::string> problems() const;

  /// For a model whose output another one translates: its best translation by beam search.
  SearchOptions for_pivot() const;

  /// ceil(beam * patience): the number of finished hypotheses that ends beam search (Kasai et al.
  /// 2022). With constraints, half as many end it, but never fewer than `nbest`.
  int64_t finished_to_end() const;

  /// Hypotheses per group of diverse beam search, and how many must be finished to end the group's
  /// search.
  int64_t group_beam() const { return beam / diverse_groups; }
  int64_t group_finished_to_end() const;

  /// Whether hypotheses need Hypothesis::attention.
  bool needs_attention() const { return alignment || coverage_penalty > 0.0; }

  /// Maximum length of the translation of `source_length` tokens; both include end of sentence.
  int64_t max_target_length(int64_t source_length) const;
};

}  // namespace dietmt::nmt
