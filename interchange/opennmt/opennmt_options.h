// The options of OpenNMT-py's checkpoints (`opt`, a flat namespace) and of its successor eole
// (config.json).
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "nmt/model/config.h"

namespace dietmt::interchange {

struct OpennmtOptions {
  nmt::ModelConfig model;          // without vocabularies and ties
  bool scales_embeddings = false;  // by sqrt(D)
  std::string subword_files[2];    // of source and target, in their directory; "": none is named
  bool is_tokenized = false;       // by pyonmttok, before anything else
};

/// `opt`: as read_torch_values() has it. Throws CheckpointError naming the option that is missing
/// or that dietmt's models do not have.
OpennmtOptions parse_opennmt_options(const nlohmann::json& opt);

/// `config`: config.json. Throws like parse_opennmt_options().
OpennmtOptions parse_eole_options(const nlohmann::json& config);

/// Their names of our settings, for throw_with_their_names().
const std::map<std::string, std::string>& opennmt_settings();

/// The first number of a list, or the number itself; `otherwise` if the field is missing. Options
/// that training changes are lists.
double first_number(const nlohmann::json& options, const char* name, double otherwise);

/// The spec of the sinusoids that both programs call so. Throws CheckpointError.
std::string opennmt_sinusoids(const std::string& type);

/// The spec of rotary positions whose options have the names of both programs. Throws
/// CheckpointError if they rotate a part of the heads only.
std::string opennmt_rotation(const nlohmann::json& options, int64_t head_width);

/// The last part of a path of the computer that trained the model.
std::string last_part(const std::string& path);

}  // namespace dietmt::interchange
