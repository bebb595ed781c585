// Documents as segments to translate: text, HTML, SubRip subtitles, gettext catalogues, TMX, XLIFF,
// Word and OpenDocument text. Everything except the segments stays unchanged.
//
//   const auto document = open_document(kind, bytes, {"en", "de"});
//   bytes = document->translated(translate_keeping_placeholders(document->segments(), translate,
//                                                               translate_marked));
//
// Inline elements, formatting and other non-text inside a sentence are marks outside of its text
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
/// By the extension of a file name, ignoring case.
std::optional<DocumentKind> kind_of_file(std::string_view file_name);
/// The names of all kinds.
const std::vector<std::string>& document_names();
/// The extensions of files that open_document() reads, each with its dot.
const std::vector<std::string>& document_extensions();
/// The value of Content-Type.
const char* media_type_of(DocumentKind kind);

/// Whether a file of so many bytes needs little memory when it is open: a short one that is not an
/// archive.
bool stays_small(DocumentKind kind, size_t bytes);

struct DocumentLanguages {
  std::string source;
  std::string target;
};

struct DocumentLimits {
  size_t bytes = size_t{32} << 20;  // of the file, and of the parts read from an archive
  size_t nodes = 2'000'000;         // XML elements and attributes
};

/// The document exceeds one of these limits.
class DocumentTooLargeError : public DataError {
 public:
  using DataError::DataError;
};

/// Text and marks. MarkedPart::mark is a mark's index in its segment, -1 for text.
using Translation = std::vector<nmt::MarkedPart>;

class Document {
 public:
  virtual ~Document() = default;

  /// The texts to translate, in order. Each contains a letter, and has no spaces before the first
  /// mark or after the last one. Each mark is one part, whose tag determines its kind.
  const std::vector<nmt::MarkedText>& segments() const { return segments_; }

  /// The document with one translation per segment. Call it once.
  virtual std::string translated(const std::vector<Translation>& translations) = 0;

 protected:
  std::vector<nmt::MarkedText> segments_;
};

/// Throws DocumentTooLargeError, or DataError saying what is wrong: another kind, damaged, not
/// UTF-8, XML with entity declarations, an archive with unsafe names. `languages` matter for TMX
/// and XLIFF, which hold source and target side by side; existing translations stay.
std::unique_ptr<Document> open_document(DocumentKind kind, std::string_view bytes,
                                        const DocumentLanguages& languages,
                                        const DocumentLimits& limits = {});

/// Adds a mark at the end of a text. `tag`: <NAME> and </NAME> of a pair, or <NAME/>.
void add_mark(std::string tag, nmt::MarkedText& text);

/// As in HTML and XML: each line break, with the white space around it, becomes a space.
nmt::MarkedText join_lines(const nmt::MarkedText& text);

/// The text with its marks in place.
Translation in_source_order(const nmt::MarkedText& text);

/// Whether a translation has each mark of its segment once, with pairs nested as before.
bool has_all_marks(const Translation& translation, const nmt::MarkedText& segment);

/// The text without marks.
std::string plain_text(const Translation& translation);

struct SegmentPlace {
  size_t segment = 0;
  std::string before;  // spaces
  std::string after;
};

/// Adds `text` without the spaces around it to `segments`, unless it contains no letter.
std::optional<SegmentPlace> add_segment(nmt::MarkedText text,
                                        std::vector<nmt::MarkedText>& segments);

}  // namespace dietmt::service
