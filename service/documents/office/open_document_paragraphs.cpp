#include "service/documents/office/open_document_paragraphs.h"

#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

constexpr std::array<ValuePlace, 7> kOpenDocumentValues = {{{"title", "", "", "svg-compatible"},
                                                            {"desc", "", "", "svg-compatible"},
                                                            {"title", "", "meta"},
                                                            {"subject", "", "meta"},
                                                            {"description", "", "meta"},
                                                            {"index-title-template", ""},
                                                            {"table-cell", "string-value"}}};

// Elements between texts that are not text.
bool is_open_document_mark(const xmlNode* node) {
  constexpr std::array<std::string_view, 11> kMarkNames = {
      "annotation-end",     "bookmark",       "bookmark-start",
      "bookmark-end",       "reference-mark", "reference-mark-start",
      "reference-mark-end", "change",         "change-start",
      "change-end",         "soft-page-break"};
  return is_among(element_name(node), kMarkNames);
}

// Fields that are no text: numbers, dates, names.
bool is_field(const xmlNode* node) {
  constexpr std::array<std::string_view, 18> kFields = {"author-initials",
                                                        "author-name",
                                                        "bibliography-mark",
                                                        "creator",
                                                        "date",
                                                        "file-name",
                                                        "initial-creator",
                                                        "modification-date",
                                                        "note-ref",
                                                        "page-count",
                                                        "page-number",
                                                        "page-variable-get",
                                                        "sequence",
                                                        "sequence-ref",
                                                        "sheet-name",
                                                        "time",
                                                        "creation-date",
                                                        "print-date"};
  return is_among(element_name(node), kFields);
}

// Elements inside a paragraph that have their own paragraphs.
bool is_anchored(const xmlNode* node) {
  constexpr std::array<std::string_view, 12> kAnchored = {
      "annotation", "caption", "connector", "custom-shape", "ellipse", "frame",
      "g",          "line",    "note",      "path",         "polygon", "rect"};
  return is_among(element_name(node), kAnchored);
}

// Equal for both ends of a range.
std::string open_document_range(const xmlNode* mark) {
  const std::string_view name = element_name(mark);
  if (!name.ends_with("-start") && !name.ends_with("-end")) return "";
  const std::string id = attribute(mark, name.starts_with("change") ? "change-id" : "name");
  return std::string(name.substr(0, name.rfind('-'))) + " " + id;
}

// Cells whose text shows a number or the result of a formula.
bool is_computed(const xmlNode* node) {
  if (!element_name(node).ends_with("table-cell")) return false;
  const std::string type = attribute(node, "value-type");
  return attribute_node(node, "formula") != nullptr || (!type.empty() && type != "string");
}

// In LibreOffice's charts, the description of a group without shapes names the cells of the data.
bool is_address_of_chart(const xmlNode* node) {
  const xmlNode* const description = child_named(node, "desc");
  return element_name(node) == "g" && element_name(node->parent).ends_with("table-cell") &&
         description != nullptr && description->prev == nullptr && description->next == nullptr;
}

bool is_skipped(const xmlNode* node) {
  constexpr std::array<std::string_view, 3> kUntranslated = {"tracked-changes", "note-citation",
                                                             "forms"};
  return is_among(element_name(node), kUntranslated) || is_computed(node) ||
         is_address_of_chart(node) || attribute(node, "placeholder") == "true";
}

class SpanReader {
 public:
  SpanReader(OfficePart& part, const CodeStyles& code) : part_(part), code_(code) {}

  void read() {
    later_ = {part_.tree.root()};
    for (size_t i = 0; i < later_.size(); ++i) {
      const xmlNode* const root = later_[i];
      for (xmlNode* child = root->children; child != nullptr; child = child->next)
        add(child, false);
      texts().end_segment();
    }
  }

 private:
  void add(xmlNode* node, bool in_paragraph) {
    const std::string_view name = element_name(node);
    if (node->type == XML_TEXT_NODE && in_paragraph) return add_text(node);
    if (name.empty()) return;
    if (part_.values.add_at(node, kOpenDocumentValues)) return;
    part_.codes.add(node);
    if (in_paragraph && (is_open_document_mark(node) || is_field(node) || is_code_span(node)))
      return texts().add_mark(node, open_document_range(node));
    if (in_paragraph && is_anchored(node)) {
      texts().add_mark(node, "");
      later_.push_back(node);
      return;
    }
    if (is_skipped(node)) return;
    const bool is_paragraph = name == "p" || name == "h";
    if (is_paragraph && code_.contain(style_of(node, "paragraph"))) return;
    if (name != "span") texts().end_segment();
    for (xmlNode* child = node->children; child != nullptr; child = child->next)
      add(child, in_paragraph || is_paragraph);
    if (name != "span") texts().end_segment();
  }

  void add_text(xmlNode* node) {
    xmlNode* const parent = node->parent;
    const bool in_span = element_name(parent) == "span";
    texts().add({node, in_span ? parent : node,
                 in_span ? "span " + attribute(parent, "style-name") : "",
                 in_span && node->prev == nullptr && node->next == nullptr,
                 in_span && code_.raise(style_of(parent, "text"))});
  }

  bool is_code_span(const xmlNode* node) const {
    return element_name(node) == "span" && code_.contain(style_of(node, "text"));
  }

  static std::string style_of(const xmlNode* node, const std::string& family) {
    return family + " " + attribute(node, "style-name");
  }

  StyledSegments& texts() { return part_.texts; }

  OfficePart& part_;
  const CodeStyles& code_;
  std::vector<xmlNode*> later_;  // whose content has still to be read
};

}  // namespace

void add_open_document_styles(xmlNode* root, CodeStyles& code) {
  walk(root, [&](xmlNode* node) {
    if (element_name(node) != "style") return true;
    const std::string family = attribute(node, "family") + " ";
    const std::string display_name = attribute(node, "display-name"),
                      name = attribute(node, "name");
    const xmlNode* const properties = child_named(node, "text-properties");
    const bool is_code = properties != nullptr && attribute(properties, "language") == "zxx";
    const std::string position =
        properties == nullptr ? "" : attribute(properties, "text-position");
    if (!position.empty() && !position.starts_with("0%")) code.add_raised(family + name);
    code.add(family + name, display_name.empty() ? name : display_name,
             family + attribute(node, "parent-style-name"), is_code);
    return false;
  });
}

void add_open_document_text(OfficePart& part, const CodeStyles& code) {
  SpanReader(part, code).read();
}

xmlNode* copied_span(const StyledText& original, const std::string& text) {
  const auto* const content = reinterpret_cast<const xmlChar*>(text.c_str());
  xmlNode* const node = xmlNewDocText(original.text->doc, content);
  if (original.item == original.text) return node;
  xmlNode* const span = copied(original.item, Copy::kWithoutContent);
  xmlAddChild(span, node);
  return span;
}

}  // namespace dietmt::service
