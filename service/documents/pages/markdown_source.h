// Markdown as md4c reads it: what other processors read differently is rewritten, with the way back
// to the bytes of the source.
#pragma once

#include <optional>
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
///    indented;
///  - lines of nothing but tags of components (<Tabs>) are blank, and what is between them is
///    indented as they are.
class MarkdownSource {
 public:
  explicit MarkdownSource(std::string_view source);

  const std::string& text() const { return text_; }

  /// The tags of components that are not in the text: bytes of the source.
  const std::vector<std::pair<size_t, size_t>>& tags() const { return tags_; }

  /// The byte of the source for one of the text.
  size_t offset_in_source(size_t offset) const;

 private:
  bool skip_tags(std::string_view rest);
  size_t leave_component(std::string_view line);
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
  std::vector<std::pair<size_t, size_t>> tags_;
  size_t no_tags_before_ = 0;     // byte of the source
  size_t components_ = 0;         // open ones
  size_t outer_indent_ = 0;       // of the first of them
  std::optional<size_t> indent_;  // of the lines after the last tag
};

}  // namespace dietmt::service
