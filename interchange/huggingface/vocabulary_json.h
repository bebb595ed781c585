// vocab.json of transformers' tokenizers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dietmt::interchange {

/// The pieces by their numbers, which must be 0 to n - 1. Throws CheckpointError or DataError
/// naming the file.
std::vector<std::string> read_vocabulary_json(const std::filesystem::path& path);

}  // namespace dietmt::interchange
