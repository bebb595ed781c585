// Tab-separated lines to translate: which column holds the text, and which its languages, tag and
// prefix. A cell has no quotes and ends at a tab or the end of its line.
#pragma once

#include <string>
#include <vector>

#include "common/text_io.h"
#include "nmt/translation/line_request.h"

namespace dietmt::nmt {

class TsvColumns {
 public:
  /// The columns that the first line of `input` names. Throws DataError with file:line if there is
  /// none, or if no column or several are named source (or as another of LineFields).
  static TsvColumns read(LineReader& input);

  /// The columns of lines without such a line; a column may have an empty name. Throws ConfigError.
  static TsvColumns named(const std::string& names_with_commas);

  /// The line with all names, or nothing if none was read.
  const std::string& header() const { return header_; }

  /// Takes the text out of a line and puts its other cells into `extras`. An empty cell says
  /// nothing: `usual` holds. Throws DataError if the line has fewer or more cells than columns.
  std::string take_line(const std::string& line, const LanguageChoice& usual,
                        LineExtras& extras) const;

 private:
  /// Throws DataError.
  explicit TsvColumns(std::vector<std::string> names);

  std::vector<std::string> names_;
  std::string header_;
};

}  // namespace dietmt::nmt
