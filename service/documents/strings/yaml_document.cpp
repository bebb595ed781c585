// YAML: scalars that are strings and no keys. A file with one key on top, which is the source
// language, gets the target language instead, and the plural forms that it needs (the catalogues of
// Ruby on Rails).
#include <yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/error.h"
#include "service/documents/language_marks.h"
#include "service/documents/plural_categories.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

const std::string kYamlDigits = "+-.0123456789";

// Whether a plain scalar is a boolean, null or a number in YAML 1.1, not a string.
bool is_plain_constant(const std::string& text) {
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

// Whether a plain scalar with this text would be read as it is, inside [] and {} too.
bool is_safe_plain(const std::string& text) {
  constexpr const char* kIndicators = "-?:,[]{}#&*!|>'\"%@` \t";
  return !is_plain_constant(text) &&
         std::string_view(kIndicators).find(text[0]) == std::string::npos &&
         text.find_first_of("\r\n\t[]{},") == std::string::npos && text.find(": ") == text.npos &&
         text.find(" #") == text.npos && text.back() != ':' && text.back() != ' ';
}

std::string in_double_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += std::string{'\\', c};
    else if (c == '\n' || c == '\t' || c == '\r')
      quoted += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string in_single_quotes(const std::string& text) {
  if (text.find('\n') != text.npos) return in_double_quotes(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + '\'';
}

class YamlDocument final : public ValuesDocument {
 public:
  enum class Values { kAll, kOfPages };

  YamlDocument(std::string_view bytes, const DocumentOptions& options, Values values)
      : ValuesDocument(bytes),
        options_(options),
        values_(values),
        categories_(plural_categories(options.target)) {
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) throw std::bad_alloc();
    const std::unique_ptr<yaml_parser_t, void (*)(yaml_parser_t*)> owner(&parser,
                                                                         yaml_parser_delete);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text().data()),
                                 text().size());
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
    if (values_ == Values::kAll) rename_language();
    const std::map<size_t, Forms> forms =
        language_key_ ? plural_forms() : std::map<size_t, Forms>();
    for (size_t i = 0; i < scalars_.size(); ++i) {
      add(scalars_[i]);
      if (const auto found = forms.find(i); found != forms.end()) add_missing(found->second);
    }
    finish();
  }

 private:
  enum class Next { kKey, kValue, kItem };

  struct Scalar {
    size_t begin = 0;  // bytes of the file
    size_t end = 0;
    yaml_scalar_style_t style = YAML_PLAIN_SCALAR_STYLE;
    std::string text;
    bool is_top_key = false;
    size_t mapping = 0;  // whose value it is
    std::string key = {};
    size_t key_begin = 0;
  };
  using Forms = std::vector<size_t>;  // the scalars of a mapping whose keys are plural categories

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
          flows_.insert(mappings_);
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
    Scalar one{byte_of(event.start_mark), byte_of(event.end_mark), scalar.style,
               std::string(reinterpret_cast<const char*>(scalar.value), scalar.length)};
    const bool is_key = pass_node();
    one.is_top_key = is_key && levels_.size() == 1;
    top_keys_ += one.is_top_key ? 1 : 0;
    const bool is_string = scalar.tag == nullptr &&
                           (one.style != YAML_PLAIN_SCALAR_STYLE || !is_plain_constant(one.text));
    // The marks of a node with an anchor or a tag begin there.
    if (scalar.anchor != nullptr && text()[one.begin] == '&')
      one.begin = text().find_first_not_of(" \t\r\n", text().find_first_of(" \t\r\n", one.begin));
    if (is_key) {
      levels_.back().key = one.text;
      levels_.back().key_begin = one.begin;
      if (!is_plural_category(one.text)) others_.insert(levels_.back().mapping);
    } else if (!levels_.empty()) {
      one.mapping = levels_.back().mapping;
      one.key = levels_.back().key;
      one.key_begin = levels_.back().key_begin;
    }
    if (one.is_top_key || (!is_key && is_string && is_wanted(one)))
      scalars_.push_back(std::move(one));
  }

  bool is_wanted(const Scalar& one) const {
    return values_ == Values::kAll ||
           (levels_.size() == 1 &&
            (one.key == "title" || one.key == "description" || one.key == "summary"));
  }

  // libyaml counts characters.
  size_t byte_of(const yaml_mark_t& mark) {
    for (; characters_ < mark.index && byte_ < text().size(); ++characters_) {
      ++byte_;
      while (byte_ < text().size() && (text()[byte_] & 0xC0) == 0x80) ++byte_;
    }
    return byte_;
  }

  void rename_language() {
    for (const Scalar& one : scalars_) {
      if (!one.is_top_key || top_keys_ != 1 || one.text.size() > 8) continue;
      if (!is_same_language(one.text, options_.source)) continue;
      const size_t at = text().find(one.text, one.begin);
      language_key_ = {at, at + one.text.size()};
    }
  }

  // The forms of messages, by the last of them.
  std::map<size_t, Forms> plural_forms() const {
    std::map<size_t, Forms> by_mapping, by_last;
    for (size_t i = 0; i < scalars_.size(); ++i)
      if (scalars_[i].mapping > 0 && !others_.contains(scalars_[i].mapping))
        by_mapping[scalars_[i].mapping].push_back(i);
    for (auto& [mapping, forms] : by_mapping) {
      const auto is_simple = [&](size_t i) { return !is_block(scalars_[i]); };
      const auto is_other = [&](size_t i) { return scalars_[i].key == "other"; };
      if (forms.size() > 1 && std::ranges::all_of(forms, is_simple) &&
          std::ranges::any_of(forms, is_other))
        by_last[forms.back()] = std::move(forms);
    }
    return by_last;
  }

  // On new lines as the last form has them, or after a comma inside {}.
  void add_missing(const Forms& scalars) {
    std::vector<PluralForm> forms;
    for (const size_t i : scalars) {
      const Scalar& one = scalars_[i];
      const size_t category = text().find(one.key, one.key_begin);
      forms.push_back({one.key, one.key_begin, category, one.begin, one.end, one.end});
    }
    size_t at = forms.back().end;
    std::string gap = ", ";
    if (!flows_.contains(scalars_[scalars.back()].mapping)) {
      const size_t line = text().find_last_of("\r\n", forms.back().begin);
      if (line == std::string::npos) return;  // the only line
      const size_t line_end = line - (line > 0 && text()[line - 1] == '\r' ? 1 : 0);
      gap = text().substr(line_end, forms.back().begin - line_end);
      at = std::min(text().find_first_of("\r\n", at), text().size());
    }
    add_missing_forms(forms, categories_, gap, at, [&](size_t form) {
      Scalar copy = scalars_[scalars[form]];
      copy.begin = copy.end = at;
      add(copy);
    });
  }

  static bool is_block(const Scalar& one) {
    return one.style == YAML_LITERAL_SCALAR_STYLE || one.style == YAML_FOLDED_SCALAR_STYLE;
  }

  void add(Scalar& one) {
    if (one.is_top_key) {
      if (language_key_ && language_key_->first >= one.begin && language_key_->first < one.end)
        replace(language_key_->first, language_key_->second, options_.target);
      return;
    }
    Encode encode = in_double_quotes;
    size_t begin = one.begin, end = one.end;
    if (is_block(one)) {
      begin = text().find('\n', begin) + 1;
      if (begin == 0 || begin >= end) return;
      begin = text().find_first_not_of('\n', begin);
      const size_t column = text().find_first_not_of(' ', begin) - begin;
      end = text().find_last_not_of(" \t\r\n", end - 1) + 1;
      begin += column;
      if (begin >= end) return;
      one.text = one.text.substr(0, one.text.find_last_not_of(" \t\r\n") + 1);
      encode = [indent = '\n' + std::string(column, ' ')](const std::string& text) {
        std::string block;
        for (size_t at = 0; at < text.size(); ++at) {
          const bool is_blank = at + 1 < text.size() && text[at + 1] == '\n';
          block += text[at] == '\n' && !is_blank ? indent : std::string(1, text[at]);
        }
        return block;
      };
    } else if (one.style == YAML_SINGLE_QUOTED_SCALAR_STYLE) {
      encode = in_single_quotes;
    } else if (one.style == YAML_PLAIN_SCALAR_STYLE) {
      encode = [](const std::string& text) {
        return is_safe_plain(text) ? text : in_double_quotes(text);
      };
    }
    add_value(begin, end, {.text = one.text, .marks = {}}, std::move(encode));
  }

  DocumentOptions options_;
  Values values_;
  std::vector<std::string> categories_;  // of plural forms in the target language
  std::vector<Level> levels_;
  size_t mappings_ = 0;
  std::set<size_t> flows_;   // mappings in {}
  std::set<size_t> others_;  // mappings with keys that are no plural categories
  std::vector<Scalar> scalars_;
  size_t top_keys_ = 0;
  std::optional<std::pair<size_t, size_t>> language_key_;
  size_t characters_ = 0;  // before byte_
  size_t byte_ = 0;
};

}  // namespace

std::unique_ptr<Document> open_yaml(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<YamlDocument>(bytes, options, YamlDocument::Values::kAll);
}

std::unique_ptr<Document> open_front_matter(std::string_view bytes) {
  return std::make_unique<YamlDocument>(bytes, DocumentOptions(), YamlDocument::Values::kOfPages);
}

}  // namespace dietmt::service
