// Xcode's string catalogues, .xcstrings: JSON with all languages of a program. The localization of
// the target is made as that of the source is, with the plural forms of the target.
#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "service/documents/kept_signs.h"
#include "service/documents/language_marks.h"
#include "service/documents/placeholders.h"
#include "service/documents/plural_categories.h"
#include "service/documents/strings/string_catalog.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kState = R"("needs_review")";
constexpr size_t kMostLevels = 8;  // of variations in variations

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_translatable(const std::string& text) {
  std::vector<nmt::MarkedText> segments;
  return add_segment(with_marks(text, kept_parts_in(text, nullptr)), segments).has_value();
}

class StringCatalogDocument final : public ValuesDocument {
 public:
  StringCatalogDocument(std::string_view bytes, const DocumentOptions& options,
                        const DocumentLimits& limits)
      : ValuesDocument(bytes),
        catalog_(text(), limits.nodes),
        code_(catalog_.code_of(options.target)),
        categories_(plural_categories(options.target)) {
    const std::string& language = catalog_.source_language();
    if (options.source != "auto" && !is_same_language(language, options.source))
      throw DataError("sourceLanguage is '" + language + "', but the request translates from '" +
                      options.source + "'");
    if (code_ == language)
      throw DataError("sourceLanguage is '" + language + "', the language of the translation");
    std::ranges::sort(categories_);  // as Xcode does
    for (const JsonPlace* const string : catalog_.strings()) add_string(*string);
    finish();
  }

 private:
  using Units = std::vector<const JsonPlace*>;

  void add_string(const JsonPlace& string) {
    const JsonPlace* const all = catalog_.member(&string, "localizations");
    const JsonPlace* const source = catalog_.member(all, catalog_.source_language());
    const JsonPlace* const target = catalog_.member(all, code_);
    key_ = &string.key;
    units_ = source == nullptr ? Units() : catalog_.units_of(*source);
    if (!has_text()) return;
    constexpr size_t kDepth = 4;  // of a language
    if (target != nullptr) {
      complete(*target, source, kDepth);
    } else if (all != nullptr && all->kind == JsonPlace::Kind::kObject) {
      insert(*all, code_, kDepth, [&](size_t at) { add_localization(source, at, kDepth); });
    } else {
      insert(string, "localizations", kDepth - 1, [&](size_t at) {
        replace(at, at, "{" + catalog_.line(kDepth) + json_string(code_));
        replace(at, at, catalog_.colon());
        add_localization(source, at, kDepth);
        replace(at, at, catalog_.line(kDepth - 1) + "}");
      });
    }
  }

  // A string without a localization in the source language is its own text.
  bool has_text() const {
    if (units_.empty()) return is_translatable(*key_);
    return std::ranges::any_of(units_, [this](const JsonPlace* unit) {
      return std::ranges::any_of(catalog_.values_of(*unit), [](const JsonPlace* value) {
        return is_translatable(value->text);
      });
    });
  }

  // Translations that somebody has made stay.
  void complete(const JsonPlace& target, const JsonPlace* source, size_t depth) {
    const Units units = catalog_.units_of(target);
    const auto is_open = [this](const JsonPlace* unit) { return catalog_.is_open(*unit); };
    if (std::ranges::all_of(units, is_open)) {
      replace(target.begin, target.end, "");
      add_localization(source, target.end, depth);
    } else {
      fill(target, source, kMostLevels);
    }
  }

  // Translates the open units from those of the source in the same places, or those for "other".
  void fill(const JsonPlace& target, const JsonPlace* source, size_t most_levels) {
    std::map<std::string_view, const JsonPlace*> likes;
    if (source != nullptr)
      for (const JsonPlace* const one : catalog_.children_of(*source)) likes.emplace(one->key, one);
    for (const JsonPlace* const one : catalog_.children_of(target)) {
      auto like = likes.find(one->key);
      if (like == likes.end()) like = likes.find("other");
      const JsonPlace* const found = like == likes.end() ? nullptr : like->second;
      if (is_unit(*one))
        fill_unit(*one, found);
      else if (one->kind == JsonPlace::Kind::kObject && most_levels > 0)
        fill(*one, found, most_levels - 1);
    }
  }

  void fill_unit(const JsonPlace& unit, const JsonPlace* source) {
    const Units values = catalog_.values_of(unit);
    if (!catalog_.is_open(unit) || values.size() != 1) return;
    const JsonPlace& state = *catalog_.member(&unit, "state");
    const JsonPlace& value = *values.front();
    const auto fill_state = [&] { replace(state.begin, state.end, kState); };
    const bool has_state_first = state.begin < value.begin;
    if (has_state_first) fill_state();
    replace(value.begin, value.end, "");
    add_text(source_text(source), value.end);
    if (!has_state_first) fill_state();
  }

  const std::string& source_text(const JsonPlace* unit) const {
    const auto own = unit == nullptr ? Units() : catalog_.values_of(*unit);
    if (own.size() == 1) return own.front()->text;
    return units_.empty() ? *key_ : catalog_.values_of(*units_.back()).front()->text;
  }

  // Adds a member to an object, before the first one with a greater key.
  void insert(const JsonPlace& object, const std::string& key, size_t depth,
              const std::function<void(size_t at)>& add) {
    const auto members = catalog_.children_of(object);
    const auto next =
        std::ranges::find_if(members, [&](const JsonPlace* one) { return one->key > key; });
    const std::string name = json_string(key) + std::string(catalog_.colon());
    if (members.empty()) {
      replace(object.begin + 1, object.end - 1, catalog_.line(depth) + name);
      add(object.end - 1);
      replace(object.end - 1, object.end - 1, catalog_.line(depth - 1));
      return;
    }
    const std::string gap = "," + std::string(gap_of(object, *members.front()));
    const size_t at = next == members.end() ? members.back()->end : (*next)->key_begin;
    replace(at, at, next == members.end() ? gap + name : name);
    add(at);
    if (next != members.end()) replace(at, at, gap);
  }

  std::string_view gap_of(const JsonPlace& object, const JsonPlace& first) const {
    return std::string_view(text()).substr(object.begin + 1, first.key_begin - object.begin - 1);
  }

  void add_localization(const JsonPlace* source, size_t at, size_t depth) {
    if (!units_.empty()) {
      cursor_ = source->begin;
      copy_inside(*source, at, kMostLevels);
      copy_to(source->end, at);
      return;
    }
    const std::string colon(catalog_.colon());
    replace(at, at,
            "{" + catalog_.line(depth + 1) + "\"stringUnit\"" + colon + "{" +
                catalog_.line(depth + 2) + "\"state\"" + colon + std::string(kState) + "," +
                catalog_.line(depth + 2) + "\"value\"" + colon);
    add_text(*key_, at);
    replace(at, at, catalog_.line(depth + 1) + "}" + catalog_.line(depth) + "}");
  }

  // The functions below copy the file from the cursor on, to `at`.

  void copy_inside(const JsonPlace& parent, size_t at, size_t most_levels) {
    if (most_levels == 0) return;
    for (const JsonPlace* const one : catalog_.children_of(parent)) {
      if (is_unit(*one))
        copy_unit(*one, at);
      else if (one->kind == JsonPlace::Kind::kObject &&
               !(one->key == "plural" && copy_forms(*one, at, most_levels - 1)))
        copy_inside(*one, at, most_levels - 1);
    }
  }

  void copy_unit(const JsonPlace& unit, size_t at) {
    const Units values = catalog_.values_of(unit);
    const JsonPlace* const state = catalog_.member(&unit, "state");
    if (values.empty()) return;
    const auto copy_state = [&] {
      copy_to(state->begin, at);
      replace(at, at, kState);
      cursor_ = state->end;
    };
    const bool has_state_first = state != nullptr && state->begin < values.front()->begin;
    if (has_state_first) copy_state();
    for (const JsonPlace* const value : values) {
      copy_to(value->begin, at);
      add_text(value->text, at);
      cursor_ = value->end;
    }
    if (state != nullptr && !has_state_first) copy_state();
  }

  // The forms of the target language, missing ones with the text of "other". Returns false for
  // other members, and within other forms.
  bool copy_forms(const JsonPlace& plural, size_t at, size_t most_levels) {
    std::vector<PluralForm> forms;
    const Units members = catalog_.children_of(plural);
    for (const JsonPlace* const one : members)
      if (is_plural_category(one->key))
        forms.push_back(
            {one->key, one->key_begin, one->key_begin, one->key_end, one->end, one->end});
    if (forms.empty() || forms.size() < members.size() || is_in_forms_) return false;
    const auto number_of = [&](const std::string& category) {
      const auto found = std::ranges::find(forms, category, &PluralForm::category);
      return found == forms.end() ? model_of(forms) : static_cast<size_t>(found - forms.begin());
    };
    std::vector<std::string> wanted = categories_;
    const bool has_zero = std::ranges::find(forms, "zero", &PluralForm::category) != forms.end();
    if (has_zero && wanted.back() != "zero") wanted.emplace_back("zero");  // 0 in every language
    is_in_forms_ = true;
    copy_to(members.front()->key_begin, at);
    for (const std::string& category : wanted) {
      if (category != wanted.front())
        replace(at, at, "," + std::string(gap_of(plural, *members.front())));
      const size_t number = number_of(category);
      replace(at, at, json_string(category));
      cursor_ = forms[number].value;
      copy_inside(*members[number], at, most_levels);
      copy_to(forms[number].end, at);
    }
    is_in_forms_ = false;
    cursor_ = members.back()->end;
    return true;
  }

  void copy_to(size_t end, size_t at) {
    replace(at, at, std::string_view(text()).substr(cursor_, end - cursor_));
    cursor_ = end;
  }

  void add_text(const std::string& value, size_t at) {
    add_value(at, at, {.text = value, .marks = {}}, json_string);
  }

  StringCatalog catalog_;
  std::string code_;                     // of the target
  std::vector<std::string> categories_;  // of plural forms in that language
  const std::string* key_ = nullptr;     // of the string
  Units units_;                          // of its source
  size_t cursor_ = 0;
  bool is_in_forms_ = false;
};

}  // namespace

std::unique_ptr<Document> open_string_catalog(std::string_view bytes,
                                              const DocumentOptions& options,
                                              const DocumentLimits& limits) {
  return std::make_unique<StringCatalogDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
