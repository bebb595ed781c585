// vocab.json of transformers' tokenizers.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dietmt::interchange {

/// The pieces by their numbers, which must be 0 to n - 1. Throws CheckpointError naming
/// the file.
std::vector<std::string> read_vocabulary_json(const std::filesystem::path& path);

/// The pieces of an object {PIECE: NUMBER}, whose numbers must be 0 to n - 1. Throws
/// CheckpointError.
std::vector<std::string> pieces_by_number(const nlohmann::json& numbers);

}  // namespace dietmt::interchange
