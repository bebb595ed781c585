// Files of JSON that belong to models and runs.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace dietmt {

/// Throws Error if the file cannot be read, and CheckpointError naming it if it is not JSON.
nlohmann::json read_json(const std::filesystem::path& path);

}  // namespace dietmt
