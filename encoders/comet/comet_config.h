// The choices that define a learned metric of the COMET family (Rei et al. 2020, 2022).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encoders/bert/bert_config.h"

namespace dietmt::encoders {

struct CometConfig {
  std::string name;    // of the checkpoint it was imported from; signatures have it
  BertConfig encoder;  // without heads

  /// Inputs of the estimator:
  ///   "regression"    the vectors of translation, reference and source (Rei et al. 2020)
  ///   "referenceless" those of translation and source (Rei et al. 2021)
  ///   "unified"       one vector of both or all three texts in one input (Rei et al. 2022)
  std::string kind = "regression";
  bool reads_source = true;
  bool reads_reference = true;

  int64_t layer = kAllLayers;             // that vectors come from; 0: the embeddings
  std::string layer_weights = "softmax";  // of a mix of all layers: "softmax" or "sparsemax"
  bool layer_norm = true;                 // of each layer before the mix
  std::string pooling = "avg";            // "avg", "max" or "cls"

  std::vector<int64_t> hidden_sizes = {3072, 1024};  // of the estimator
  std::string activation = "tanh";                   // after its hidden layers
  std::string final_activation = "none";             // after its output

  static constexpr int64_t kAllLayers = -1;

  /// Numbers that the estimator reads for a segment.
  int64_t features() const;

  /// Whether it cannot score without a reference: unified models can, by the source.
  bool needs_reference() const;

  /// All problems, each one sentence. They name `file` and its keys.
  std::vector<std::string> problems(const std::string& file) const;
};

}  // namespace dietmt::encoders
