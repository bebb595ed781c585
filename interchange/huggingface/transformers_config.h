// What the config.json of all models of Hugging Face's transformers have in common.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dietmt::interchange {

/// Throws Error or CheckpointError naming the file if it cannot be read or is not an object.
nlohmann::json read_json_object(const std::filesystem::path& path);

/// The model_type of a description, which must be one of `known`; else throws ConfigError. Old
/// files have no model_type: then the class in `architectures` decides, or else the presence of the
/// sizes that the type has.
std::string require_model_type(const nlohmann::json& description,
                               const std::vector<std::string>& known);

/// Throws CheckpointError with the problems of our configuration, which name `file`, unless all are
/// empty. They name settings as the file does: `names` has theirs by ours, such as hidden_size for
/// width.
void throw_with_their_names(const std::vector<std::string>& problems,
                            const std::filesystem::path& file,
                            const std::map<std::string, std::string>& names);

}  // namespace dietmt::interchange
