// The text of a Markdown block with its markup, byte for byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/documents/pages/markdown_links.h"
#include "service/documents/pages/markdown_reader.h"

namespace dietmt::service {

/// Bytes begin .. end-1 of the source.
struct MarkdownPiece {
  enum class Kind {
    kText,       // with the backslashes of escapes; its meaning is bytes text .. end-1
    kReference,  // &amp;
    kOpen,       // of a span
    kClose,
    kCode,   // a span of code, or an address
    kImage,  // its alternative text is bytes text .. text_end-1, if it can be translated
    kHtml,
    kSoftBreak,  // with the beginning of the next line
    kHardBreak,
  };

  Kind kind = Kind::kText;
  size_t begin = 0;
  size_t end = 0;
  size_t text = 0;
  size_t text_end = 0;
  /// At the end of a link whose text is its label, as in [label] and [label][]: begins the label.
  std::optional<size_t> label = {};
  std::optional<LinkTitle> title = {};  // of a link or an image
};

/// The block's bytes from its first text or markup to its last, without gaps. Nullopt if the events
/// do not explain all of them.
std::optional<std::vector<MarkdownPiece>> markdown_pieces(std::string_view source,
                                                          const MarkdownBlock& block);

/// The pieces between bytes begin and end-1; texts are cut there.
std::vector<MarkdownPiece> clipped_pieces(std::vector<MarkdownPiece> pieces, size_t begin,
                                          size_t end);

}  // namespace dietmt::service
