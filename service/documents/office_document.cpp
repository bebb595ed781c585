// Word (.docx) and OpenDocument text (.odt): XML parts in a ZIP archive. A segment is the text of a
// paragraph between breaks, links and fields. Formatting, bookmarks and references to notes move
// with its words; everything else stays.
#include <libxml/tree.h>

#include <algorithm>
#include <array>
#include <deque>

#include "common/error.h"
#include "service/documents/document_kinds.h"
#include "service/documents/styled_segments.h"
#include "service/documents/word_paragraphs.h"
#include "service/documents/xml_tree.h"
#include "service/documents/zip_package.h"

namespace dietmt::service {
namespace {

bool is_word_text(const std::string& part) {
  if (part == "word/document.xml" || part == "word/footnotes.xml" || part == "word/endnotes.xml")
    return true;
  return (part.starts_with("word/header") || part.starts_with("word/footer")) &&
         part.ends_with(".xml");
}

bool is_open_document_text(const std::string& part) {
  return part == "content.xml" || part == "styles.xml";
}

// A span of the same style, or a text node, with this text.
xmlNode* copied_span(const StyledText& original, const std::string& text) {
  const auto* const content = reinterpret_cast<const xmlChar*>(text.c_str());
  xmlNode* const node = xmlNewDocText(original.text->doc, content);
  if (original.item == original.text) return node;
  xmlNode* const span = copied(original.item, Copy::kWithoutContent);
  xmlAddChild(span, node);
  return span;
}

// Elements between texts that are not text.
bool is_open_document_mark(std::string_view name) {
  constexpr std::array<std::string_view, 10> kMarks = {
      "bookmark",       "bookmark-start",       "bookmark-end",
      "reference-mark", "reference-mark-start", "reference-mark-end",
      "change",         "change-start",         "change-end",
      "soft-page-break"};
  return is_among(name, kMarks);
}

// Equal for both ends of a range.
std::string open_document_range(const xmlNode* mark) {
  const std::string_view name = element_name(mark);
  if (!name.ends_with("-start") && !name.ends_with("-end")) return "";
  const std::string id = attribute(mark, name.starts_with("change") ? "change-id" : "name");
  return std::string(name.substr(0, name.rfind('-'))) + " " + id;
}

void add_open_document_text(xmlNode* root, StyledSegments& segments) {
  constexpr std::array<std::string_view, 2> kParagraphs = {"p", "h"};
  constexpr std::array<std::string_view, 4> kUntranslated = {"annotation", "tracked-changes",
                                                             "note-citation", "bibliography-mark"};
  int64_t depth = 0;  // of paragraphs
  const std::function<void(xmlNode*)> add = [&](xmlNode* node) {
    const std::string_view name = element_name(node);
    if (node->type == XML_TEXT_NODE && depth > 0) {
      const bool in_span = element_name(node->parent) == "span";
      segments.add({node, in_span ? node->parent : node,
                    in_span ? "span " + attribute(node->parent, "style-name") : "",
                    in_span && node->prev == nullptr && node->next == nullptr});
    }
    if (is_open_document_mark(name)) segments.add_mark(node, open_document_range(node));
    if (name.empty() || is_open_document_mark(name) || is_among(name, kUntranslated)) return;
    const bool is_paragraph = is_among(name, kParagraphs);
    if (name != "span") segments.end_segment();
    depth += is_paragraph ? 1 : 0;
    for (xmlNode* child = node->children; child != nullptr; child = child->next) add(child);
    depth -= is_paragraph ? 1 : 0;
    if (name != "span") segments.end_segment();
  };
  add(root);
}

class OfficeDocument final : public Document {
 public:
  OfficeDocument(DocumentKind kind, std::string_view bytes, const DocumentLimits& limits)
      : package_(bytes) {
    const bool is_word = kind == DocumentKind::kDocx;
    const std::string main_part = is_word ? "word/document.xml" : "content.xml";
    const auto& names = package_.names();
    if (std::find(names.begin(), names.end(), main_part) == names.end())
      throw DataError("the archive is not a ." + std::string(is_word ? "docx" : "odt") +
                      " document: it has no " + main_part);
    size_t left = limits.bytes;
    size_t nodes = 0;
    for (const std::string& name : names) {
      if (!(is_word ? is_word_text(name) : is_open_document_text(name))) continue;
      const std::string xml = package_.read(name, left);
      left -= xml.size();
      nodes += most_xml_nodes(xml);
      if (nodes > limits.nodes)
        throw DocumentTooLargeError("the XML of the archive has more than " +
                                    std::to_string(limits.nodes) + " elements and attributes");
      Part& part = parts_.emplace_back(
          Part{name, XmlTree(xml, limits),
               StyledSegments(segments_, is_word ? copied_word_item : copied_span)});
      is_word ? add_word_text(part.tree.root(), part.texts)
              : add_open_document_text(part.tree.root(), part.texts);
    }
  }

  std::string translated(const std::vector<Translation>& translations) override {
    for (; !parts_.empty(); parts_.pop_front()) {  // a tree takes much more memory than its text
      const Part& part = parts_.front();
      part.texts.fill(translations);
      package_.replace(part.name, part.tree.text());
    }
    return package_.packed();
  }

 private:
  struct Part {
    std::string name;
    XmlTree tree;
    StyledSegments texts;
  };

  ZipPackage package_;
  std::deque<Part> parts_;
};

}  // namespace

std::unique_ptr<Document> open_office(DocumentKind kind, std::string_view bytes,
                                      const DocumentLimits& limits) {
  return std::make_unique<OfficeDocument>(kind, bytes, limits);
}

}  // namespace dietmt::service
