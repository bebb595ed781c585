#include "encoders/position/scheme/position_spec.h"

namespace dietmt::encoders {
namespace {

std::string canonical_encoding(const EncodingSpec& spec) {
  std::string options;
  for (const EncodingOption& option : spec.row->options) {
    const std::string& value = spec.values.text(option.name);
    if (value != option.default_value)
      options += (options.empty() ? "" : ",") + option.name + "=" + value;
  }
  return spec.row->name + (options.empty() ? "" : "(" + options + ")");
}

std::string canonical_heads(const std::vector<int64_t>& heads) {
  std::string text;
  for (size_t i = 0; i < heads.size();) {
    size_t end = i + 1;
    while (end < heads.size() && heads[end] == heads[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(heads[i]);
    if (end - i > 1) text += "-" + std::to_string(heads[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace

std::string canonical_position_spec(const std::vector<EncodingSpec>& specs) {
  std::vector<std::string> parts;
  bool in_heads = false;
  for (const EncodingSpec& spec : specs) {
    if (spec.heads.empty()) {
      parts.push_back(canonical_encoding(spec));
      continue;
    }
    const std::string item = canonical_encoding(spec) + ":" + canonical_heads(spec.heads);
    if (in_heads)
      parts.back().insert(parts.back().size() - 1, "," + item);
    else
      parts.push_back("heads[" + item + "]");
    in_heads = true;
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "+") + part;
  return text;
}

}  // namespace dietmt::encoders
