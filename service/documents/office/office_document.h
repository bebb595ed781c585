// Office documents: XML parts in a ZIP archive. A segment is the text of a paragraph between
// breaks, links and fields. Formatting, bookmarks and references to notes move with its words;
// everything else stays.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "service/documents/document.h"

namespace dietmt::service {

/// `name`: the extension of this kind.
std::unique_ptr<Document> open_office(DocumentKind kind, const std::string& name,
                                      std::string_view bytes, const DocumentOptions& options,
                                      const DocumentLimits& limits);

}  // namespace dietmt::service
