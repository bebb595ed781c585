// How open_document() opens each kind. Texts are valid UTF-8.
#pragma once

#include <memory>
#include <string>

#include "service/documents/document.h"

namespace dietmt::service {

std::unique_ptr<Document> open_txt(const std::string& text, const DocumentOptions& options);
std::unique_ptr<Document> open_html(const std::string& text, const DocumentOptions& options);
std::unique_ptr<Document> open_po(const std::string& text, const DocumentOptions& options);
std::unique_ptr<Document> open_tmx(std::string_view bytes, const DocumentOptions& options,
                                   const DocumentLimits& limits);
std::unique_ptr<Document> open_xliff(std::string_view bytes, const DocumentOptions& options,
                                     const DocumentLimits& limits);

}  // namespace dietmt::service
