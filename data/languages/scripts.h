// Scripts of Unicode (Latin, Cyrillic, Han, ...) in texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

class ScriptSet {
 public:
  /// Those in which CLDR says that a language is written; empty for a code that it does not know.
  static ScriptSet of_language(const std::string& code);

  /// Names or codes as Unicode writes them, such as Latin and Cyrl. Nullopt for an unknown one.
  static std::optional<ScriptSet> named(const std::vector<std::string>& names);

  bool empty() const { return scripts_.empty(); }

  /// The share of the text's letters in these scripts; 0 for a text without letters.
  double share_of(std::string_view text) const;

 private:
  explicit ScriptSet(std::vector<int32_t> scripts) : scripts_(std::move(scripts)) {}
  bool has(int32_t character) const;

  std::vector<int32_t> scripts_;  // UScriptCode
};

}  // namespace dietmt::data
