// Records of a table, field by field, in any RecordFormat.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/text_io.h"
#include "data/tasks/table_layout.h"

namespace dietmt::data {

/// A byte order mark and a CR at the end of a line are no part of a field.
class RecordReader {
 public:
  /// `path` as LineReader's. Throws DataError if it cannot be opened.
  RecordReader(const std::string& path, RecordFormat format);

  /// False at the end. JSON lines: the first record holds the names in the first object, the others
  /// the values by these names; null is empty, what is no string is JSON. Throws DataError
  /// (path:line) for a quote that is not closed, or a line that is no JSON object or lacks a name.
  bool next(std::vector<std::string>& fields);

  /// For the records to come. A header tells how what follows it is quoted.
  void set_format(RecordFormat format) { format_ = format; }

  /// "path:line" of the line in which the last record begins.
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
  std::string first_object_;        // read for its names, its values are still to be given
};

}  // namespace dietmt::data
