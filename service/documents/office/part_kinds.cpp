#include "service/documents/office/part_kinds.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "common/text_io.h"
#include "service/documents/html_tags.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

constexpr const char* kTypes = "[Content_Types].xml";

// A kind of part in Office Open XML. A file says of each part what it contains; if not, the part's
// usual name does.
struct Row {
  PartKind kind;
  std::string_view type;  // the end of its content type, without +xml
  std::string_view name;  // its beginning in lower case; in full: the main part
  std::optional<DocumentKind> main_of = {};
};

constexpr std::array<Row, 36> kRows = {{
    {PartKind::kStyles, "wordprocessingml.styles", "word/styles"},
    {PartKind::kText, "wordprocessingml.document.main", "word/document.xml", DocumentKind::kDocx},
    {PartKind::kText, "wordprocessingml.template.main", "-", DocumentKind::kDocx},
    {PartKind::kText, "ms-word.document.macroEnabled.main", "-", DocumentKind::kDocx},
    {PartKind::kText, "wordprocessingml.header", "word/header"},
    {PartKind::kText, "wordprocessingml.footer", "word/footer"},
    {PartKind::kText, "wordprocessingml.footnotes", "word/footnotes"},
    {PartKind::kText, "wordprocessingml.endnotes", "word/endnotes"},
    {PartKind::kText, "wordprocessingml.comments", "word/comments"},
    {PartKind::kMarks, "wordprocessingml.settings", "word/settings"},
    {PartKind::kMarks, "presentationml.presentation.main", "ppt/presentation.xml",
     DocumentKind::kPptx},
    {PartKind::kMarks, "presentationml.slideshow.main", "-", DocumentKind::kPptx},
    {PartKind::kMarks, "presentationml.template.main", "-", DocumentKind::kPptx},
    {PartKind::kMarks, "ms-powerpoint.presentation.macroEnabled.main", "-", DocumentKind::kPptx},
    {PartKind::kText, "presentationml.slide", "ppt/slides/slide"},
    {PartKind::kText, "presentationml.notesSlide", "ppt/notesslides/"},
    {PartKind::kLayout, "presentationml.slideLayout", "ppt/slidelayouts/"},
    {PartKind::kLayout, "presentationml.slideMaster", "ppt/slidemasters/"},
    {PartKind::kText, "presentationml.comments", "ppt/comments/"},
    {PartKind::kText, "ms-powerpoint.comments", "-"},
    {PartKind::kWorkbook, "spreadsheetml.sheet.main", "xl/workbook.xml", DocumentKind::kXlsx},
    {PartKind::kWorkbook, "spreadsheetml.template.main", "-", DocumentKind::kXlsx},
    {PartKind::kWorkbook, "ms-excel.sheet.macroEnabled.main", "-", DocumentKind::kXlsx},
    {PartKind::kCells, "spreadsheetml.sharedStrings", "xl/sharedstrings"},
    {PartKind::kSheet, "spreadsheetml.worksheet", "xl/worksheets/"},
    {PartKind::kSheet, "spreadsheetml.chartsheet", "xl/chartsheets/"},
    {PartKind::kTable, "spreadsheetml.table", "xl/tables/"},
    {PartKind::kText, "spreadsheetml.comments", "xl/comments"},
    {PartKind::kText, "ms-excel.threadedcomments", "xl/threadedcomments/"},
    {PartKind::kText, "officedocument.drawing", "xl/drawings/"},
    {PartKind::kText, "drawingml.diagramData", "-"},
    {PartKind::kText, "drawingml.diagramDrawing", "-"},
    {PartKind::kText, "drawingml.chart", "-"},
    {PartKind::kText, "drawingml.chartshapes", "-"},
    {PartKind::kText, "ms-office.chartex", "-"},
    {PartKind::kProperties, "package.core-properties", "docprops/core"},
}};

struct OpenFormat {
  DocumentKind kind;
  std::string_view type;  // of its file `mimetype`
};

constexpr std::array<OpenFormat, 3> kOpenFormats = {
    {{DocumentKind::kOdt, "application/vnd.oasis.opendocument.text"},
     {DocumentKind::kOdp, "application/vnd.oasis.opendocument.presentation"},
     {DocumentKind::kOds, "application/vnd.oasis.opendocument.spreadsheet"}}};

bool has_part(const ZipPackage& package, const std::string& name) {
  return std::ranges::find(package.names(), name) != package.names().end();
}

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
  throw DataError("the archive is not a ." + name + " document: " + reason);
}

class ContentTypes {
 public:
  ContentTypes(const ZipPackage& package, const DocumentLimits& limits) {
    if (!has_part(package, kTypes)) return;
    const XmlTree tree(package.read(kTypes, limits.bytes), limits);
    walk(tree.root(), [&](xmlNode* node) {
      const std::string type = attribute(node, "ContentType");
      if (element_name(node) == "Override")
        types_[html_lower_case(attribute(node, "PartName"))] = type;
      if (element_name(node) == "Default")
        defaults_[html_lower_case(attribute(node, "Extension"))] = type;
      return true;
    });
  }

  // Null for a part that holds no text.
  const Row* row_of(const std::string& part) const {
    const std::string name = html_lower_case(part);
    const auto type = types_.find("/" + name);
    const auto usual = defaults_.find(name.substr(name.rfind('.') + 1));
    for (const Row& row : kRows) {
      if (type != types_.end() ? is_of_type(type->second, row)
                               : name.starts_with(row.name) && name.ends_with(".xml"))
        return &row;
      if (type == types_.end() && usual != defaults_.end() && is_of_type(usual->second, row))
        return &row;
    }
    return nullptr;
  }

 private:
  static bool is_of_type(std::string_view type, const Row& row) {
    constexpr std::string_view kXml = "+xml";
    return type.ends_with(kXml) && type.substr(0, type.size() - kXml.size()).ends_with(row.type);
  }

  std::unordered_map<std::string, std::string> types_;     // by "/" and the part's name
  std::unordered_map<std::string, std::string> defaults_;  // by extension
};

OfficeParts open_xml_parts(const ZipPackage& package, DocumentKind kind, const std::string& name,
                           const DocumentLimits& limits) {
  const ContentTypes types(package, limits);
  std::vector<std::pair<const Row*, std::string>> found;
  OfficeParts parts;
  bool has_main = false;
  for (const std::string& part : package.names()) {
    if (const Row* const row = types.row_of(part)) {
      found.emplace_back(row, part);
      has_main = has_main || row->main_of == kind;
    }
    if (part.find("/embeddings/") != part.npos || part.starts_with("word/afchunk"))
      parts.left_out.push_back(part);
  }
  const auto main = std::ranges::find(kRows, kind, [](const Row& row) { return row.main_of; });
  if (!has_main) refuse(name, "it has no " + std::string(main->name) + " or other main part");
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  for (const auto& [row, part] : found) parts.read.push_back({part, row->kind});
  return parts;
}

OfficeParts open_document_parts(const ZipPackage& package, const OpenFormat& format,
                                const std::string& name, size_t limit) {
  if (has_part(package, "mimetype")) {
    const std::string type = package.read("mimetype", limit);
    if (!type.starts_with(format.type))
      refuse(name, "its type is " + replace_invalid_utf8(type.substr(0, 100)));
  }
  if (!has_part(package, "content.xml")) refuse(name, "it has no content.xml");
  OfficeParts parts;
  const std::array<std::pair<std::string_view, PartKind>, 3> kinds = {
      {{"content.xml", PartKind::kOpenText},
       {"styles.xml", PartKind::kOpenStyles},
       {"meta.xml", PartKind::kProperties}}};
  for (const auto& [file, kind] : kinds)
    for (const std::string& part : package.names())
      if (part == file || part.ends_with("/" + std::string(file)))
        parts.read.push_back({part, kind});
  for (const std::string& part : package.names())
    if (part.starts_with("Object ") && part.find('/') == part.npos) parts.left_out.push_back(part);
  return parts;
}

}  // namespace

bool is_open_document(DocumentKind kind) {
  return std::ranges::find(kOpenFormats, kind, &OpenFormat::kind) != kOpenFormats.end();
}

OfficeParts office_parts(const ZipPackage& package, DocumentKind kind, const std::string& name,
                         const DocumentLimits& limits) {
  const auto format = std::ranges::find(kOpenFormats, kind, &OpenFormat::kind);
  return format == kOpenFormats.end() ? open_xml_parts(package, kind, name, limits)
                                      : open_document_parts(package, *format, name, limits.bytes);
}

}  // namespace dietmt::service
