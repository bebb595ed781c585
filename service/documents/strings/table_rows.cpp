#include "service/documents/strings/table_rows.h"

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
  cell.is_quoted = has_next() && text_[at_] == '"';
  if (cell.is_quoted) {
    const char* const problem = read_quoted(cell);
    const bool is_text =
        separator_ == '\t' && (problem != nullptr || cell.text.find('\t') != cell.text.npos);
    if (problem != nullptr && !is_text) fail_at(text_, at_, problem);
    if (is_text) cell = {.begin = cell.begin};
  }
  if (!cell.is_quoted) read_plain(cell);
  cell.end = at_;
  return cell;
}

const char* TableRows::read_quoted(Cell& cell) {
  bool is_closed = false;
  for (++at_; has_next(); ++at_) {
    if (text_[at_] == '"') {
      is_closed = ++at_ == text_.size() || text_[at_] != '"';
      if (is_closed) break;
    }
    cell.text += text_[at_];
  }
  if (!is_closed) {
    at_ = cell.begin;
    return "the cell has no closing quote";
  }
  return is_at_end_of_cell() ? nullptr : "there is text after a quoted cell";
}

void TableRows::read_plain(Cell& cell) {
  for (at_ = cell.begin; !is_at_end_of_cell();) ++at_;
  cell.text = text_.substr(cell.begin, at_ - cell.begin);
}

bool TableRows::is_at_end_of_cell() const {
  return !has_next() || text_[at_] == separator_ || text_[at_] == '\r' || text_[at_] == '\n';
}

}  // namespace dietmt::service
