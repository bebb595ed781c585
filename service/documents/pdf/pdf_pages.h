// The lines of text on a PDF's pages. Poppler's pdftotext reads them, in a separate process with
// limits on memory and time: Poppler's licence, the GPL, allows no linking, and a damaged PDF
// cannot harm the server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// A line, with its box in points. The page's origin is its upper left corner.
struct PdfLine {
  std::string text = {};
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  size_t block = 0;  // lines of one column, close to each other; counted from the first page
  double character_width = 0;  // if that of all words is the same; then `text` has all its spaces

  double height() const { return bottom - top; }
};

struct PdfPage {
  double height = 0;
  std::vector<PdfLine> lines = {};  // in the order of reading
};

/// Whether pdftotext is on the PATH.
bool can_read_pdf();

/// Throws DataError if the file is no PDF, is damaged or protected, or pdftotext is missing;
/// DocumentTooLargeError if its text exceeds the limit, or reading it those on memory and time.
std::vector<PdfPage> pdf_pages(std::string_view bytes, const DocumentLimits& limits);

}  // namespace dietmt::service
