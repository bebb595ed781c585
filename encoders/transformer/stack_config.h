// Sizes and choices of one Transformer stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/inference_rows.h"

namespace dietmt::encoders {

enum class NormPlacement { kPost, kPre };  // Vaswani et al. 2017; Xiong et al. 2020
enum class Activation { kRelu, kGelu, kSilu, kSwiglu };

struct StackConfig {
  int64_t layers = 6;   // L
  int64_t width = 512;  // D
  int64_t feed_forward = 2048;
  int64_t heads = 8;  // H
  int64_t max_positions = 1024;
  int64_t segments = 0;              // kinds of segments of the input; 0: it has none
  bool starts_with_summary = false;  // the first token summarises the sentence, like BERT's [CLS]
  NormPlacement norm = NormPlacement::kPost;
  double norm_epsilon = kernels::kLayerNormEpsilon;
  bool embedding_norm = false;  // layer norm after the positions, before the first dropout
  std::optional<double> embedding_deviation;  // of initial learned positions; none: 1/sqrt(D)
  Activation activation = Activation::kRelu;
  std::string position = "sinusoidal";
  std::string cross_position = "none";  // only in decoder stacks
  double dropout = 0.1;
  double attention_dropout = 0.0;
  double activation_dropout = 0.0;
  double embedding_dropout = 0.1;
};

}  // namespace dietmt::encoders
