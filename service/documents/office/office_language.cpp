#include "service/documents/office/office_language.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "service/documents/language_marks.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

// What follows a mark of direction in the order of Word's schema (ECMA-376, part 1, annex A.1).
constexpr std::array<std::string_view, 17> kAfterParagraphMark = {
    "adjustRightInd",   "snapToGrid",      "spacing", "ind",           "contextualSpacing",
    "mirrorIndents",    "suppressOverlap", "jc",      "textDirection", "textAlignment",
    "textboxTightWrap", "outlineLvl",      "divId",   "cnfStyle",      "rPr",
    "sectPr",           "pPrChange"};
constexpr std::array<std::string_view, 7> kAfterRunMark = {
    "cs", "em", "lang", "eastAsianLayout", "specVanish", "oMath", "rPrChange"};
constexpr std::array<std::string_view, 4> kAfterSectionMark = {"rtlGutter", "docGrid",
                                                               "printerSettings", "sectPrChange"};
constexpr std::array<std::string_view, 14> kAfterTableMark = {"tblStyleRowBandSize",
                                                              "tblStyleColBandSize",
                                                              "tblW",
                                                              "jc",
                                                              "tblCellSpacing",
                                                              "tblInd",
                                                              "tblBorders",
                                                              "shd",
                                                              "tblLayout",
                                                              "tblCellMar",
                                                              "tblLook",
                                                              "tblCaption",
                                                              "tblDescription",
                                                              "tblPrChange"};

// A mark such as <w:bidi/>.
struct DirectionMark {
  const char* name;
  std::span<const std::string_view> after;
};

constexpr DirectionMark kParagraphMark{"bidi", kAfterParagraphMark};
constexpr DirectionMark kRunMark{"rtl", kAfterRunMark};
constexpr DirectionMark kSectionMark{"bidi", kAfterSectionMark};
constexpr DirectionMark kTableMark{"bidiVisual", kAfterTableMark};

const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

xmlNode* first_child(xmlNode* parent, const char* name) {
  if (xmlNode* const found = child_named(parent, name)) return found;
  xmlNode* const added = xmlNewDocNode(parent->doc, parent->ns, xml(name), nullptr);
  if (parent->children == nullptr)
    xmlAddChild(parent, added);
  else
    xmlAddPrevSibling(parent->children, added);
  return added;
}

class LanguageMarks {
 public:
  explicit LanguageMarks(const DocumentOptions& options)
      : locale_(office_locale(options.target)),
        is_right_to_left_(is_right_to_left(options.target)),
        turns_(is_right_to_left_ != is_right_to_left(options.source)) {}

  bool changed() const { return changed_; }

 protected:
  void set(xmlNode* element, const char* name, const std::string& value, xmlNs* space) {
    if (set_attribute(element, name, value, space)) changed_ = true;
  }

  // The language among the properties of a document.
  void set_property(xmlNode* node) {
    if (element_name(node) != "language" || !is_in_space(node, "purl.org/dc")) return;
    changed_ = content_of(node) != locale_.name || changed_;
    set_content(node, locale_.name);
  }

  const OfficeLocale locale_;
  const bool is_right_to_left_;
  const bool turns_;  // the direction
  bool changed_ = false;
};

class RunMarks final : public LanguageMarks {
 public:
  RunMarks(const DocumentOptions& options, const CodeStyles& code)
      : LanguageMarks(options), code_(code) {}

  void mark(xmlNode* root) {
    walk(root, [&](xmlNode* node) {
      const std::string_view name = element_name(node);
      if (name.empty()) return false;
      set_property(node);
      is_in_space(node, "drawingml") ? mark_drawing(node) : mark_text(node);
      return true;
    });
  }

 private:
  // In Word and Excel.
  void mark_text(xmlNode* node) {
    const std::string_view name = element_name(node);
    if (name == "lang" || name == "themeFontLang") set_language(node);
    if (name == "rPrDefault") set_language(first_child(first_child(node, "rPr"), "lang"));
    if (!turns_) return;
    if (name == "p" && !is_code(child_named(node, "pPr"), "pStyle"))
      set_mark(first_child(node, "pPr"), kParagraphMark);
    if (name == "r" && child_named(node, "t") != nullptr && element_name(node->parent) != "si" &&
        !is_code(child_named(node, "rPr"), "rStyle"))
      set_mark(first_child(node, "rPr"), kRunMark);
    if (name == "sectPr") set_mark(node, kSectionMark);
    if (name == "tblPr") set_mark(node, kTableMark);
    if (name == "sheetView") set(node, "rightToLeft", is_right_to_left_ ? "1" : "0", nullptr);
  }

  void mark_drawing(xmlNode* node) {
    const std::string_view name = element_name(node);
    if (attribute_node(node, "lang") != nullptr) set(node, "lang", locale_.name, nullptr);
    if (!turns_ || name != "p") return;
    xmlNode* const properties = first_child(node, "pPr");
    const std::string aligned = attribute(properties, "algn");
    set(properties, "rtl", is_right_to_left_ ? "1" : "0", nullptr);
    const char* const before = is_right_to_left_ ? "l" : "r";
    if (aligned == before || (aligned.empty() && is_right_to_left_))
      set(properties, "algn", is_right_to_left_ ? "r" : "l", nullptr);
  }

  void set_language(xmlNode* mark) {
    if (attribute(mark, "val").starts_with("zxx")) return;
    constexpr std::array<const char*, 3> kAttributes = {"val", "eastAsia", "bidi"};
    set(mark, kAttributes.at(static_cast<size_t>(locale_.group)), locale_.name, mark->ns);
  }

  bool is_code(const xmlNode* properties, const char* style) const {
    const xmlNode* const mark = child_named(properties, style);
    const xmlNode* const language = child_named(properties, "lang");
    return (mark != nullptr && code_.contain(attribute(mark, "val"))) ||
           (language != nullptr && attribute(language, "val").starts_with("zxx"));
  }

  void set_mark(xmlNode* properties, const DirectionMark& mark) {
    changed_ = true;
    if (xmlNode* const old = child_named(properties, mark.name)) discard(old);
    if (!is_right_to_left_) return;
    xmlNode* const added = xmlNewDocNode(properties->doc, properties->ns, xml(mark.name), nullptr);
    xmlNode* next = properties->children;
    while (next != nullptr && std::ranges::find(mark.after, element_name(next)) == mark.after.end())
      next = next->next;
    next == nullptr ? xmlAddChild(properties, added) : xmlAddPrevSibling(next, added);
  }

  const CodeStyles& code_;
};

class StyleMarks final : public LanguageMarks {
 public:
  using LanguageMarks::LanguageMarks;

  void mark(xmlNode* root) {
    walk(root, [&](xmlNode* node) {
      const std::string_view name = element_name(node);
      if (name == "text-properties") set_language(node);
      set_property(node);
      if (turns_ && is_in_direction(node))
        set(node, "writing-mode", is_right_to_left_ ? "rl-tb" : "lr-tb", node->ns);
      return !name.empty();
    });
  }

 private:
  void set_language(xmlNode* properties) {
    constexpr std::array<std::array<const char*, 2>, 3> kAttributes = {
        {{"language", "country"},
         {"language-asian", "country-asian"},
         {"language-complex", "country-complex"}}};
    const auto [language, country] = kAttributes.at(static_cast<size_t>(locale_.group));
    const xmlAttr* const old = attribute_node(properties, language);
    if (old == nullptr || attribute(properties, "language") == "zxx") return;
    set(properties, language, locale_.language, old->ns);
    set(properties, country, locale_.country.empty() ? "none" : locale_.country, old->ns);
  }

  // Elements whose direction others inherit, or that have one.
  static bool is_in_direction(const xmlNode* node) {
    const std::string_view name = element_name(node);
    return name == "page-layout-properties" || name == "table-properties" ||
           (name == "paragraph-properties" && (element_name(node->parent) == "default-style" ||
                                               attribute_node(node, "writing-mode") != nullptr));
  }
};

}  // namespace

bool mark_language(xmlNode* root, const DocumentOptions& options, const CodeStyles& code) {
  RunMarks marks(options, code);
  marks.mark(root);
  return marks.changed();
}

bool mark_open_document_language(xmlNode* root, const DocumentOptions& options) {
  StyleMarks marks(options);
  marks.mark(root);
  return marks.changed();
}

}  // namespace dietmt::service
