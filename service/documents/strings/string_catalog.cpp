#include "service/documents/strings/string_catalog.h"

#include <algorithm>

#include "service/documents/language_marks.h"

namespace dietmt::service {
namespace {

using Kind = JsonPlace::Kind;

constexpr std::string_view kPhrases = "stringSet";  // of voice commands: one state for all values

}  // namespace

StringCatalog::StringCatalog(std::string_view json, size_t most_values)
    : json_(json), places_(json_places(json, most_values)) {
  const JsonPlace* const language = member(&places_.front(), "sourceLanguage");
  const JsonPlace* const strings = member(&places_.front(), "strings");
  if (language == nullptr || strings == nullptr || language->text.empty() ||
      strings->kind != Kind::kObject)
    throw DataError("the file is not a string catalogue: it has no sourceLanguage or no strings");
  source_language_ = language->text;
  colon_ = json.substr(language->key_end, language->begin - language->key_end);
  const JsonPlace& first = places_[1];
  const std::string_view before =
      json.substr(places_.front().begin + 1, first.key_begin - places_.front().begin - 1);
  const size_t indent = before.find_last_of('\n') + 1;
  line_break_ = indent == 0 ? "" : before.starts_with('\r') ? "\r\n" : "\n";
  indent_ = indent == 0 ? "" : before.substr(indent);
  for (const JsonPlace* const one : children_of(*strings)) {
    const JsonPlace* const translates = member(one, "shouldTranslate");
    const bool stays =
        translates != nullptr &&
        json.substr(translates->begin, translates->end - translates->begin) == "false";
    if (one->kind == Kind::kObject && !stays) strings_.push_back(one);
    if (const JsonPlace* const all = member(one, "localizations"))
      for (const JsonPlace* const localization : children_of(*all))
        codes_.insert(localization->key);
  }
}

std::string StringCatalog::code_of(const std::string& language) const {
  std::string code = xml_language(language);
  if (codes_.contains(code)) return code;
  const auto fits = [&](const std::string& one) { return is_same_language(one, code); };
  const auto known = std::ranges::find_if(codes_, fits);
  return std::ranges::count_if(codes_, fits) == 1 && *known != source_language_ ? *known : code;
}

std::vector<const JsonPlace*> StringCatalog::children_of(const JsonPlace& parent) const {
  std::vector<const JsonPlace*> children;
  const auto number = static_cast<size_t>(&parent - places_.data());
  for (size_t i = number + 1; i < parent.next; i = places_[i].next) children.push_back(&places_[i]);
  return children;
}

const JsonPlace* StringCatalog::member(const JsonPlace* parent, std::string_view key) const {
  if (parent == nullptr || parent->kind != Kind::kObject) return nullptr;
  const auto number = static_cast<size_t>(parent - places_.data());
  for (size_t i = number + 1; i < parent->next; i = places_[i].next)
    if (places_[i].key == key) return &places_[i];
  return nullptr;
}

std::vector<const JsonPlace*> StringCatalog::units_of(const JsonPlace& localization) const {
  std::vector<const JsonPlace*> units;
  const auto number = static_cast<size_t>(&localization - places_.data());
  for (size_t i = number + 1; i < localization.next;) {
    const bool has_values = is_unit(places_[i]) && !values_of(places_[i]).empty();
    if (has_values) units.push_back(&places_[i]);
    i = has_values ? places_[i].next : i + 1;
  }
  return units;
}

std::vector<const JsonPlace*> StringCatalog::values_of(const JsonPlace& unit) const {
  const JsonPlace* const value = member(&unit, unit.key == kPhrases ? "values" : "value");
  if (value == nullptr) return {};
  std::vector<const JsonPlace*> values{value};
  if (unit.key == kPhrases) values = children_of(*value);
  std::erase_if(values, [](const JsonPlace* one) { return one->kind != Kind::kString; });
  return values;
}

bool StringCatalog::is_open(const JsonPlace& unit) const {
  const JsonPlace* const state = member(&unit, "state");
  return state != nullptr && state->text == "new";
}

std::string StringCatalog::line(size_t depth) const {
  std::string line(line_break_);
  for (size_t i = 0; i < depth; ++i) line += indent_;
  return line;
}

bool is_unit(const JsonPlace& place) {
  return place.kind == Kind::kObject && (place.key == "stringUnit" || place.key == kPhrases);
}

}  // namespace dietmt::service
