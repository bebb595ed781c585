// The kinds of documents, and how each is opened.
//
//   const auto document = open_document(kind, bytes, {"en", "de"});
//   bytes = document->translated(translate_keeping_placeholders(document->segments(), translate,
//                                                               translate_marked));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// "txt", "html", "srt", ...: the usual extension.
const char* name_of(DocumentKind kind);
std::optional<DocumentKind> document_kind(std::string_view name);
/// By the end of a file name, ignoring case.
std::optional<DocumentKind> kind_of_file(std::string_view file_name);
/// The names of all kinds.
const std::vector<std::string>& document_names();
/// The extensions of files that open_document() reads here, each with its dot.
const std::vector<std::string>& document_extensions();
/// The file name of a translation: that of the document, but a PDF becomes a Word document.
std::string translated_name(std::string name, DocumentKind kind);
/// The value of Content-Type for a translation.
const char* media_type_of(DocumentKind kind);

/// Whether a file of so many bytes needs little memory when it is open: a short one that is not an
/// archive.
bool stays_small(DocumentKind kind, size_t bytes);

/// Whether source and target are side by side, so that both languages must be known to open it.
bool is_bilingual(DocumentKind kind);

/// Throws DocumentTooLargeError, or DataError saying what is wrong: another kind, damaged, not
/// UTF-8, XML with entity declarations, an archive with unsafe names, a catalogue or XLIFF
/// file for other languages. Existing translations stay.
std::unique_ptr<Document> open_document(DocumentKind kind, std::string_view bytes,
                                        const DocumentOptions& options,
                                        const DocumentLimits& limits = {});

}  // namespace dietmt::service
