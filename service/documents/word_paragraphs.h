// Paragraphs of Word. Tracked insertions are translated with their sentence; formulas, bookmarks,
// ranges of comments, references to notes and tracked deletions inside of it move with its words.
#pragma once

#include <libxml/tree.h>

#include <string>

#include "service/documents/styled_segments.h"

namespace dietmt::service {

/// Adds the text of all paragraphs. A run or an insertion with several things in it becomes
/// several, smart tags around runs go, and Word's hyphens become text.
void add_word_text(xmlNode* root, StyledSegments& segments);

/// A run, or an insertion with a run, of the same formatting with only this text.
xmlNode* copied_word_item(const StyledText& original, const std::string& text);

}  // namespace dietmt::service
