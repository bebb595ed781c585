// Reads the records of a table in any RecordFormat.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/text_io.h"
#include "data/tasks/task_table.h"

namespace dietmt::data {

constexpr int64_t kNoColumn = -1;

/// Columns from 0, and the number of columns in a row.
struct Columns {
  const TableLayout* layout = nullptr;
  int64_t first = kNoColumn;
  int64_t second = kNoColumn;
  int64_t label = kNoColumn;
  int64_t id = kNoColumn;
  int64_t language = kNoColumn;
  int64_t min_count = 0;
  int64_t max_count = 0;
};

/// Throws ConfigError for impossible layouts, or those that do not fit the target.
void check_layouts(const std::vector<TableLayout>& layouts, const Target& target,
                   const ReadOptions& options);

/// Uses the first layout whose columns `first_row` has as a header, else the first one without
/// header that has this number of columns. The label may be absent. Throws DataError
/// (`where`: what was expected) if there is none.
Columns match_columns(const std::vector<TableLayout>& layouts,
                      const std::vector<std::string>& first_row, const ReadOptions& options,
                      const std::string& where);

/// 'text', and 'one', 'two', 'three': for messages.
std::string quoted(const std::string& text);
std::string quoted_list(const std::vector<std::string>& texts);

/// A byte order mark and a CR at the end of a line are not part of a field.
class RecordReader {
 public:
  /// `path` as for LineReader. Throws DataError if it cannot be opened.
  RecordReader(const std::string& path, RecordFormat format);

  /// False at the end. JSON lines: the first record has the names in the first object, the others
  /// the values of these names; null and a missing one are empty, other types are JSON text. Throws
  /// DataError (path:line) for an unclosed quote, or a line that is not a JSON object or lacks the
  /// name of a column in use.
  bool next(std::vector<std::string>& fields);

  /// Applies to later records. The header determines how they are quoted and what they need.
  void use(const Columns& columns);

  /// "path:line" of the first line of the last record.
  std::string where() const;

 private:
  bool next_line(std::string& line);
  void split_plain(std::string_view line, std::vector<std::string>& fields) const;
  void split_quoted(std::string line, char separator, std::vector<std::string>& fields);
  bool next_object(std::vector<std::string>& fields);

  std::string path_;
  LineReader lines_;
  RecordFormat format_;
  int64_t line_number_ = 0;
  std::vector<std::string> names_;  // JSON lines
  std::vector<int64_t> needed_;     // of these
  std::string first_object_;        // its names were read, its values come next
};

}  // namespace dietmt::data
