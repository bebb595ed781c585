#include "service/documents/office/office_document.h"

#include <array>
#include <deque>
#include <utility>

#include "service/documents/office/office_language.h"
#include "service/documents/office/office_part.h"
#include "service/documents/office/open_document_paragraphs.h"
#include "service/documents/office/part_kinds.h"
#include "service/documents/office/run_paragraphs.h"

namespace dietmt::service {
namespace {

constexpr std::array<ValuePlace, 3> kProperties = {{{"title", "", "coreProperties"},
                                                    {"subject", "", "coreProperties"},
                                                    {"description", "", "coreProperties"}}};

class OfficeDocument final : public Document {
 public:
  OfficeDocument(DocumentKind kind, const std::string& name, std::string_view bytes,
                 const DocumentOptions& options, const DocumentLimits& limits)
      : package_(bytes), options_(options), is_open_document_(is_open_document(kind)) {
    OfficeParts parts = office_parts(package_, kind, name, limits);
    left_out_ = std::move(parts.left_out);
    for (const OfficeParts::Part& part : parts.read) parse(part, limits);
    for (const auto& [part_kind, part] : parts_) {
      if (part_kind == PartKind::kStyles) add_word_styles(part.tree.root(), context_);
      if (part_kind == PartKind::kOpenStyles)
        add_open_document_styles(part.tree.root(), context_.code);
    }
    for (auto& [part_kind, part] : parts_) read(part_kind, part);
  }

  std::string translated(const std::vector<Translation>& translations) override {
    for (; !parts_.empty(); parts_.pop_front()) {  // a tree takes much more memory than its text
      const OfficePart& part = parts_.front().second;
      bool is_changed = fill(part, translations);
      is_changed |= is_open_document_ ? mark_open_document_language(part.tree.root(), options_)
                                      : mark_language(part.tree.root(), options_, context_.code);
      if (is_changed) package_.replace(part.name, part.tree.text());
    }
    return package_.packed();
  }

 private:
  void parse(const OfficeParts::Part& part, const DocumentLimits& limits) {
    const std::string xml = package_.read(part.name, limits.bytes - bytes_);
    bytes_ += xml.size();
    nodes_ += most_xml_nodes(xml);
    if (nodes_ > limits.nodes)
      throw DocumentTooLargeError("the XML of the archive has more than " +
                                  std::to_string(limits.nodes) + " elements and attributes");
    parts_.emplace_back(
        part.kind,
        OfficePart{part.name, XmlTree(xml, limits),
                   StyledSegments(unique_, is_open_document_ ? copied_span : copied_run_item),
                   PlainValues(unique_)});
  }

  void read(PartKind kind, OfficePart& part) {
    if (kind == PartKind::kText) add_runs(part, context_);
    if (kind == PartKind::kProperties && !is_open_document_)
      walk(part.tree.root(), [&](xmlNode* node) {
        part.values.add_at(node, kProperties);
        return true;
      });
    if (is_open_document_) {
      CodeStyles code = context_.code;
      add_open_document_styles(part.tree.root(), code);
      add_open_document_text(part, code);
    }
  }

  ZipPackage package_;
  const DocumentOptions options_;
  const bool is_open_document_;
  UniqueSegments unique_{segments_};
  RunContext context_;
  std::deque<std::pair<PartKind, OfficePart>> parts_;
  size_t bytes_ = 0;  // of the parts
  size_t nodes_ = 0;
};

}  // namespace

std::unique_ptr<Document> open_office(DocumentKind kind, const std::string& name,
                                      std::string_view bytes, const DocumentOptions& options,
                                      const DocumentLimits& limits) {
  return std::make_unique<OfficeDocument>(kind, name, bytes, options, limits);
}

}  // namespace dietmt::service
