#include "service/documents/office/office_document.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <utility>

#include "service/documents/language_marks.h"
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
constexpr std::array<ValuePlace, 1> kColumns = {{{"tableColumn", "name"}}};

// Whether a sheet has texts besides those in the part for the strings of all sheets.
bool has_own_text(std::string_view sheet) {
  constexpr std::array<std::string_view, 5> kSigns = {"inlineStr", "headerFooter", "dataValidation",
                                                      "filters", "tooltip"};
  return std::ranges::any_of(kSigns,
                             [&](std::string_view sign) { return sheet.find(sign) != sheet.npos; });
}

class OfficeDocument final : public Document {
 public:
  OfficeDocument(DocumentKind kind, const std::string& name, std::string_view bytes,
                 const DocumentOptions& options, const DocumentLimits& limits)
      : package_(bytes),
        options_(options),
        is_open_document_(is_open_document(kind)),
        turns_(is_right_to_left(options.source) != is_right_to_left(options.target)) {
    OfficeParts parts = office_parts(package_, kind, name, limits);
    left_out_ = std::move(parts.left_out);
    for (const OfficeParts::Part& part : parts.read) parse(part, limits);
    for (const auto& [part_kind, part] : parts_) prepare(part_kind, part.tree.root());
    for (auto& [part_kind, part] : parts_) read(part_kind, part);
    const bool has_styles = is_open_document_ || kind == DocumentKind::kDocx;
    if (has_styles &&
        std::ranges::all_of(parts_, [](const auto& one) { return one.second.texts.empty(); })) {
      // Office programs give all of a plain text file a style for code.
      context_.code = {};
      knows_code_ = false;
      for (auto& [part_kind, part] : parts_) read(part_kind, part);
    }
  }

  std::string translated(const std::vector<Translation>& translations) override {
    const bool differ = std::ranges::all_of(parts_, [&](const auto& one) {
      return one.first != PartKind::kTable ||
             context_.columns.differ(one.second.values.filled(translations));
    });
    differ ? fill_all(translations) : fill_all(without_columns(translations));
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
    if (part.kind == PartKind::kSheet || part.kind == PartKind::kWorkbook)
      context_.columns.add_formulas(xml);
    if (part.kind == PartKind::kSheet && !turns_ && !has_own_text(xml)) return;
    parts_.emplace_back(
        part.kind,
        OfficePart{part.name, XmlTree(xml, limits),
                   StyledSegments(unique_, is_open_document_ ? copied_span : copied_run_item),
                   PlainValues(unique_), CodedTexts(unique_)});
  }

  // Reads what decides about the text of other parts.
  void prepare(PartKind kind, xmlNode* root) {
    if (kind == PartKind::kStyles) add_word_styles(root, context_);
    if (kind == PartKind::kOpenStyles) add_open_document_styles(root, context_.code);
    if (kind == PartKind::kTable) context_.columns.add_table(root);
    if (kind == PartKind::kCells) context_.columns.add_cells(root);
  }

  void read(PartKind kind, OfficePart& part) {
    if (is_open_document_) {
      CodeStyles code = context_.code;
      if (knows_code_) add_open_document_styles(part.tree.root(), code);
      add_open_document_text(part, code);
    } else if (kind == PartKind::kProperties) {
      walk(part.tree.root(), [&](xmlNode* node) {
        part.values.add_at(node, kProperties);
        return true;
      });
    } else if (kind == PartKind::kTable) {
      walk(part.tree.root(), [&](xmlNode* node) {
        if (element_name(node) == "tableColumn" && !context_.columns.keeps(attribute(node, "name")))
          part.values.add_at(node, kColumns);
        return true;
      });
    } else if (kind != PartKind::kStyles && kind != PartKind::kMarks) {
      add_runs(part, context_, kind == PartKind::kLayout);
    }
  }

  // With the names of all columns as they were, because two would be equal.
  std::vector<Translation> without_columns(std::vector<Translation> translations) {
    std::set<size_t> kept;
    for (const auto& [kind, part] : parts_)
      if (kind == PartKind::kTable)
        for (const SegmentPlace& place : part.values.places()) kept.insert(place.segment);
    for (const size_t segment : kept)
      translations.at(segment) = in_source_order(segments_.at(segment));
    refused_ += kept.size();
    return translations;
  }

  void fill_all(const std::vector<Translation>& translations) {
    for (; !parts_.empty(); parts_.pop_front()) {  // a tree takes much more memory than its text
      const auto& [kind, part] = parts_.front();
      refused_ += fill(part, translations);
      bool is_changed = is_open_document_
                            ? mark_open_document_language(part.tree.root(), options_)
                            : mark_language(part.tree.root(), options_, context_.code);
      if (kind == PartKind::kWorkbook) is_changed |= recalculates(part.tree.root());
      if (is_changed || has_text(part)) package_.replace(part.name, part.tree.text());
    }
  }

  // The results of formulas may be texts of other cells.
  static bool recalculates(const xmlNode* workbook) {
    xmlNode* const formulas = child_named(workbook, "calcPr");
    return formulas != nullptr && set_attribute(formulas, "fullCalcOnLoad", "1", nullptr);
  }

  ZipPackage package_;
  const DocumentOptions options_;
  const bool is_open_document_;
  const bool turns_;  // the direction
  UniqueSegments unique_{segments_};
  RunContext context_;
  bool knows_code_ = true;
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
