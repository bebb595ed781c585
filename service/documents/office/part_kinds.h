// Which parts of an office document hold text.
#pragma once

#include <string>
#include <vector>

#include "service/documents/document.h"
#include "service/documents/zip_package.h"

namespace dietmt::service {

/// How a part is read.
enum class PartKind {
  kStyles,  // Word's names of styles
  kText,    // paragraphs of runs
  kLayout,  // paragraphs without the prompts of placeholders, which only authors see
  kCells,   // Excel's strings: the texts of cells
  kSheet,   // Excel: cells with a text of their own
  kTable,   // Excel: names of columns
  kWorkbook,
  kMarks,       // marks of language
  kProperties,  // title and subject of the document
  kOpenText,    // OpenDocument: paragraphs with spans
  kOpenStyles,  // OpenDocument: styles, with the paragraphs of headers
};

struct OfficeParts {
  struct Part {
    std::string name;
    PartKind kind;
  };
  std::vector<Part> read;             // in the order of their texts
  std::vector<std::string> left_out;  // parts with text that stay as they are
};

/// Whether the format is OpenDocument, not Office Open XML.
bool is_open_document(DocumentKind kind);

/// Throws DataError if the archive is not a document of this kind, whose extension is `name`.
OfficeParts office_parts(const ZipPackage& package, DocumentKind kind, const std::string& name,
                         const DocumentLimits& limits);

}  // namespace dietmt::service
