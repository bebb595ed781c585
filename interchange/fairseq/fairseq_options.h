// The options in a checkpoint of fairseq: `args`, a flat namespace, or since version 0.10 `cfg`
// with one group for each part.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "nmt/model/config.h"

namespace dietmt::interchange {

struct FairseqOptions {
  std::string source_language, target_language;
  nmt::ModelConfig model;  // without vocabularies and ties
  bool scales_embeddings = true;
  int64_t encoder_feed_forward = 0;  // the model has the wider of the two
  int64_t decoder_feed_forward = 0;
};

/// `options`: as read_fairseq_options() has them. Throws CheckpointError naming the option that is
/// missing or that dietmt's models do not have.
FairseqOptions parse_fairseq_model(const nlohmann::json& options);

/// fairseq's names of our settings, for throw_with_their_names().
const std::map<std::string, std::string>& fairseq_settings();

}  // namespace dietmt::interchange
