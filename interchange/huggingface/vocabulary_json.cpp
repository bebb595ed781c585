#include "interchange/huggingface/vocabulary_json.h"

#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"

namespace dietmt::interchange {

using nlohmann::json;

std::vector<std::string> read_vocabulary_json(const std::filesystem::path& path) {
  const auto ids = read_json_as(path, [](const json& content) {
    if (!content.is_object()) throw CheckpointError("must hold an object, {...}");
    std::map<std::string, int64_t> numbers;
    for (const auto& [piece, id] : content.items()) numbers[piece] = whole_number(id);
    return numbers;
  });
  std::vector<std::string> pieces(ids.size());
  for (const auto& [piece, id] : ids) {
    if (id < 0 || id >= static_cast<int64_t>(ids.size()) ||
        !pieces[static_cast<size_t>(id)].empty()) {
      throw DataError(path.string() + ": has " + std::to_string(ids.size()) +
                      " pieces, but the id of '" + piece + "' is " + std::to_string(id));
    }
    pieces[static_cast<size_t>(id)] = piece;
  }
  return pieces;
}

}  // namespace dietmt::interchange
