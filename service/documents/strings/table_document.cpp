// CSV and TSV: the cells of certain columns.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/numbers.h"
#include "common/trimmed.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/strings/table_rows.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kSeparators = ",;\t|";

// The length of the line sep=; with which Excel is told the separator; 0 without one.
size_t separator_line(std::string_view text) {
  constexpr std::string_view kName = "sep=";
  if (!text.starts_with(kName) || text.size() <= kName.size()) return 0;
  const size_t end = kName.size() + 1;
  for (const std::string_view line_end : {"\r\n", "\n", "\r"})
    if (text.substr(end).starts_with(line_end)) return end + line_end.size();
  return 0;
}

// The one that the file names, or that occurs most in the first line, outside quotes.
char separator_of(std::string_view text) {
  if (separator_line(text) > 0) return text[text.find('=') + 1];
  size_t counts[kSeparators.size()] = {};
  bool is_quoted = false;
  for (const char c : text) {
    is_quoted = is_quoted != (c == '"');
    if (is_quoted) continue;
    if (c == '\n') break;
    if (const size_t which = kSeparators.find(c); which != kSeparators.npos) ++counts[which];
  }
  return kSeparators[static_cast<size_t>(std::ranges::max_element(counts) - std::begin(counts))];
}

class TableDocument final : public ValuesDocument {
 public:
  TableDocument(std::string_view bytes, bool is_tsv, const DocumentOptions& options)
      : ValuesDocument(bytes, LanguagePair{options.source, options.target}, options.charset),
        separator_(is_tsv ? '\t' : separator_of(text())) {
    size_t row = 0;
    for (TableRows rows(text(), separator_, is_tsv ? 0 : separator_line(text()));
         rows.has_next();) {
      const std::vector<Cell> cells = rows.next();
      if (row == 0) choose(options.columns, cells);
      for (size_t i = 0; i < cells.size() && (row > 0 || !has_header_); ++i)
        if (columns_.contains(i)) add(cells[i]);
      ++row;
    }
    if (row == 0) throw DataError("the file has no row");
    finish();
  }

 private:
  using Cell = TableRows::Cell;

  // Columns are names in the first row, or numbers from 1 of a table without names.
  void choose(const std::string& columns, const std::vector<Cell>& header) {
    std::string names;
    for (const Cell& cell : header) names += (names.empty() ? "" : ", ") + cell.text;
    if (columns.empty())
      throw DataError(
          "name the columns to translate: columns=NAME,NAME or columns=1,3. The first row is " +
          names);
    for (size_t begin = 0; begin <= columns.size();) {
      const size_t end = std::min(columns.find(',', begin), columns.size());
      const std::string name(trimmed(columns.substr(begin, end - begin), " "));
      begin = end + 1;
      const auto found = std::ranges::find_if(
          header, [&](const Cell& cell) { return trimmed(cell.text, " ") == name; });
      const size_t number = number_in<size_t>(name).value_or(0);
      if (found != header.end()) {
        columns_.insert(static_cast<size_t>(found - header.begin()));
        has_header_ = true;
      } else if (number > 0 && number <= header.size()) {
        columns_.insert(number - 1);
      } else {
        throw DataError("columns: there is no column \"" + name + "\"; the first row is " + names);
      }
    }
  }

  void add(const Cell& cell) {
    add_value(cell.begin, cell.end, {.text = cell.text, .marks = {}},
              [is_quoted = cell.is_quoted, separator = separator_](const std::string& text) {
                std::string special = {separator, '\r', '\n'};
                if (separator != '\t') special += '"';
                if (!is_quoted && text.find_first_of(special) == text.npos) return text;
                std::string quoted = "\"";
                for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
                return quoted + '"';
              });
  }

  char separator_;
  std::set<size_t> columns_;
  bool has_header_ = false;
};

}  // namespace

std::unique_ptr<Document> open_csv(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<TableDocument>(bytes, false, options);
}

std::unique_ptr<Document> open_tsv(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<TableDocument>(bytes, true, options);
}

}  // namespace dietmt::service
