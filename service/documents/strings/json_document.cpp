// JSON: strings that are no keys. If the file says something about each message, only the messages.
// ARB, the catalogues of Flutter: without the objects about messages.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/json_fields.h"
#include "service/documents/plural_categories.h"
#include "service/documents/strings/json_places.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

enum class JsonDialect { kAny, kArb };

// Positions come from the text itself, which the library has checked up to the next string.
class JsonDocument final : public ValuesDocument, private nlohmann::json_sax<nlohmann::json> {
 public:
  JsonDocument(std::string_view bytes, JsonDialect dialect, const DocumentOptions& options)
      : ValuesDocument(bytes, LanguagePair{options.source, options.target}),
        dialect_(dialect),
        language_(options.target),
        categories_(plural_categories(language_)),
        writes_ascii_(text().find("\\u") != std::string::npos &&
                      std::ranges::none_of(text(), [](char c) { return c < 0; })) {
    using Sax = nlohmann::json_sax<nlohmann::json>;
    nlohmann::json::sax_parse(text(), static_cast<Sax*>(this), nlohmann::json::input_format_t::json,
                              true, true);
    if (is_described()) std::erase_if(strings_, [](const String& one) { return !is_message(one); });
    const std::map<size_t, Group> groups = groups_of_forms();
    for (size_t i = 0; i < strings_.size(); ++i) {
      add(strings_[i], strings_[i].begin, strings_[i].end);
      if (const auto group = groups.find(i); group != groups.end()) add_missing(group->second);
    }
    finish();
  }

 private:
  static constexpr size_t kArray = 0;

  struct String {
    size_t begin = 0;  // bytes with the quotes
    size_t end = 0;
    std::string text;
    std::string key = {};  // in an object
    size_t key_begin = 0;
    size_t object = kArray;
    size_t depth = 0;
    bool is_locale = false;  // the language of a file
  };
  using Group = std::vector<size_t>;  // the strings that are forms of one message

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }

  bool start_object(size_t /*size*/) override { return enter(++last_object_); }
  bool start_array(size_t /*size*/) override { return enter(kArray); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    key_begin_ = pass_string().first;
    key_ = name;
    return true;
  }

  bool string(string_t& value) override {
    const auto [begin, end] = pass_string();
    const bool is_locale = is_about_messages(1) && key_ == "@@locale";
    if (skipped_depth_ > 0 || (is_about_messages(1) && !is_locale)) return true;
    String one{begin, end, is_locale ? language_ : value};
    one.is_locale = is_locale;
    if (objects_.back() != kArray) {
      one.key = key_;
      one.key_begin = key_begin_;
      one.object = objects_.back();
    }
    one.depth = objects_.size() - 1;
    strings_.push_back(std::move(one));
    return true;
  }

  void add(const String& one, size_t begin, size_t end) {
    if (one.is_locale) return replace(begin, end, encoded(one.text));
    add_value(begin, end, {.text = one.text, .marks = {}},
              [this](const std::string& text) { return encoded(text); });
  }

  static bool is_message(const String& one) {
    return one.depth == 2 && (one.key == "message" || one.key == "defaultMessage");
  }

  // Whether every top-level value is an object with a message and, if any, its description: the
  // catalogues of browser extensions (messages.json), FormatJS and Docusaurus.
  bool is_described() const {
    const auto is_known = [](const String& one) {
      return is_message(one) || one.depth > 2 || (one.depth == 2 && one.key == "description");
    };
    return top_objects_ > 0 && std::ranges::all_of(strings_, is_known) &&
           std::cmp_equal(std::ranges::count_if(strings_, is_message), top_objects_);
  }

  // The forms of messages as i18next has them, in keys such as file_one and file_other of an
  // object, by the last of them.
  std::map<size_t, Group> groups_of_forms() const {
    std::map<std::pair<size_t, std::string>, Group> groups;
    for (size_t i = 0; i < strings_.size(); ++i) {
      const String& one = strings_[i];
      const size_t line = one.key.rfind('_');
      if (line == one.key.npos || !is_plural_category(one.key.substr(line + 1))) continue;
      groups[{one.object, one.key.substr(0, line)}].push_back(i);
    }
    std::map<size_t, Group> by_last;
    for (auto& [key, group] : groups) {
      const bool has_other =
          std::ranges::any_of(group, [&](size_t i) { return strings_[i].key.ends_with("_other"); });
      if (has_other && group.size() > 1 && !key.second.ends_with("_ordinal"))
        by_last[group.back()] = std::move(group);
    }
    return by_last;
  }

  void add_missing(const Group& group) {
    std::vector<PluralForm> forms;
    for (const size_t i : group) {
      const String& one = strings_[i];
      const size_t key_end = text().find_last_of('"', one.begin - 1);
      const std::string category = one.key.substr(one.key.rfind('_') + 1);
      if (text().compare(key_end - category.size(), category.size(), category) != 0) return;
      forms.push_back(
          {category, one.key_begin, key_end - category.size(), one.begin, one.end, one.end});
    }
    const size_t begin = forms.back().begin;
    const size_t gap = text().find_last_not_of(" \t\r\n", begin - 1) + 1;
    const size_t end = forms.back().end;
    add_missing_forms(forms, categories_, "," + text().substr(gap, begin - gap), end,
                      [&](size_t form) { add(strings_[group[form]], end, end); });
  }

  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    const std::string problem = json_problem(error);
    fail(std::min(position, text().size()), "the JSON is damaged: " + problem);
  }

  bool enter(size_t object) {
    const bool is_on_top = objects_.size() == 2 && objects_.back() != kArray;
    top_objects_ += is_on_top && object != kArray ? 1 : 0;
    objects_.push_back(object);
    if (is_about_messages(2) || skipped_depth_ > 0) ++skipped_depth_;
    return true;
  }

  bool is_about_messages(size_t depth) const {
    return dialect_ == JsonDialect::kArb && objects_.size() == depth + 1 && key_.starts_with('@');
  }

  bool leave() {
    objects_.pop_back();
    if (skipped_depth_ > 0) --skipped_depth_;
    return true;
  }

  // Moves past the next string. Returns its bytes with the quotes.
  std::pair<size_t, size_t> pass_string() {
    const auto place = next_json_string(text(), at_);
    at_ = place.second;
    return place;
  }

  std::string encoded(const std::string& text) const {
    return nlohmann::json(text).dump(-1, ' ', writes_ascii_,
                                     nlohmann::json::error_handler_t::replace);
  }

  JsonDialect dialect_;
  std::string language_;
  std::vector<std::string> categories_;  // of plural forms in that language
  bool writes_ascii_;
  size_t at_ = 0;
  std::vector<size_t> objects_{kArray};  // numbers of the objects around, from the outside
  size_t last_object_ = 0;
  size_t top_objects_ = 0;    // values of the object on top that are objects
  size_t skipped_depth_ = 0;  // levels of a value that is left out
  std::string key_;
  size_t key_begin_ = 0;
  std::vector<String> strings_;
};

}  // namespace

std::unique_ptr<Document> open_json(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<JsonDocument>(bytes, JsonDialect::kAny, options);
}

std::unique_ptr<Document> open_arb(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<JsonDocument>(bytes, JsonDialect::kArb, options);
}

}  // namespace dietmt::service
