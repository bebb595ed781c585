// The rows of CSV and TSV, as RFC 4180 writes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

class TableRows {
 public:
  struct Cell {
    size_t begin = 0;  // its bytes in the text, with quotes
    size_t end = 0;
    bool is_quoted = false;
    std::string text = {};
  };

  /// Keeps a reference to `text`.
  TableRows(std::string_view text, char separator) : text_(text), separator_(separator) {}

  bool has_next() const { return at_ < text_.size(); }

  /// Throws DataError with the line.
  std::vector<Cell> next();

 private:
  Cell read_cell();

  std::string_view text_;
  char separator_;
  size_t at_ = 0;
};

}  // namespace dietmt::service
