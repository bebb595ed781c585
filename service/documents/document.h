// Documents as segments to translate; everything except the segments stays unchanged.
// kinds/open_document.h opens them.
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

enum class DocumentKind {
  kTxt,
  kHtml,
  kSrt,
  kPo,
  kTmx,
  kXliff,
  kDocx,
  kOdt,
  kProperties,
  kJson,
  kArb,
  kAndroid,
  kStrings,
  kStringsdict,
  kResx,
  kTs,
  kYaml,
  kCsv,
  kTsv,
  kVtt,
  kAss,
  kPptx,
  kXlsx,
  kOdp,
  kOds,
  kEpub,
  kMarkdown,
  kPdf,
  kStringCatalog,
};

struct DocumentOptions {
  std::string source;  // language
  std::string target;
  bool fuzzy = true;         // mark the translations in gettext catalogues as fuzzy
  std::string charset = {};  // of text without a byte-order mark; empty: UTF-8, or else detected
  std::string columns = {};  // of a table: names or numbers, with commas
  bool paragraphs = false;   // plain text: the lines of a paragraph are one text
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

  /// The texts to translate, in order. Each contains a letter, is no address, and has no spaces
  /// before the first mark or after the last one. Each mark is one part, whose tag determines its
  /// kind.
  const std::vector<nmt::MarkedText>& segments() const { return segments_; }

  /// The document with one translation per segment. Call it once.
  virtual std::string translated(const std::vector<Translation>& translations) = 0;

  /// How many segments translated() left without their translation, because that would have broken
  /// the file.
  size_t refused() const { return refused_; }

  /// The encoding that was guessed for text that is neither Unicode nor says what it is; or "".
  const std::string& charset() const { return charset_; }
  void note_charset(std::string charset) { charset_ = std::move(charset); }

  /// The names of parts with text that stay in the source language.
  const std::vector<std::string>& left_out() const { return left_out_; }
  void note_left_out(std::string part) { left_out_.push_back(std::move(part)); }

 protected:
  /// Notes so many messages with plurals or choices that stay as they are.
  void leave_out_choices(size_t messages);

  std::vector<nmt::MarkedText> segments_;
  size_t refused_ = 0;
  std::vector<std::string> left_out_;

 private:
  std::string charset_;
};

/// What became of a document's segments.
struct SegmentReport {
  size_t translated = 0;
  size_t copied = 0;   // their translation is the text itself
  size_t refused = 0;  // Document::refused()
};

/// Call it after translated().
SegmentReport report_of(const Document& document, const std::vector<Translation>& translations);

/// Adds a mark at the end of a text. `tag`: <NAME> and </NAME> of a pair, or <NAME/>.
void add_mark(std::string tag, nmt::MarkedText& text);

/// As in HTML and XML: each line break, with the white space around it, becomes a space.
nmt::MarkedText join_lines(const nmt::MarkedText& text);

/// The text with its marks in place.
Translation in_source_order(const nmt::MarkedText& text);

/// Whether a translation has each mark of its segment once, with pairs nested as before.
bool has_all_marks(const Translation& translation, const nmt::MarkedText& segment);

/// Whether two translations have the same text with the same marks in the same places.
bool says_the_same(const Translation& one, const Translation& other);

/// The text without marks.
std::string plain_text(const Translation& translation);

/// Throws DataError that names the line of a byte.
[[noreturn]] void fail_at(std::string_view text, size_t at, const std::string& problem);

struct SegmentPlace {
  size_t segment = 0;
  std::string before;  // spaces
  std::string after;
};

/// Adds `text` without the spaces around it to `segments`, unless it contains no letter
/// or is an address, a path, the name of a file, a format of dates, a capital letter or a number
/// such as XIV.
std::optional<SegmentPlace> add_segment(nmt::MarkedText text,
                                        std::vector<nmt::MarkedText>& segments);

}  // namespace dietmt::service
