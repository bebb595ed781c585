// The sizes and choices that define an encoder-decoder model, as config.json stores them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/option_rule.h"
#include "nmt/model/languages.h"

namespace dietmt::nmt {

inline const OptionRule kAdapterRange{.least = 0, .most = 65536};  // ModelConfig::adapter_size
inline const OptionRule kContextRange{.least = 0, .most = 100};    // ModelConfig::context

/// The cross-attention that shows which source token a target token comes from. Counted from 0.
struct AlignmentSite {
  static constexpr int64_t kAllHeads = -1;

  int64_t layer = 0;         // of the decoder
  int64_t head = kAllHeads;  // of the layer; kAllHeads: the mean of its heads
};

/// Options of the search that a model wants unless its user gives them, by their names
/// (nmt/search/search_options.def).
using SearchDefaults = std::map<std::string, double>;

/// Pieces that a model must not generate.
struct SuppressedPieces {
  std::vector<std::vector<std::string>> sequences = {};  // of pieces, one after the other
  std::vector<std::string> first = {};                   // that no translation begins with

  bool empty() const { return sequences.empty() && first.empty(); }
  bool operator==(const SuppressedPieces&) const = default;
};

struct ModelConfig {
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  int64_t encoder_layers = 4;
  int64_t decoder_layers = 4;
  int64_t width = 128;  // D
  int64_t feed_forward = 256;
  int64_t heads = 4;                // H
  int64_t kv_heads = 0;             // of keys and values, divides H; 0: H
  int64_t head_width = 0;           // Dh; 0: D / H
  int64_t max_positions = 1024;     // table size of learned encodings
  std::string norm = "post";        // "post" or "pre"
  std::string norm_type = "layer";  // "layer" or "rms"
  bool qk_norm = false;             // RMS norm of each head's queries and keys
  double norm_epsilon = 1e-5;       // added to the variance; Marian's is 1e-6
  bool embedding_norm = false;      // of both stacks' input, after the positions
  // "relu", "gelu", "silu", "swiglu", "gelu-tanh" or "geglu-tanh" (kernels::Activation)
  std::string activation = "relu";
  std::string tied_embeddings = "all";  // "none", "decoder" (target input and output) or "all"
  bool output_bias = false;             // a number added to the score of each piece
  // What reads the tokens before: "self-attention", or "ssru", a recurrence (Kim et al. 2019).
  std::string decoder_layer = "self-attention";
  std::string encoder_position = "sinusoidal";
  std::string decoder_position = "sinusoidal";
  std::string cross_position = "none";
  // Where alignment() is, counted from 1: set by training with --guided-alignment, and by imports.
  int64_t alignment_layer = 0;  // 0: the last decoder layer but one
  int64_t alignment_head = 0;   // 0: the mean of all heads
  // The sentences of the document that it reads before a sentence (data/text/sentence_context.h).
  int64_t context = 0;                   // at most; 0: none
  std::string context_sides = "source";  // "source", or "both": it translates them too
  int64_t context_tokens = 0;            // of a side with context and end of sentence, at most
  ModelLanguages languages;              // that it translates; empty: one pair
  SearchDefaults search;                 // set by imports
  SuppressedPieces suppressed;           // likewise
  int64_t adapter_size = 0;              // bottleneck of the adapter after each layer; 0: none
  double dropout = 0.1;                  // residual branches
  double attention_dropout = 0.0;        // probabilities
  double activation_dropout = 0.0;       // inside the feed-forward block
  double embedding_dropout = 0.1;

  /// Sizes of "tiny", "small", "base" or "big". Throws ConfigError, which lists them.
  static ModelConfig preset(const std::string& name);

  /// Without guided alignment, the mean of the heads of the last layer but one aligns best (Garg et
  /// al. 2019, section 3.1).
  AlignmentSite alignment() const;

  /// Dh.
  int64_t width_of_heads() const { return head_width > 0 ? head_width : width / heads; }

  /// All problems, one sentence each. They name the options of `dietmt train`, or if `file` is
  /// given the file and its keys.
  std::vector<std::string> problems(const std::string& file = "") const;

  nlohmann::json to_json() const;
  static ModelConfig from_json(const nlohmann::json& json);
};

}  // namespace dietmt::nmt
