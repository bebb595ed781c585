#include "service/documents/strings/table_rows.h"

#include <algorithm>

#include "service/documents/document.h"

namespace dietmt::service {

std::vector<TableRows::Cell> TableRows::next() {
  std::vector<Cell> cells;
  while (true) {
    cells.push_back(read_cell());
    if (!has_next()) return cells;
    const char c = text_[at_++];
    if (c == separator_) continue;
    if (c == '\r' && has_next() && text_[at_] == '\n') ++at_;
    return cells;
  }
}

TableRows::Cell TableRows::read_cell() {
  Cell cell{.begin = at_};
  const std::string ends = {separator_, '\r', '\n'};
  cell.is_quoted = has_next() && text_[at_] == '"';
  if (cell.is_quoted) {
    const size_t opening = at_++;
    for (; has_next(); ++at_) {
      if (text_[at_] == '"' && (++at_ == text_.size() || text_[at_] != '"')) break;
      cell.text += text_[at_];
    }
    if (!has_next() && text_[at_ - 1] != '"')
      fail_at(text_, opening, "the cell has no closing quote");
    if (has_next() && ends.find(text_[at_]) == ends.npos)
      fail_at(text_, at_, "there is text after a quoted cell");
  } else {
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    cell.text = text_.substr(cell.begin, at_ - cell.begin);
  }
  cell.end = at_;
  return cell;
}

}  // namespace dietmt::service
