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

/// An element that prepare_runs() put around a field.
bool is_unit(const xmlNode* node);

/// Whether the result of a field is text: `instruction` begins with the name of the field.
bool has_text_result(const std::string& instruction);

/// Formulas, whose runs and texts have the same names as Word's.
bool is_formula(const xmlNode* node);
/// Tracked deletions.
bool is_deletion(const xmlNode* node);

}  // namespace dietmt::service
