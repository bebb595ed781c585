// The rows of CSV and TSV, as RFC 4180 writes them. TSV may also have quotes that are text: a cell
// is quoted if it ends with a quote and has no tab.
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

  /// Keeps a reference to `text`, whose rows begin at byte `begin`.
  TableRows(std::string_view text, char separator, size_t begin = 0)
      : text_(text), separator_(separator), at_(begin) {}

  bool has_next() const { return at_ < text_.size(); }

  /// Throws DataError with the line.
  std::vector<Cell> next();

 private:
  Cell read_cell();
  /// Returns what is wrong with it; null if nothing is.
  const char* read_quoted(Cell& cell);
  void read_plain(Cell& cell);
  bool is_at_end_of_cell() const;

  std::string_view text_;
  char separator_;
  size_t at_;
};

}  // namespace dietmt::service
