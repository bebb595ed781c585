// A PDF knows lines; a translation needs paragraphs.
#pragma once

#include <string>
#include <vector>

#include "service/documents/pdf/pdf_pages.h"

namespace dietmt::service {

struct PdfParagraph {
  std::string mark = {};  // of an item of a list: "\u2022", "(a)"; of a footnote
  std::string text = {};
  std::string page = {};   // in a table of contents, after a leader of dots
  double line_height = 0;  // in points
  bool is_code = false;    // lines as they are, with LF between them
};

struct PdfText {
  std::vector<PdfParagraph> paragraphs;
  std::vector<std::string> left_out;  // headers and footers, pages without text
};

/// Joins the lines of a paragraph, also over columns and pages, and words that a hyphen divides at
/// the end of a line. Footnotes come after the paragraph that they interrupt.
PdfText pdf_paragraphs(const std::vector<PdfPage>& pages);

}  // namespace dietmt::service
