#include "data/corpus/corpus_encoding.h"

#include <filesystem>

namespace dietmt::data {
namespace fs = std::filesystem;

uint64_t hash_of(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3ULL;
  return hash;
}

std::optional<std::string> fingerprint_of_files(std::span<const std::string> files) {
  std::string text;
  for (const std::string& file : files) {
    if (!fs::is_regular_file(file)) return std::nullopt;
    const fs::path path = fs::weakly_canonical(file);
    const auto modified = fs::last_write_time(path).time_since_epoch().count();
    text += path.string() + '\t' + std::to_string(fs::file_size(path)) + '\t' +
            std::to_string(static_cast<int64_t>(modified)) + '\n';
  }
  return text;
}

}  // namespace dietmt::data
