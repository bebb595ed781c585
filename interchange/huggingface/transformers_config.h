// What the config.json of all transformers models have in common.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dietmt::interchange {

/// Throws Error or CheckpointError naming the file if it cannot be read or is not an object.
nlohmann::json read_json_object(const std::filesystem::path& path);

/// The description's model_type. Throws ConfigError unless it is one of `known`. Old files have no
/// model_type; then the class in `architectures` decides, or else which of the types' sizes are
/// present.
std::string require_model_type(const nlohmann::json& description,
                               const std::vector<std::string>& known);

/// Throws CheckpointError with the problems of our configuration, which name `file`, unless all are
/// empty. Settings get the file's names: `names` maps ours to theirs, such as width to hidden_size.
void throw_with_their_names(const std::vector<std::string>& problems,
                            const std::filesystem::path& file,
                            const std::map<std::string, std::string>& names);

}  // namespace dietmt::interchange
