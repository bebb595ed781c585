// Documents as segments to translate: text, HTML, SubRip subtitles, gettext catalogues, TMX, XLIFF,
// Word and OpenDocument text. Everything except the segments stays as it is.
//
//   const auto document = open_document(kind, bytes, {"en", "de"});
//   bytes = document->translated(translate_keeping_placeholders(document->segments(), translate,
//                                                               translate_marked));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace dietmt::service {

enum class DocumentKind { kTxt, kHtml, kSrt, kPo, kTmx, kXliff, kDocx, kOdt };

/// "txt", "html", "srt", ...: the usual extension.
const char* name_of(DocumentKind kind);
std::optional<DocumentKind> document_kind(std::string_view name);
/// By the extension of a file's name, in any case.
std::optional<DocumentKind> kind_of_file(std::string_view file_name);
/// The names of all kinds.
const std::vector<std::string>& document_names();
/// The extensions of files that open_document() reads, each with its dot.
const std::vector<std::string>& document_extensions();
/// The value of Content-Type.
const char* media_type_of(DocumentKind kind);

struct DocumentLanguages {
  std::string source;
  std::string target;
};

struct DocumentLimits {
  size_t bytes = size_t{32} << 20;  // of the file, and of what is read of a packed one
  size_t nodes = 2'000'000;         // elements and attributes of XML
};

/// The document is beyond one of these limits.
class DocumentTooLargeError : public DataError {
 public:
  using DataError::DataError;
};

class Document {
 public:
  virtual ~Document() = default;

  /// The texts to translate, in order. Each has a letter and no spaces around it.
  const std::vector<std::string>& segments() const { return segments_; }

  /// The document with one translation for each segment. Call it once.
  virtual std::string translated(const std::vector<std::string>& translations) = 0;

 protected:
  std::vector<std::string> segments_;
};

/// Throws DocumentTooLargeError, and DataError, which says what is wrong: not of this kind,
/// damaged, not UTF-8, XML with its own entities, an archive with unsafe names. `languages` matter
/// for TMX and XLIFF, which hold source and target side by side: texts that have a translation keep
/// it.
std::unique_ptr<Document> open_document(DocumentKind kind, std::string_view bytes,
                                        const DocumentLanguages& languages,
                                        const DocumentLimits& limits = {});

struct SegmentPlace {
  size_t segment = 0;
  std::string before;  // spaces
  std::string after;

  /// The text that replaces the one that was added.
  std::string filled(const std::vector<std::string>& translations) const {
    return before + translations.at(segment) + after;
  }
};

bool has_letter(std::string_view text);

/// As HTML and XML read a text: each line break is a space, with the white space around it.
std::string join_lines(std::string_view text);

/// Adds `text` without the spaces around it to `segments`, unless it has no letter to translate.
std::optional<SegmentPlace> add_segment(std::string_view text, std::vector<std::string>& segments);

}  // namespace dietmt::service
