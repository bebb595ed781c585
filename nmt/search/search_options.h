// The options of a translation search: beam search (greedy with beam 1) or sampling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::nmt {

/// How a sum of log-probabilities over `length` tokens (end of sentence included) becomes a score.
enum class LengthNorm {
  kPower,  // sum / length^alpha
  kGnmt,   // sum / ((5 + length) / 6)^alpha, Wu et al. 2016, eq. 14
};

/// "power" or "gnmt". Throws ConfigError listing them.
LengthNorm parse_length_norm(const std::string& name);

struct SearchOptions {
  int64_t beam = 5;
  int64_t nbest = 1;            // hypotheses returned per sentence; at most `beam` unless sampling
  double length_penalty = 1.0;  // alpha; 0: the score is the sum
  LengthNorm length_norm = LengthNorm::kPower;

  // A target has at most factor * source length + offset tokens; both count end of sentence.
  double max_length_factor = 2.0;
  int64_t max_length_offset = 50;
  int64_t min_length = 0;            // tokens before end of sentence is allowed
  int64_t max_source_length = 1000;  // tokens with end of sentence; the rest is cut off

  bool sample = false;       // draw `nbest` translations instead of searching
  int64_t top_k = 0;         // 0: all tokens
  double top_p = 1.0;        // nucleus sampling (Holtzman et al. 2020)
  double temperature = 1.0;  // of the sampled distribution; scores stay those of the model
  static constexpr double kMinTemperature = 1e-3;  // nearly always the most probable token
  static constexpr double kMaxTemperature = 1e3;   // nearly uniform
  uint64_t seed = 1;

  int64_t batch_tokens = 512;  // source tokens of the sentences decoded together, at most
  int64_t workers = 0;         // that decode in parallel on the CPU; 0: one for each core
  int64_t threads = 1;         // of each worker

  /// All problems, one sentence each, which names the option of `dietmt translate`.
  std::vector<std::string> problems() const;

  /// The score of a hypothesis of `length` tokens, counting end of sentence.
  double normalized(double sum, int64_t length) const;

  /// The most tokens that the translation of `source_length` tokens may have; both count end of
  /// sentence.
  int64_t max_target_length(int64_t source_length) const;
};

}  // namespace dietmt::nmt
