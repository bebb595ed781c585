// Documents as segments to translate: text, HTML, SubRip subtitles, gettext catalogues, TMX, XLIFF,
// Word and OpenDocument text. Everything except the segments stays as it is.
//
//   const auto document = open_document(kind, bytes, {"en", "de"});
//   bytes = document->translated(translate_keeping_placeholders(document->segments(), translate,
//                                                               translate_marked));
//
// Inline elements, formatting and what else stands inside a sentence are marks outside of its text
// (nmt/alignment/inline_markup.h), which a translation moves with their words.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "nmt/alignment/inline_markup.h"

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

/// Text and marks. MarkedPart::mark is the place of a mark in its segment, -1 for text.
using Translation = std::vector<nmt::MarkedPart>;

class Document {
 public:
  virtual ~Document() = default;

  /// The texts to translate, in order. Each has a letter, and no spaces before the first mark and
  /// after the last one. Each mark is one part, with a tag that tells its kind.
  const std::vector<nmt::MarkedText>& segments() const { return segments_; }

  /// The document with one translation for each segment. Call it once.
  virtual std::string translated(const std::vector<Translation>& translations) = 0;

 protected:
  std::vector<nmt::MarkedText> segments_;
};

/// Throws DocumentTooLargeError, and DataError, which says what is wrong: not of this kind,
/// damaged, not UTF-8, XML with its own entities, an archive with unsafe names. `languages` matter
/// for TMX and XLIFF, which hold source and target side by side: texts that have a translation keep
/// it.
std::unique_ptr<Document> open_document(DocumentKind kind, std::string_view bytes,
                                        const DocumentLanguages& languages,
                                        const DocumentLimits& limits = {});

bool has_letter(std::string_view text);

/// Adds a mark at the end of a text. `tag`: <NAME> and </NAME> of a pair, or <NAME/>.
void add_mark(std::string tag, nmt::MarkedText& text);

/// As HTML and XML read a text: each line break is a space, with the white space around it.
nmt::MarkedText join_lines(const nmt::MarkedText& text);

/// The text with its marks where they are.
Translation in_source_order(const nmt::MarkedText& text);

/// Whether a translation has each mark of its segment once, and pairs are nested as they were.
bool has_all_marks(const Translation& translation, const nmt::MarkedText& segment);

/// Without marks.
std::string plain_text(const Translation& translation);

struct SegmentPlace {
  size_t segment = 0;
  std::string before;  // spaces
  std::string after;
};

/// Adds `text` without the spaces around it to `segments`, unless it has no letter to translate.
std::optional<SegmentPlace> add_segment(nmt::MarkedText text,
                                        std::vector<nmt::MarkedText>& segments);

}  // namespace dietmt::service
