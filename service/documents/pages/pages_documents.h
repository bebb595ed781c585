// Documents made of pages and chapters.
#pragma once

#include <memory>
#include <string_view>

#include "service/documents/document.h"

namespace dietmt::service {

/// Chapters in the order of reading, the table of contents, title and description.
std::unique_ptr<Document> open_epub(std::string_view bytes, const DocumentOptions& options,
                                    const DocumentLimits& limits);

/// With YAML front matter, HTML and MDX inside.
std::unique_ptr<Document> open_markdown(std::string_view bytes, const DocumentOptions& options);

}  // namespace dietmt::service
