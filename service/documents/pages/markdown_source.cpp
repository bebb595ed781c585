#include "service/documents/pages/markdown_source.h"

#include <algorithm>

#include "common/interruption.h"
#include "common/trimmed.h"
#include "service/documents/pages/jsx_tags.h"
#include "service/documents/pages/markdown_lines.h"

namespace dietmt::service {
namespace {

constexpr size_t kIndentation = 4;  // columns; a tab has as many

// Bytes of spaces at the start of a line that take up to `columns` columns.
size_t indentation(std::string_view line, size_t columns) {
  size_t bytes = 0;
  for (size_t column = 0; column < columns && bytes < line.size(); ++bytes) {
    if (line[bytes] != ' ' && line[bytes] != '\t') break;
    column += line[bytes] == '\t' ? kIndentation : 1;
  }
  return bytes;
}

bool is_indented(std::string_view line) {
  const std::string_view spaces = line.substr(0, indentation(line, kIndentation));
  return spaces.size() == kIndentation || spaces.ends_with('\t');
}

// A table with fewer than three hyphens in a cell of its second row, which md4c takes for text.
bool is_short_delimiter_row(std::string_view line) {
  return line.find('-') != line.npos && line.find("---") == line.npos &&
         line.find('|') != line.npos && line.find_first_not_of("|-: \t>\r") == line.npos;
}

bool has_cells(std::string_view line) { return line.find('|') != line.npos; }

// ``` or ~~~ at the start of a line; "" without them.
std::string_view fence_of(std::string_view line) {
  line.remove_prefix(indentation(line, kIndentation - 1));
  if (!line.starts_with("```") && !line.starts_with("~~~")) return {};
  return line.substr(0, std::min(line.find_first_not_of(line.front()), line.size()));
}

}  // namespace

MarkdownSource::MarkdownSource(std::string_view source) {
  const auto line_at = [&](size_t at) {
    return source.substr(at, std::min(source.find('\n', at), source.size() - 1) + 1 - at);
  };
  while (read_ < source.size()) {
    check_interruption();
    if (skip_tags(source.substr(read_))) continue;
    const std::string_view line = line_at(read_);
    const size_t next = read_ + line.size();
    add_line(line, next < source.size() ? line_at(next) : std::string_view());
  }
}

size_t MarkdownSource::offset_in_source(size_t offset) const {
  const auto next =
      std::ranges::upper_bound(places_, offset, {}, &decltype(places_)::value_type::first);
  if (next == places_.begin()) return offset;
  return std::prev(next)->second + (offset - std::prev(next)->first);
}

// Lines of tags at the start of the rest of the source.
bool MarkdownSource::skip_tags(std::string_view rest) {
  if (!fence_.empty() || read_ < no_tags_before_) return false;
  const JsxLines lines = jsx_lines(rest);
  no_tags_before_ = read_ + lines.read;
  if (lines.tags.empty()) return false;
  for (const auto& [begin, end] : lines.tags) {
    tags_.emplace_back(read_ + begin, read_ + end);
    const int levels = jsx_levels(rest.substr(begin, end - begin));
    if (components_ == 0 && levels > 0) outer_indent_ = begin;
    components_ += levels > 0 ? 1 : 0;
    components_ -= levels < 0 && components_ > 0 ? 1 : 0;
  }
  indent_.reset();
  is_after_text_ = false;
  skip(lines.end);
  if (lines.end < rest.size()) add("\n");
  return true;
}

// Bytes of indentation that a line has because it is inside components.
size_t MarkdownSource::leave_component(std::string_view line) {
  const size_t indent = line.find_first_not_of(" \t");
  if (components_ == 0) return 0;
  if (!indent_) indent_ = indent;
  const size_t common = std::min(indent, *indent_);
  return common > outer_indent_ ? common - outer_indent_ : 0;
}

void MarkdownSource::add_line(std::string_view line, std::string_view next) {
  const std::string_view content = trimmed(line, " \t\r\n");
  if (!content.empty()) {
    const size_t component = leave_component(line);
    skip(component);
    line.remove_prefix(component);
    const size_t indented = leave_blocks(line);
    skip(indented);
    line.remove_prefix(indented);
  }
  const std::string_view fence = fence_of(line);
  if (!fence_.empty()) {
    if (fence.starts_with(fence_) && content.size() == fence.size()) fence_.clear();
  } else if (!fence.empty()) {
    fence_ = fence;
  } else {
    if (is_after_text_ && has_cells(line) && is_delimiter_row(next)) insert("\n");
    is_after_text_ = !content.empty() && !has_cells(line);
    if (begins_indented_block(line)) ++blocks_;
  }
  if (fence_.empty() && is_short_delimiter_row(line.substr(0, line.find('\n')))) return pad(line);
  const size_t begin = indentation(line, kIndentation - 1);
  const size_t label = fence_.empty() ? footnote_label(line.substr(begin)) : 0;
  if (label > 0) {
    const size_t bracket = begin + label - 1;
    add(line.substr(0, bracket));
    insert("]");
    line.remove_prefix(bracket);
  }
  add(line);
}

// Bytes of indentation of the blocks to which a line belongs.
size_t MarkdownSource::leave_blocks(std::string_view line) {
  size_t bytes = 0;
  for (size_t block = 0; block < blocks_; ++block) {
    const std::string_view rest = line.substr(bytes);
    if (!is_indented(rest)) {
      blocks_ = block;
      fence_.clear();
      break;
    }
    bytes += indentation(rest, kIndentation);
  }
  return bytes;
}

void MarkdownSource::skip(size_t bytes) {
  if (bytes == 0) return;
  read_ += bytes;
  places_.emplace_back(text_.size(), read_);
}

void MarkdownSource::add(std::string_view text) {
  text_ += text;
  read_ += text.size();
}

void MarkdownSource::insert(std::string_view text) {
  places_.emplace_back(text_.size(), read_);
  text_ += text;
  places_.emplace_back(text_.size(), read_);
}

void MarkdownSource::pad(std::string_view row) {
  for (size_t i = 0; i < row.size(); ++i) {
    add(row.substr(i, 1));
    if (row[i] == '-' && (i == 0 || row[i - 1] != '-')) insert("---");
  }
}

}  // namespace dietmt::service
