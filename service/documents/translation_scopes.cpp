#include "service/documents/translation_scopes.h"

#include <algorithm>

#include "nmt/alignment/inline_markup.h"
#include "service/documents/html_tags.h"
#include "service/documents/language_marks.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kCode[] = {"code", "kbd", "samp", "var", "tt", "svg", "math"};

std::optional<bool> translate_attribute(std::string_view value) {
  const std::string word = html_lower_case(value);
  if (word == "no") return false;
  return word == "yes" || word.empty() ? std::optional(true) : std::nullopt;
}

bool has_class(std::string_view classes, std::string_view wanted) {
  constexpr const char* kSpaces = " \t\r\n\f";
  while (!classes.empty()) {
    const size_t end = std::min(classes.find_first_of(kSpaces), classes.size());
    if (classes.substr(0, end) == wanted) return true;
    classes.remove_prefix(std::min(end + 1, classes.size()));
  }
  return false;
}

// Elements whose end tag may be omitted before the start tag of others (HTML Standard, 13.1.2.4),
// unless a container is in between. Each name is followed by a space.
struct OptionalEnd {
  std::string_view elements;
  std::string_view next;
  std::string_view containers;  // in addition to tables
};

constexpr OptionalEnd kOptionalEnds[] = {
    {"li ", "li ", "ul ol menu "},
    {"dt dd ", "dt dd ", "dl "},
    {"p ",
     "address article aside blockquote details dialog div dl fieldset figcaption figure footer "
     "form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section table ul ",
     "button object "},
    {"rt rp ", "rt rp ", "ruby "},
    {"option ", "option optgroup hr ", "select datalist "},
    {"optgroup ", "optgroup hr ", "select "},
    {"td th ", "td th tr thead tbody tfoot ", ""},
    {"tr ", "tr thead tbody tfoot ", ""},
    {"thead tbody tfoot ", "thead tbody tfoot ", ""},
    {"caption colgroup ", "caption colgroup tr thead tbody tfoot ", ""},
    {"head ", "body ", ""},
};

template <typename Use>
void for_each_name(std::string_view names, Use use) {
  while (!names.empty()) {
    const size_t end = names.find(' ');
    use(names.substr(0, end));
    names.remove_prefix(end + 1);
  }
}

bool has_name(std::string_view names, std::string_view name) {
  bool is_there = false;
  for_each_name(names, [&](std::string_view one) { is_there = is_there || one == name; });
  return is_there;
}

}  // namespace

std::optional<bool> translates_language(std::string_view declared, const LanguagePair& languages) {
  const std::string language = language_of(declared);
  if (language == "zxx") return false;  // no language
  if (language.size() < 2 || language.size() > 3 || language == "und" || language == "mul")
    return std::nullopt;
  if (languages.source.empty() || languages.source == "auto")
    return !is_same_language(language, languages.target);
  return is_same_language(language, languages.source);
}

// The language of the whole page is that of the request, whatever its root says.
std::optional<bool> TranslationScopes::decision_of(std::string_view tag) const {
  const std::string element = tag_name(tag);
  const bool is_page = element == "html" || element == "body";
  std::optional<bool> by_attribute, by_class, by_language;
  size_t at = 1 + element.size();
  while (true) {
    const auto [name, value] = next_attribute(tag, at);
    if (name.empty()) break;
    if (name == "translate" && !by_attribute) by_attribute = translate_attribute(value);
    if (name == "class" && has_class(value, "notranslate")) by_class = false;
    if ((name == "lang" || name == "xml:lang") && !is_page)
      by_language = translates_language(value, languages_);
  }
  if (by_attribute || by_class) return by_attribute ? by_attribute : by_class;
  if (std::ranges::find(kCode, element) != std::end(kCode)) return false;
  return by_language;
}

bool TranslationScopes::translates_attributes(std::string_view tag) const {
  return decision_of(tag).value_or(translates());
}

void TranslationScopes::pass(std::string_view tag, bool is_code) {
  const std::string name = element_of(tag);
  if (closes_element(tag)) return end(name);
  if (name.empty() || tag.ends_with("/>")) return;
  end_elements_before(name);
  if (nmt::is_void_element(name)) return;
  places_[name].push_back(elements_.size());
  elements_.push_back({name, decision_of(tag)});
  if (is_code && !elements_.back().translates) elements_.back().translates = false;
  if (elements_.back().translates) scopes_.push_back(elements_.size() - 1);
}

int64_t TranslationScopes::place_of(const std::string& name) const {
  const auto found = places_.find(name);
  if (found == places_.end() || found->second.empty()) return -1;
  return static_cast<int64_t>(found->second.back());
}

int64_t TranslationScopes::innermost_of(std::string_view names) const {
  int64_t place = -1;
  for_each_name(names,
                [&](std::string_view one) { place = std::max(place, place_of(std::string(one))); });
  return place;
}

void TranslationScopes::end_elements_before(const std::string& name) {
  for (const OptionalEnd& one : kOptionalEnds) {
    if (!has_name(one.next, name)) continue;
    const int64_t container = std::max(innermost_of(one.containers), place_of("table"));
    for_each_name(one.elements, [&](std::string_view element) {
      const int64_t place = place_of(std::string(element));
      if (place > container) close_from(static_cast<size_t>(place));
    });
  }
}

// The end tag of a block also ends the elements inside, but no table around it. That of an inline
// element ends only that element: `<b><i translate=no>one</b> two</i>`.
void TranslationScopes::end(const std::string& name) {
  const int64_t place = place_of(name);
  if (place < 0) return;
  if (is_inline_element(name) || place < place_of("table"))
    close(static_cast<size_t>(place));
  else
    close_from(static_cast<size_t>(place));
}

void TranslationScopes::close(size_t place) {
  elements_[place].is_open = false;
  places_[elements_[place].name].pop_back();
  drop_closed();
}

void TranslationScopes::close_from(size_t place) {
  for (size_t i = elements_.size(); i > place; --i)
    if (elements_[i - 1].is_open) places_[elements_[i - 1].name].pop_back();
  elements_.resize(place);
  drop_closed();
}

void TranslationScopes::drop_closed() {
  while (!elements_.empty() && !elements_.back().is_open) elements_.pop_back();
  while (!scopes_.empty() &&
         (scopes_.back() >= elements_.size() || !elements_[scopes_.back()].is_open))
    scopes_.pop_back();
}

}  // namespace dietmt::service
