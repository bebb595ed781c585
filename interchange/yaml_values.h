// Settings in YAML as JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace dietmt::interchange {

/// Reads a file of nested keys and values, whose tags (!Name) are passed over. Plain words become
/// null, true, false or numbers if they are such; quoted ones are texts, and so are y and n, as for
/// PyYAML. Throws CheckpointError naming the file if it is not YAML, or
/// has more values than settings do: repeated parts (aliases) count each time.
nlohmann::json read_yaml_values(const std::filesystem::path& file);

}  // namespace dietmt::interchange
