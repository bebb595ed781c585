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

/// Throws ConfigError unless the model_type of a description is `expected`, "marian" or "bert". Old
/// files have no model_type: then the class in `architectures` decides, or else the presence of the
/// sizes that this type has.
void require_model_type(const nlohmann::json& description, const std::string& expected);

/// Throws CheckpointError with the problems of our configuration, which name `file`, unless all are
/// empty. They name settings as the file does: `names` has theirs by ours, such as hidden_size for
/// width.
void throw_with_their_names(const std::vector<std::string>& problems,
                            const std::filesystem::path& file,
                            const std::map<std::string, std::string>& names);

}  // namespace dietmt::interchange
