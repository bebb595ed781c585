#include "common/json_file.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"

namespace dietmt {

nlohmann::json read_json(const std::filesystem::path& path) {
  try {
    return nlohmann::json::parse(read_file(path));
  } catch (const nlohmann::json::exception& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
}

}  // namespace dietmt
