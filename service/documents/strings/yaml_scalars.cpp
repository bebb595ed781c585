#include "service/documents/strings/yaml_scalars.h"

#include <yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/utf8.h"
#include "service/documents/plural_categories.h"

namespace dietmt::service {
namespace {

const std::string kYamlDigits = "+-.0123456789";

YamlStyle style_of(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return YamlStyle::kSingleQuotes;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return YamlStyle::kDoubleQuotes;
    case YAML_LITERAL_SCALAR_STYLE:
      return YamlStyle::kLiteral;
    case YAML_FOLDED_SCALAR_STYLE:
      return YamlStyle::kFolded;
    default:
      return YamlStyle::kPlain;
  }
}

// !!str, or ! before quotes.
bool is_tag_of_strings(std::string_view tag) { return tag == YAML_STR_TAG || tag == "!"; }

class YamlReader {
 public:
  explicit YamlReader(const std::string& text) : text_(text) {}

  YamlFile all() {
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) throw std::bad_alloc();
    const std::unique_ptr<yaml_parser_t, void (*)(yaml_parser_t*)> owner(&parser,
                                                                         yaml_parser_delete);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text_.data()),
                                 text_.size());
    for (bool goes_on = true; goes_on;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser, &event) == 0)
        throw DataError("line " + std::to_string(parser.problem_mark.line + 1) +
                        ": the YAML is damaged: " +
                        (parser.problem != nullptr ? parser.problem : "it cannot be read"));
      const std::unique_ptr<yaml_event_t, void (*)(yaml_event_t*)> event_owner(&event,
                                                                               yaml_event_delete);
      goes_on = event.type != YAML_STREAM_END_EVENT;
      read(event);
    }
    return std::move(file_);
  }

 private:
  enum class Next { kKey, kValue, kItem };

  struct Level {
    Next next = Next::kItem;
    size_t mapping = 0;  // 0: a sequence
    std::string key = {};
    size_t key_begin = 0;
  };

  void read(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        read_scalar(event);
        break;
      case YAML_ALIAS_EVENT:
        pass_node();
        break;
      case YAML_MAPPING_START_EVENT:
      case YAML_SEQUENCE_START_EVENT:
        pass_node();
        check_depth(event);
        levels_.push_back(event.type == YAML_MAPPING_START_EVENT ? Level{Next::kKey, ++mappings_}
                                                                 : Level());
        if (event.type == YAML_MAPPING_START_EVENT &&
            event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
          file_.flows.insert(mappings_);
        break;
      case YAML_MAPPING_END_EVENT:
      case YAML_SEQUENCE_END_EVENT:
        levels_.pop_back();
        break;
      default:
        break;
    }
  }

  // libyaml looks at all levels for each token inside [] and {}.
  void check_depth(const yaml_event_t& event) const {
    constexpr size_t kMostLevels = 100;
    if (levels_.size() < kMostLevels) return;
    throw DataError("line " + std::to_string(event.start_mark.line + 1) +
                    ": the YAML is nested more than " + std::to_string(kMostLevels) +
                    " levels deep");
  }

  // Returns whether the node is a key.
  bool pass_node() {
    if (levels_.empty() || levels_.back().next == Next::kItem) return false;
    const bool is_key = levels_.back().next == Next::kKey;
    levels_.back().next = is_key ? Next::kValue : Next::kKey;
    return is_key;
  }

  void read_scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    YamlScalar one{byte_of(event.start_mark), byte_of(event.end_mark), style_of(scalar.style),
                   std::string(reinterpret_cast<const char*>(scalar.value), scalar.length)};
    const bool is_key = pass_node();
    one.depth = levels_.size();
    one.is_top_key = is_key && levels_.size() == 1;
    file_.top_keys += one.is_top_key ? 1 : 0;
    const bool is_string = scalar.tag == nullptr
                               ? one.style != YamlStyle::kPlain || !is_yaml_constant(one.text)
                               : is_tag_of_strings(reinterpret_cast<const char*>(scalar.tag));
    // The marks of a node with an anchor or a tag begin there.
    while (one.begin < one.end && (text_[one.begin] == '&' || text_[one.begin] == '!')) {
      const size_t space = text_.find_first_of(" \t\r\n", one.begin);
      one.begin = std::min(text_.find_first_not_of(" \t\r\n", space), one.end);
    }
    if (is_key) {
      levels_.back().key = one.text;
      levels_.back().key_begin = one.begin;
      if (!is_plural_category(one.text)) file_.others.insert(levels_.back().mapping);
    } else if (!levels_.empty()) {
      one.mapping = levels_.back().mapping;
      one.key = levels_.back().key;
      one.key_begin = levels_.back().key_begin;
    }
    if (one.is_top_key || (!is_key && is_string)) file_.scalars.push_back(std::move(one));
  }

  // libyaml counts characters.
  size_t byte_of(const yaml_mark_t& mark) {
    for (; characters_ < mark.index && byte_ < text_.size(); ++characters_) {
      ++byte_;
      while (byte_ < text_.size() && continues_character(text_[byte_])) ++byte_;
    }
    return byte_;
  }

  const std::string& text_;
  YamlFile file_;
  std::vector<Level> levels_;
  size_t mappings_ = 0;
  size_t characters_ = 0;  // before byte_
  size_t byte_ = 0;
};

}  // namespace

YamlFile read_yaml(const std::string& text) { return YamlReader(text).all(); }

bool is_yaml_constant(const std::string& text) {
  constexpr std::array<std::string_view, 12> kNames = {"y",  "n",   "yes", "no",   "true", "false",
                                                       "on", "off", "~",   "null", ".inf", ".nan"};
  std::string lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text.empty() || std::ranges::find(kNames, lower) != kNames.end()) return true;
  if (kYamlDigits.find(text.front()) == std::string::npos) return false;
  char* end = nullptr;
  (void)std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size();
}

}  // namespace dietmt::service
