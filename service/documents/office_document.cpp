// Word (.docx) and OpenDocument text (.odt): XML parts in a ZIP archive. A segment is the text of a
// paragraph between breaks, links and fields; its formatting moves with its words, and everything
// else stays.
#include <libxml/tree.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "service/documents/document_kinds.h"
#include "service/documents/styled_segments.h"
#include "service/documents/xml_tree.h"
#include "service/documents/zip_package.h"

namespace dietmt::service {
namespace {

// ---- Word ---------------------------------------------------------------------------------------

bool is_word_text(const std::string& part) {
  if (part == "word/document.xml" || part == "word/footnotes.xml" || part == "word/endnotes.xml")
    return true;
  return (part.starts_with("word/header") || part.starts_with("word/footer")) &&
         part.ends_with(".xml");
}

// The formatting of a run, without what its author does not see: Word splits words into runs where
// the language or the checking of spelling differ.
std::string style_of(const xmlNode* run) {
  constexpr std::array<std::string_view, 2> kInvisible = {"lang", "noProof"};
  std::string style;
  for (const xmlNode* child = run->children; child != nullptr; child = child->next) {
    if (element_name(child) != "rPr") continue;
    for (xmlNode* property = child->children; property != nullptr; property = property->next) {
      if (element_name(property).empty() || is_among(element_name(property), kInvisible)) continue;
      const std::unique_ptr<xmlBuffer, void (*)(xmlBuffer*)> text(xmlBufferCreate(), xmlBufferFree);
      xmlNodeDump(text.get(), property->doc, property, 0, 0);
      style += reinterpret_cast<const char*>(xmlBufferContent(text.get()));
    }
  }
  return style;
}

void add_word_run(xmlNode* run, StyledSegments& segments) {
  const std::string style = style_of(run);
  for (xmlNode* child = run->children; child != nullptr; child = child->next) {
    const std::string_view name = element_name(child);
    if (name == "t") {
      // Spaces at the ends of a text count only with this attribute.
      xmlNodeSetSpacePreserve(child, 1);
      segments.add({child, run, style});
    } else if (!name.empty() && name != "rPr" && name != "lastRenderedPageBreak") {
      segments.end_segment();
    }
  }
}

// A run of the same formatting with only this text.
xmlNode* copied_run(const StyledText& original, const std::string& text) {
  constexpr int kAttributesToo = 2;
  xmlNode* const run = xmlDocCopyNode(original.item, original.item->doc, kAttributesToo);
  xmlNode* kept = nullptr;
  for (xmlNode* child = original.item->children; child != nullptr && kept == nullptr;
       child = child->next) {
    const bool is_text = element_name(child) == "t";
    if (!is_text && element_name(child) != "rPr") continue;
    xmlNode* const copy = xmlDocCopyNode(child, original.item->doc, 1);
    xmlAddChild(run, copy);
    drop_repeated_namespaces(copy);
    if (is_text) kept = copy;
  }
  set_content(kept, text);
  return run;
}

void add_word_paragraph(xmlNode* paragraph, StyledSegments& segments) {
  // They stand between runs and mean nothing for the text.
  constexpr std::array<std::string_view, 3> kMarks = {"proofErr", "bookmarkStart", "bookmarkEnd"};
  walk(paragraph, [&](xmlNode* node) {
    const std::string_view name = element_name(node);
    if (name.empty() || is_among(name, kMarks)) return false;
    if (name == "r") {
      add_word_run(node, segments);
      return false;
    }
    segments.end_segment();
    return name != "pPr" && name != "del" && (name != "p" || node == paragraph);
  });
  segments.end_segment();
}

bool has_namespace_of(const xmlNode* node, const xmlNode* other) {
  return node->ns == other->ns || (node->ns != nullptr && other->ns != nullptr &&
                                   xmlStrEqual(node->ns->href, other->ns->href) != 0);
}

// Leaves out the paragraphs of drawings, whose format is another one.
void add_word_text(xmlNode* root, StyledSegments& segments) {
  walk(root, [&](xmlNode* node) {
    if (element_name(node) == "p" && has_namespace_of(node, root))
      add_word_paragraph(node, segments);
    return true;  // a text box within the paragraph has paragraphs of its own
  });
}

// ---- OpenDocument -------------------------------------------------------------------------------

bool is_open_document_text(const std::string& part) {
  return part == "content.xml" || part == "styles.xml";
}

// A span of the same style, or a text node, with this text.
xmlNode* copied_span(const StyledText& original, const std::string& text) {
  const auto* const content = reinterpret_cast<const xmlChar*>(text.c_str());
  xmlNode* const node = xmlNewDocText(original.text->doc, content);
  if (original.item == original.text) return node;
  xmlNode* const span = xmlDocCopyNode(original.item, original.item->doc, 2);
  xmlAddChild(span, node);
  return span;
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
                    in_span ? "span " + attribute(node->parent, "style-name") : ""});
    }
    if (name.empty() || is_among(name, kUntranslated)) return;
    const bool is_paragraph = is_among(name, kParagraphs);
    if (name != "span") segments.end_segment();
    depth += is_paragraph ? 1 : 0;
    for (xmlNode* child = node->children; child != nullptr; child = child->next) add(child);
    depth -= is_paragraph ? 1 : 0;
    if (name != "span") segments.end_segment();
  };
  add(root);
}

// -------------------------------------------------------------------------------------------------

class OfficeDocument final : public Document {
 public:
  OfficeDocument(DocumentKind kind, std::string bytes, const DocumentLimits& limits)
      : package_(std::move(bytes)) {
    const bool is_word = kind == DocumentKind::kDocx;
    const std::string main_part = is_word ? "word/document.xml" : "content.xml";
    const auto& names = package_.names();
    if (std::find(names.begin(), names.end(), main_part) == names.end())
      throw DataError("the archive is no ." + std::string(name_of(kind)) + " document: it has no " +
                      main_part);
    size_t left = limits.bytes;
    for (const std::string& name : names) {
      if (!(is_word ? is_word_text(name) : is_open_document_text(name))) continue;
      const std::string xml = package_.read(name, left);
      left -= xml.size();
      Part& part =
          parts_.emplace_back(Part{name, XmlTree(xml, limits),
                                   StyledSegments(segments_, is_word ? copied_run : copied_span)});
      is_word ? add_word_text(part.tree.root(), part.texts)
              : add_open_document_text(part.tree.root(), part.texts);
    }
  }

  std::string translated(const std::vector<std::string>& translations) override {
    for (const Part& part : parts_) {
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
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Document> open_office(DocumentKind kind, std::string bytes,
                                      const DocumentLimits& limits) {
  return std::make_unique<OfficeDocument>(kind, std::move(bytes), limits);
}

}  // namespace dietmt::service
