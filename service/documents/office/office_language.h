// Marks of language and direction in office documents, which decide about spelling, hyphenation,
// fonts and the order of words.
#pragma once

#include <libxml/tree.h>

#include "service/documents/document.h"
#include "service/documents/office/code_styles.h"

namespace dietmt::service {

/// Word, PowerPoint and Excel: the text, except for code, is in the target language, and its
/// paragraphs, tables, sections and sheets have its direction. Returns false if nothing changed.
bool mark_language(xmlNode* root, const DocumentOptions& options, const CodeStyles& code);

/// OpenDocument: the same, in the styles.
bool mark_open_document_language(xmlNode* root, const DocumentOptions& options);

}  // namespace dietmt::service
