// Only the text of a PDF can be translated: it becomes a Word document.
#pragma once

#include <memory>
#include <string_view>

#include "service/documents/document.h"

namespace dietmt::service {

/// Throws what pdf_pages() throws, and DataError if no page has text.
std::unique_ptr<Document> open_pdf(std::string_view bytes, const DocumentOptions& options,
                                   const DocumentLimits& limits);

}  // namespace dietmt::service
