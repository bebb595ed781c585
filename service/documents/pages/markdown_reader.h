// Where the text of Markdown is in its source (CommonMark with GitHub's tables, strikethrough, task
// lists and autolinks).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dietmt::service {

/// What md4c reports inside a block, in order.
struct MarkdownEvent {
  enum class Kind { kEnter, kLeave, kText, kEntity, kHtml, kCode, kSoftBreak, kHardBreak };
  enum class Span { kNone, kEmphasis, kStrong, kStrike, kLink, kImage, kCode };

  Kind kind = Kind::kText;
  Span span = Span::kNone;
  size_t begin = 0;  // bytes of the source, of text; npos: not there
  size_t end = 0;
};

/// A block whose content is text: a paragraph, a heading, an item, a cell; or HTML, or code.
struct MarkdownBlock {
  bool is_code = false;
  bool is_html = false;
  bool is_component = false;  // a tag of MDX
  bool is_cell = false;
  bool is_heading = false;
  std::vector<MarkdownEvent> events;

  /// The first byte of its text, and the one after the last; npos and 0 without text.
  std::pair<size_t, size_t> extent() const;
};

/// The blocks in order.
std::vector<MarkdownBlock> markdown_blocks(std::string_view source);

/// The spans of a text, sorted, and its blocks: equal for texts with the same structure.
std::vector<int> markdown_structure(std::string_view source);

}  // namespace dietmt::service
