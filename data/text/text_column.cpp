#include "data/text/text_column.h"

#include <algorithm>
#include <filesystem>

#include "common/error.h"
#include "common/numbers.h"

namespace dietmt::data {

TextColumn::TextColumn(const std::string& name) : file(name) {
  const size_t colon = name.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(name)) return;
  const auto number = number_in<int64_t>(std::string_view(name).substr(colon + 1));
  if (!number || *number < 0) return;
  if (*number == 0) throw ConfigError(name + ": columns count from 1");
  file.resize(colon);
  column = *number;
}

TextReader::TextReader(const std::string& name) : TextReader(TextColumn(name)) {}

TextReader::TextReader(const TextColumn& text)
    : LineReader(text.file, kMaxLineBytes, LongLines::kCut), column_(text.column) {}

bool TextReader::next(std::string& line) {
  if (!LineReader::next(line)) return false;
  if (column_ == 0) return true;
  if (line.ends_with('\r')) line.pop_back();
  size_t begin = 0;
  for (int64_t column = 1; column < column_; ++column) {
    const size_t tab = line.find('\t', begin);
    if (tab == std::string::npos) {
      const std::string columns = column == 1 ? "1 column" : std::to_string(column) + " columns";
      throw DataError(
          where() + ": the line has " + columns +
          (bytes_cut() > 0 ? " in its first " + std::to_string(kMaxLineBytes) + " bytes" : "") +
          ", but the text is in column " + std::to_string(column_));
    }
    begin = tab + 1;
  }
  line = line.substr(begin, std::min(line.find('\t', begin), line.size()) - begin);
  return true;
}

}  // namespace dietmt::data
