// Where the strings of a YAML file are, and the keys and mappings around them.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace dietmt::service {

enum class YamlStyle { kPlain, kSingleQuotes, kDoubleQuotes, kLiteral, kFolded };

/// Whether the text begins on the line after | or >.
constexpr bool is_block(YamlStyle style) {
  return style == YamlStyle::kLiteral || style == YamlStyle::kFolded;
}

struct YamlScalar {
  size_t begin = 0;  // bytes of the file
  size_t end = 0;
  YamlStyle style = YamlStyle::kPlain;
  std::string text;
  bool is_top_key = false;
  size_t depth = 0;    // of the mapping or sequence that it is in
  size_t mapping = 0;  // whose value it is
  std::string key = {};
  size_t key_begin = 0;
};

struct YamlFile {
  std::vector<YamlScalar> scalars;  // strings that are no keys, and keys on top
  size_t top_keys = 0;
  std::set<size_t> flows;   // mappings in {}
  std::set<size_t> others;  // mappings with keys that are no plural categories
};

/// Throws DataError naming the line.
YamlFile read_yaml(const std::string& text);

/// Whether a plain scalar is a boolean, null or a number in YAML 1.1, not a string.
bool is_yaml_constant(const std::string& text);

}  // namespace dietmt::service
