// Makes the runs of a paragraph whole: Word splits sentences for reasons that no reader sees.
#pragma once

#include <libxml/tree.h>

#include <string>
#include <vector>

namespace dietmt::service {

/// The elements in an element.
std::vector<xmlNode*> elements_in(const xmlNode* node);

/// Removes smart tags around runs and the pronunciation of Japanese; Word's hyphens become text. A
/// field that is no text, such as a page number, becomes one element, which is added to `units`.
void prepare_runs(xmlNode* paragraph, std::vector<xmlNode*>& units);

/// Splits a run of texts and references to notes into runs that contain only one of them.
std::vector<xmlNode*> split_run(xmlNode* run);

/// Splits a tracked insertion into insertions that contain one run or deletion, with the marks next
/// to them; none if it contains anything else.
std::vector<xmlNode*> split_insertion(xmlNode* insertion);

/// Paragraphs of Word and drawings; cells, inline cells and comments of Excel.
bool is_paragraph(const xmlNode* node);
/// Elements between runs, the starts and ends of ranges, and fields without text.
bool is_mark(const xmlNode* node);
/// References to notes and comments, inside a run.
bool is_reference(const xmlNode* node);
/// What holds no runs: texts, formatting, and elements that are ignored.
bool is_leaf(const xmlNode* node);
/// Elements without meaning for the text.
bool is_ignored(const xmlNode* node);

/// Whether the result of a field is text: `instruction` begins with the name of the field.
bool has_text_result(const std::string& instruction);

/// Formulas, whose runs and texts have the same names as Word's.
bool is_formula(const xmlNode* node);
/// Tracked deletions.
bool is_deletion(const xmlNode* node);

}  // namespace dietmt::service
