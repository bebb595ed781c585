// What other programs call the parameters of the layers. Import and export walk the same table in
// opposite directions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// One parameter of ours and the tensors of another program that make it, one below the other.
struct Correspondence {
  std::string ours;                 // as in TranslationModel::named_parameters()
  std::vector<std::string> theirs;  // at least one
};

/// The names of one program. `*` stands for the number of a layer in the first two, and for one of
/// the last four words in all others.
struct LayerNames {
  std::string encoder_layer;  // in front of what follows
  std::string decoder_layer;
  int64_t first_layer;                  // its number
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
  std::string final_norms[2];  // encoder's and decoder's, of pre-norm models alone
  std::string weight, bias;    // of linear layers
  std::string scale, shift;    // of norms
};

/// Of all parameters but embeddings, output and positions.
std::vector<Correspondence> correspondences(const nmt::ModelConfig& config,
                                            const LayerNames& names);

}  // namespace dietmt::interchange
