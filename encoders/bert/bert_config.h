// The sizes and choices that define a BERT encoder (Devlin et al. 2019) and its heads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encoders/position/parameter_counts.h"

namespace dietmt::encoders {

/// Standard deviation of all first values, around zero.
constexpr double kBertDeviation = 0.02;

/// The heads on the encoder.
struct BertHeads {
  bool pooler = true;  // of the first token; next_sentence and classes read it
  bool masked_lm = false;
  bool next_sentence = false;
  int64_t classes = 0;  // of whole inputs; 1: regression, 0: no such head
  bool spans = false;   // first and last token of an answer
  int64_t tags = 0;     // of each token; 0: no such head
};

struct BertConfig {
  int64_t vocabulary = 0;  // V
  int64_t layers = 12;     // L
  int64_t width = 768;     // D
  int64_t feed_forward = 3072;
  int64_t heads = 12;                      // H
  int64_t max_positions = 512;             // table size of learned encodings
  int64_t segments = 2;                    // G
  std::string position = "learned";        // without segments
  std::string segment_encoding = "input";  // "input", "heads" (a score for each pair) or "none"
  std::string activation = "gelu";         // "gelu" (exact) or "relu"
  double norm_epsilon = 1e-12;
  double dropout = 0.1;             // residual branches
  double attention_dropout = 0.1;   // probabilities
  double activation_dropout = 0.0;  // inside the feed-forward block
  double embedding_dropout = 0.1;
  double head_dropout = 0.1;  // before the classification head
  BertHeads task_heads;

  /// Sizes of "tiny", "mini", "small", "medium" (Turc et al. 2019), "base" or "large" (Devlin et
  /// al. 2019). Throws ConfigError listing them.
  static BertConfig preset(const std::string& name);

  /// All problems, each one sentence. They name options, or if `file` is given the file and its
  /// keys.
  std::vector<std::string> problems(const std::string& file = "") const;

  /// The encodings of positions and segments in one text, e.g. "diet-rel+input-segments".
  std::string position_and_segments() const;
};

/// What Bert(config, seed) registers. `config` has no problems(); throws ConfigError for a wrong
/// position encoding.
ParameterCounts parameter_counts(const BertConfig& config);

/// Empty, or that so many bytes for each parameter are more than the machine has. Names the sizes
/// as options of `dietmt bert pretrain`, or if `file` is given as its keys.
std::string memory_problem(const BertConfig& config, double bytes_per_weight,
                           const std::string& file = "");

}  // namespace dietmt::encoders
