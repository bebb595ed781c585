#include "interchange/huggingface/vocabulary_json.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"

namespace dietmt::interchange {

using nlohmann::json;

std::vector<std::string> read_vocabulary_json(const std::filesystem::path& path) {
  return read_json_as(path, pieces_by_number);
}

std::vector<std::string> pieces_by_number(const json& numbers) {
  if (!numbers.is_object()) throw CheckpointError("must hold an object, {...}");
  std::vector<std::string> pieces(numbers.size());
  for (const auto& [piece, number] : numbers.items()) {
    const int64_t id = whole_number(number);
    if (id < 0 || id >= std::ssize(pieces) || !pieces[static_cast<size_t>(id)].empty()) {
      throw CheckpointError("has " + std::to_string(pieces.size()) + " pieces, but the id of '" +
                            piece + "' is " + std::to_string(id));
    }
    pieces[static_cast<size_t>(id)] = piece;
  }
  return pieces;
}

}  // namespace dietmt::interchange
