// A new Word document.
#pragma once

#include <string>
#include <vector>

#include "service/documents/pdf/pdf_paragraphs.h"

namespace dietmt::service {

/// The paragraphs, in the font size of their lines. `language`: of all of them.
std::string word_file(const std::vector<PdfParagraph>& paragraphs, const std::string& language);

}  // namespace dietmt::service
