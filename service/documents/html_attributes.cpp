#include "service/documents/html_attributes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "service/documents/html_charset.h"
#include "service/documents/html_tags.h"
#include "service/documents/language_marks.h"

namespace dietmt::service {
namespace {

struct Attribute {
  std::string name;
  std::string_view value;
};

std::vector<Attribute> attributes_of(std::string_view tag) {
  std::vector<Attribute> all;
  size_t at = 1 + tag_name(tag).size();
  while (true) {
    auto [name, value] = next_attribute(tag, at);
    if (name.empty()) return all;
    all.push_back({std::move(name), value});
  }
}

std::string value_of(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? "" : html_lower_case(found->value);
}

// Attributes whose values a reader sees (HTML Standard, 3.2.6.2; WAI-ARIA 1.2; <table summary> of
// HTML 4), and what components of MDX call so. Each element is followed by a space; none: those of
// all elements.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kTexts = {
    {{"title", ""},
     {"aria-label", ""},
     {"aria-description", ""},
     {"aria-placeholder", ""},
     {"aria-roledescription", ""},
     {"aria-valuetext", ""},
     {"alt", "img area input applet component "},
     {"placeholder", "input textarea component "},
     {"label", "optgroup option track menu menuitem component "},
     {"summary", "table component "},
     {"description", "component "},
     {"value", "input "},
     {"content", "meta "}}};

// Names of <meta> elements that describe the page.
constexpr std::array<std::string_view, 10> kDescriptions = {
    "description",    "title",        "dc.title",      "dc.description",      "og:title",
    "og:description", "og:image:alt", "twitter:title", "twitter:description", "twitter:image:alt"};

// Whether the attribute that some elements have for other purposes is a text.
bool is_button(const std::vector<Attribute>& attributes) {
  const std::string type = value_of(attributes, "type");
  return type == "submit" || type == "reset" || type == "button";
}

bool is_description(const std::vector<Attribute>& attributes) {
  return std::ranges::any_of(std::array{"name", "property", "itemprop"}, [&](const char* one) {
    return std::ranges::find(kDescriptions, value_of(attributes, one)) != kDescriptions.end();
  });
}

bool may_be_text(const std::string& element, const std::string& name) {
  const auto* const known =
      std::ranges::find(kTexts, name, [](const auto& one) { return one.first; });
  if (known == kTexts.end()) return false;
  // The titles of style sheets name sets of them.
  if (name == "title" && (element == "link" || element == "style")) return false;
  return known->second.empty() || known->second.find(element + " ") != known->second.npos;
}

// The tag with the target's language and direction.
std::string in_target_language(std::string tag, const LanguagePair& languages) {
  const std::string element = tag_name(tag);
  const bool is_root = element == "html";
  const std::string language = xml_language(languages.target);
  const bool was_right = is_right_to_left(languages.source);
  const bool is_right = is_right_to_left(languages.target);
  const std::string_view direction = is_right ? "rtl" : "ltr";
  struct Change {
    size_t begin;
    size_t size;
    std::string_view by;
  };
  std::vector<Change> changes;
  const auto change = [&](std::string_view value, std::string_view by) {
    changes.push_back({static_cast<size_t>(value.data() - tag.data()), value.size(), by});
  };
  bool has_language = false, has_direction = false, is_xml = false;
  const std::vector<Attribute> attributes = attributes_of(tag);
  for (const auto& [name, value] : attributes) {
    if (name == "xmlns") is_xml = true;
    if (name == "lang" || name == "xml:lang") {
      has_language = true;
      const bool is_source = translates_language(value, languages).value_or(false);
      if ((is_root || is_source) && !is_same_language(value, language) && !value.empty())
        change(value, language);
    }
    if (name == "dir") {
      has_direction = true;
      const std::string old = html_lower_case(value);
      if (is_right != was_right && old != direction && (old == "ltr" || old == "rtl"))
        change(value, direction);
    }
  }
  if (!is_root && element != "body" && !has_language) return tag;
  for (auto one = changes.rbegin(); one != changes.rend(); ++one)
    tag.replace(one->begin, one->size, one->by);
  std::string added;
  if (is_root && !has_language) added += (is_xml ? " xml:lang=\"" : " lang=\"") + language + '"';
  if (is_root && !has_direction && is_right && !was_right) added += " dir=\"rtl\"";
  return tag.insert(1 + element.size(), added);
}

}  // namespace

TextTag html_tag(const MarkupPart& part, const LanguagePair& languages) {
  TextTag made{declaring_utf8(part.raw), {}};
  const bool is_comment = part.raw.starts_with("<!") || part.raw.starts_with("<?");
  if (!part.has_attributes || is_comment) return made;
  if (!languages.target.empty())
    made.markup = in_target_language(std::move(made.markup), languages);
  const std::string_view markup = made.markup;
  const std::string element = part.is_component ? "component" : tag_name(markup);
  const std::vector<Attribute> attributes = attributes_of(markup);
  const bool has_text = is_button(attributes) || is_description(attributes);
  for (const auto& [name, value] : attributes) {
    if (value.empty() || !may_be_text(element, name)) continue;
    if ((name == "value" || name == "content") && !has_text) continue;
    const auto begin = static_cast<size_t>(value.data() - markup.data());
    const bool is_quoted = markup[begin - 1] == '"' || markup[begin - 1] == '\'';
    if (is_quoted && begin + value.size() == markup.size()) continue;  // without its end
    if (!is_quoted && value.starts_with('{')) continue;                // an expression of MDX
    made.values.push_back({is_quoted ? begin - 1 : begin, value.size() + (is_quoted ? 2 : 0),
                           resolve_references(value), attribute_value});
  }
  return made;
}

std::string with_values(const TextTag& tag, const std::vector<std::optional<std::string>>& values) {
  std::string written;
  size_t at = 0;
  for (size_t i = 0; i < tag.values.size(); ++i) {
    if (!values[i]) continue;
    written.append(tag.markup, at, tag.values[i].begin - at) += *values[i];
    at = std::min(tag.values[i].begin + tag.values[i].size, tag.markup.size());
  }
  return written.append(tag.markup, at);
}

}  // namespace dietmt::service
