// Markdown without front matter: paragraphs, headings, items and cells are segments, whose marks
// are emphasis, links, code and images. Every byte that is not text stays.
#pragma once

#include <memory>
#include <string_view>

#include "service/documents/document.h"

namespace dietmt::service {

/// `source` must outlive the document.
std::unique_ptr<Document> open_markdown_body(std::string_view source,
                                             const DocumentOptions& options);

}  // namespace dietmt::service
