#include "interchange/marian/yaml_options.h"

#include <yaml-cpp/yaml.h>

#include <regex>

#include "common/error.h"

namespace dietmt::interchange {
namespace {

const std::string& scalar(const YAML::Node& node, const char* role) {
  if (!node.IsScalar()) throw YAML::Exception(node.Mark(), std::string(role) + " must be a scalar");
  return node.Scalar();
}

std::vector<std::string> values_of(const YAML::Node& node) {
  std::vector<std::string> values;
  if (node.IsSequence())
    for (const YAML::Node& item : node) values.push_back(scalar(item, "an item"));
  else if (!node.IsNull())
    values.push_back(scalar(node, "a value"));
  return values;
}

// yaml-cpp takes a line without a colon for a key without a value.
void require_colon(const YAML::Node& key, const std::string& text) {
  const auto begin = static_cast<size_t>(key.Mark().pos);
  if (text.substr(begin, text.find('\n', begin) - begin).find(':') == std::string::npos)
    throw YAML::Exception(key.Mark(), "the line is not 'key: value'");
}

}  // namespace

std::vector<std::pair<std::string, std::vector<std::string>>> parse_yaml_options(
    const std::string& text, const std::string& where) {
  // Vocabularies may hold the piece "-" without quotes, which YAML takes for an item of a list.
  static const std::regex kBareDash("(^|\n)- :");
  std::vector<std::pair<std::string, std::vector<std::string>>> pairs;
  try {
    const std::string yaml = std::regex_replace(text, kBareDash, "$1\"-\" :");
    const YAML::Node root = YAML::Load(yaml);
    if (!root.IsMap() && !root.IsNull())
      throw YAML::Exception(root.Mark(), "the top level must be a mapping");
    for (const auto& pair : root) {
      if (pair.second.IsNull()) require_colon(pair.first, yaml);
      pairs.emplace_back(scalar(pair.first, "a key"), values_of(pair.second));
    }
  } catch (const YAML::Exception& error) {
    throw DataError(where + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
  return pairs;
}

}  // namespace dietmt::interchange
