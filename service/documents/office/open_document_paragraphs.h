// Paragraphs of OpenDocument: text with spans.
#pragma once

#include <libxml/tree.h>

#include <string>

#include "service/documents/office/code_styles.h"
#include "service/documents/office/office_part.h"

namespace dietmt::service {

/// Adds the styles of styles.xml, or the automatic ones of content.xml.
void add_open_document_styles(xmlNode* root, CodeStyles& code);

/// Adds the text of all paragraphs, the descriptions of pictures, and the title and subject of the
/// document. Notes, comments and drawings inside a sentence, whose texts are translated by
/// themselves, move with its words, as fields do.
void add_open_document_text(OfficePart& part, const CodeStyles& code);

/// A span of the same style, or a text node, with this text.
xmlNode* copied_span(const StyledText& original, const std::string& text);

}  // namespace dietmt::service
