// Text for training: the lines of a file, or a column of tab-separated values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/text_io.h"

namespace dietmt::data {

/// What "corpus.tsv:2" names: column 2 of corpus.tsv, unless a file has this whole name.
struct TextColumn {
  /// Throws ConfigError for column 0.
  explicit TextColumn(const std::string& name);

  std::string file;
  int64_t column = 0;  // from 1; 0: whole lines
};

class TextReader : public LineReader {
 public:
  /// `name` as for TextColumn. Cuts lines over kMaxLineBytes.
  explicit TextReader(const std::string& name);

  /// As LineReader::next(). Throws DataError with file:line if the line lacks the column.
  bool next(std::string& line);

 private:
  explicit TextReader(const TextColumn& text);

  int64_t column_;
};

}  // namespace dietmt::data
