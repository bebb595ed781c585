// Paragraphs of Word. Tracked insertions are translated with their sentence; formulas, bookmarks,
// comment ranges, references to notes and tracked deletions inside it move with its words.
#pragma once

#include <libxml/tree.h>

#include <string>

#include "service/documents/styled_segments.h"

namespace dietmt::service {

/// Adds the text of all paragraphs. Runs and insertions with mixed content are split, smart tags
/// around runs are removed, and Word's hyphens become text.
void add_word_text(xmlNode* root, StyledSegments& segments);

/// A run, or an insertion with a run, with the same formatting and only this text.
xmlNode* copied_word_item(const StyledText& original, const std::string& text);

}  // namespace dietmt::service
