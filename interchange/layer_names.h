// The names that other programs give the parameters of a translation model's layers. Import and
// export use the same table in opposite directions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interchange/foreign_tensors.h"
#include "nmt/model/config.h"

namespace dietmt::interchange {

/// The names of one program. In the first two, `*` stands for the number of the layer; in all
/// others, for one of the last four words.
struct LayerNames {
  std::string encoder_layer;  // prefix of the names below
  std::string decoder_layer;
  int64_t first_layer;                  // number of the first layer
  std::vector<std::string> self_input;  // queries, keys, values
  std::string self_output;
  std::string self_norm;
  std::string cross_query;
  std::vector<std::string> cross_memory;  // keys, values
  std::string cross_output;
  std::string cross_norm;
  std::vector<std::string> feed_forward_inner;  // SwiGLU: gate, value
  std::string feed_forward_outer;
  std::string feed_forward_norm;
  std::string final_norms[2];  // of encoder and decoder, only in pre-norm models
  std::string weight, bias;    // of linear layers
  std::string scale, shift;    // of norms
};

/// All parameters except embeddings, output and positions.
std::vector<Correspondence> correspondences(const nmt::ModelConfig& config,
                                            const LayerNames& names);

}  // namespace dietmt::interchange
