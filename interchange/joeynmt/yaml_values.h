// Settings in YAML as JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace dietmt::interchange {

/// Reads a file of nested keys and values. Plain words become null, true, false or numbers if they
/// are such; quoted ones are texts. Throws CheckpointError naming the file if it is not YAML, or
/// has more values than settings do: repeated parts (aliases) count each time.
nlohmann::json read_yaml_values(const std::filesystem::path& file);

}  // namespace dietmt::interchange
