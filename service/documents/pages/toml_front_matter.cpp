#include "service/documents/pages/toml_front_matter.h"

#include <algorithm>
#include <string>

#include "common/trimmed.h"
#include "service/documents/places_document.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kTomlSpaces = " \t\r\n";

// A line in quotes: the value of a key whose text is shown.
std::string_view value_in(std::string_view line) {
  const size_t equals = line.find('=');
  const std::string_view key = trimmed(line.substr(0, equals), kTomlSpaces);
  if (equals == line.npos || (key != "title" && key != "description" && key != "summary"))
    return {};
  const std::string_view value = trimmed(line.substr(equals + 1), kTomlSpaces);
  const bool is_string =
      value.size() > 2 && value.find(value.front(), 1) == value.size() - 1 &&
      (value.front() == '\'' || (value.front() == '"' && value.find('\\') == value.npos));
  return is_string ? value : std::string_view();
}

class TomlFrontMatter final : public PlacesDocument {
 public:
  explicit TomlFrontMatter(std::string_view text) {
    size_t kept = 0;
    bool is_in_table = false;
    for (size_t at = 0, next = 0; at < text.size(); at = next) {
      next = std::min(text.find('\n', at), text.size() - 1) + 1;
      is_in_table = is_in_table || text[at] == '[';
      const std::string_view value =
          is_in_table ? std::string_view() : value_in(text.substr(at, next - at));
      if (value.empty()) continue;
      const auto begin = static_cast<size_t>(value.data() - text.data());
      keep(text.substr(kept, begin - kept));
      kept = begin + value.size();
      if (!add({.text = std::string(value.substr(1, value.size() - 2)), .marks = {}})) keep(value);
    }
    keep(text.substr(kept));
  }

 private:
  // As a basic string, which may have quotes of either kind inside.
  std::string written(const SegmentPlace& place, const Translation& translation) override {
    std::string text = "\"" + place.before;
    for (const char c : replacement(place.segment, translation)) {
      if (c == '"' || c == '\\') text += '\\';
      text += c == '\n' ? ' ' : c;
    }
    return text + place.after + '"';
  }
};

}  // namespace

std::unique_ptr<Document> open_toml_front_matter(std::string_view text) {
  return std::make_unique<TomlFrontMatter>(text);
}

}  // namespace dietmt::service
