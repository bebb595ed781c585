// A PDF knows lines; a translation needs paragraphs.
#pragma once

#include <string>
#include <vector>

#include "service/documents/pdf/pdf_pages.h"

namespace dietmt::service {

struct PdfParagraph {
  std::string mark = {};  // of an item of a list: "\u2022", "(a)"
  std::string text = {};
  double line_height = 0;  // in points
};

struct PdfText {
  std::vector<PdfParagraph> paragraphs;
  std::vector<std::string> left_out;  // headers and footers, pages without text
};

/// Joins the lines of a paragraph, also over columns and pages, and words that a hyphen divides at
/// the end of a line. A line that a third of the pages, and at least three, have at their upper or
/// lower edge, alike except for digits, is left out.
PdfText pdf_paragraphs(const std::vector<PdfPage>& pages);

}  // namespace dietmt::service
