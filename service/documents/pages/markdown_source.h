// Markdown as md4c reads it: what other processors read differently is rewritten, with the way back
// to the bytes of the source.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dietmt::service {

/// The source, in which
///  - each run of hyphens in the second row of a table has three more if md4c would take the table
///    for text;
///  - a table that follows a paragraph has a blank line before it, as on GitHub;
///  - the label of a footnote has another bracket, so that it is no definition of a link;
///  - the indented blocks of a footnote, a definition and an admonition (!!! note) are not
///  indented.
class MarkdownSource {
 public:
  explicit MarkdownSource(std::string_view source);

  const std::string& text() const { return text_; }

  /// The byte of the source for one of the text.
  size_t offset_in_source(size_t offset) const;

 private:
  void add_line(std::string_view line, std::string_view next);
  size_t leave_blocks(std::string_view line);
  void skip(size_t bytes);
  void add(std::string_view text);
  void insert(std::string_view text);
  void pad(std::string_view row);

  std::string text_;
  size_t read_ = 0;  // bytes of the source that are in the text, or were skipped
  std::vector<std::pair<size_t, size_t>> places_;  // in the text and in the source, after a change
  size_t blocks_ = 0;                              // open ones whose lines are indented
  std::string fence_;                              // of the code block that is open
  bool is_after_text_ = false;                     // a line that a table would go on
};

}  // namespace dietmt::service
