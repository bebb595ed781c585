#include "service/documents/bilingual_document.h"

#include <array>
#include <initializer_list>

#include "data/text/word_text.h"
#include "service/documents/language_marks.h"

namespace dietmt::service {
namespace {

// Inline elements that contain code of the original format, in TMX 1.4 and XLIFF 1.2 and 2.
constexpr std::array<std::string_view, 8> kCodes = {"ph", "it", "ut", "x", "cp", "sm", "em", "sub"};
constexpr std::array<std::string_view, 3> kBegins = {"bpt", "bx", "sc"};
constexpr std::array<std::string_view, 3> kEnds = {"ept", "ex", "ec"};

// The value of the first of these attributes that an element has.
std::string first_of(const xmlNode* element, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = attribute(element, name); !value.empty()) return value;
  return "";
}

// Codes of a pair refer to each other: bpt and ept by i, ex by the rid of its bx, ec by the id of
// its sc.
InlineNode inline_node(const xmlNode* node) {
  const std::string_view name = element_name(node);
  if (is_among(name, kBegins))
    return {InlineKind::kBegin,
            std::string(name.substr(0, 1)) + first_of(node, {"i", "rid", "id"})};
  if (is_among(name, kEnds)) {
    const char* const family = name == "ec" ? "s" : "b";
    return {InlineKind::kEnd, family + first_of(node, {"i", "startRef", "rid", "id"})};
  }
  return {is_translated(node, true) ? InlineKind::kElement : InlineKind::kCode, ""};
}

}  // namespace

bool is_blank(const xmlNode* node) {
  return content_of(node).find_first_not_of(" \t\r\n") == std::string::npos;
}

bool is_translated(const xmlNode* element, bool is_around) {
  if (attribute(element, "translate") == "yes") return true;
  const bool is_code = is_among(element_name(element), kCodes) ||
                       attribute(element, "translate") == "no" ||
                       attribute(element, "mtype") == "protected";
  return is_around && !is_code;
}

void replace(xmlNode* old, xmlNode* copy) {
  xmlReplaceNode(old, copy);
  xmlFreeNode(old);
  drop_repeated_namespaces(copy);
}

size_t length_of(xmlNode* text) {
  std::string characters;
  walk(text, [&](xmlNode* node) {
    if (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE)
      characters += content_of(node);
    return node == text || inline_node(node).kind == InlineKind::kElement;
  });
  return data::characters_of(characters).size();
}

std::string BilingualDocument::translated(const std::vector<Translation>& translations) {
  texts_.fill(translations);
  refused_ += messages_.fill(translations);
  check_targets();
  return in_form(tree_.text(), form_);
}

void BilingualDocument::set_language(xmlNode* target) const {
  if (attribute_node(target, "lang") != nullptr)
    set_attribute(target, "lang", xml_language(options_.target), nullptr);
}

bool BilingualDocument::stays(const xmlNode* source) {
  const Choices choices = choices_in(content_of(source));
  const bool is_divided =
      choices == Choices::kComplete && has_elements(source) && !messages_.reads(source);
  if (choices != Choices::kBroken && !is_divided) return false;
  ++unread_messages_;
  return true;
}

void BilingualDocument::add_text(xmlNode* target, bool translates) {
  if (translates && messages_.add(target)) return;
  if (translates) {
    unread_messages_ += choices_in(content_of(target)) != Choices::kNone ? 1 : 0;
    texts_.add(target, keeps_lines(target), inline_node);
  }
  add_text_of_codes(target, translates);
}

// Text to translate inside a code is a separate segment.
void BilingualDocument::add_text_of_codes(xmlNode* element, bool translates) {
  for (xmlNode* child = element->children; child != nullptr; child = child->next) {
    if (child->type != XML_ELEMENT_NODE) continue;
    const bool is_inside = is_translated(child, translates);
    if (is_inside && !translates) texts_.add(child, keeps_lines(child), inline_node);
    add_text_of_codes(child, is_inside);
  }
}

}  // namespace dietmt::service
