// Paragraphs of runs, as in Word, PowerPoint and Excel: a run has its formatting and its text. In
// Word, tracked insertions are translated with their sentence; formulas, bookmarks, comment ranges,
// references to notes and tracked deletions inside it move with its words.
#pragma once

#include <libxml/tree.h>

#include <set>
#include <string>

#include "service/documents/office/code_styles.h"
#include "service/documents/office/office_part.h"
#include "service/documents/office/table_columns.h"

namespace dietmt::service {

/// What the other parts of a document say about a part.
struct RunContext {
  CodeStyles code;
  std::set<std::string> contents;  // ids of the styles of tables of contents
  TableColumns columns;
};

/// Adds the styles of Word's styles.xml.
void add_word_styles(xmlNode* root, RunContext& context);

/// Adds the text of all paragraphs, and the descriptions of pictures. Runs and insertions with
/// mixed content are split. `skips_prompts`: without those of placeholders.
void add_runs(OfficePart& part, const RunContext& context, bool skips_prompts);

/// A run, an insertion with a run, or a text without a run, with the same formatting and only this
/// text.
xmlNode* copied_run_item(const StyledText& original, const std::string& text);

}  // namespace dietmt::service
