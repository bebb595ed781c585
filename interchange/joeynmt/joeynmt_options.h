// The settings of JoeyNMT's models (config.yaml).
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// A side of a model: its source or its target.
struct JoeynmtSide {
  bool scales_embeddings = false;  // by sqrt(D)
  std::string subword_file;        // in the model's directory; "": words are pieces
  std::string prepared_by = "";    // what is done to text before; "": nothing
};

struct JoeynmtOptions {
  nmt::ModelConfig model;  // without vocabularies and ties
  JoeynmtSide source, target;
  std::string unknown = "<unk>", padding = "<pad>", begin = "<s>", end = "</s>";
  std::string separator = "";  // a fifth special piece, if there is one
};

/// `config`: config.yaml. Throws CheckpointError naming the setting that is missing or that
/// dietmt's models do not have.
JoeynmtOptions parse_joeynmt_options(const nlohmann::json& config);

/// JoeyNMT's names of our settings, for throw_with_their_names().
const std::map<std::string, std::string>& joeynmt_settings();

}  // namespace dietmt::interchange
