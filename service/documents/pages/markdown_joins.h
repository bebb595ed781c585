// Translations of Markdown, written with their markup. Nullopt: the markup would not mean the same.
#pragma once

#include <optional>
#include <string>

#include "service/documents/markup_document.h"

namespace dietmt::service {

std::optional<std::string> joined_cell(const MarkupDocument::Run& run,
                                       const Translation& translation);
std::optional<std::string> joined_heading(const MarkupDocument::Run& run,
                                          const Translation& translation);

/// A paragraph or an item, in lines as wide as those of the source.
std::optional<std::string> joined_lines(const MarkupDocument::Run& run,
                                        const Translation& translation);

}  // namespace dietmt::service
