#include "nmt/translation/tsv_columns.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "nmt/translation/line_fields.h"
#include "nmt/translation/line_tokens.h"

namespace dietmt::nmt {
namespace {

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string columns(size_t count) {
  return std::to_string(count) + (count == 1 ? " column" : " columns");
}

}  // namespace

TsvColumns::TsvColumns(std::vector<std::string> names) : names_(std::move(names)) {
  for (const std::string& name : names_)
    if (LineFields::is_known(name) && std::ranges::count(names_, name) > 1)
      throw DataError("two columns have the name '" + name + "'");
  if (std::ranges::count(names_, LineFields::kSource) == 0)
    throw DataError("no column has the name 'source'; known names: " +
                    std::string(LineFields::kNames));
}

TsvColumns TsvColumns::read(LineReader& input) {
  std::string line;
  if (!input.next(line)) {
    const std::string where = input.where();  // before the first line
    throw DataError(where.substr(0, where.rfind(':')) +
                    ": the input is empty; its first line must name the columns");
  }
  clean_line(line, input);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const size_t begin = line.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  try {
    TsvColumns made(parts_of(line.substr(begin), '\t'));
    made.header_ = line;
    return made;
  } catch (const DataError& error) {
    throw DataError(input.where() + ": " + error.what());
  }
}

TsvColumns TsvColumns::named(const std::string& names_with_commas) {
  try {
    return TsvColumns(parts_of(names_with_commas, ','));
  } catch (const DataError& error) {
    throw ConfigError(error.what());
  }
}

std::string TsvColumns::take_line(const std::string& line, const LanguageChoice& usual,
                                  LineExtras& extras) const {
  std::vector<std::string> cells = parts_of(line, '\t');
  if (cells.size() != names_.size())
    throw DataError("the line has " + columns(cells.size()) + ", but there are names for " +
                    std::to_string(names_.size()));
  LineFields fields(usual);
  for (size_t i = 0; i < cells.size(); ++i)
    if (LineFields::is_known(names_[i]) && (!cells[i].empty() || names_[i] == LineFields::kSource))
      fields.set(names_[i], std::move(cells[i]));
  return fields.take(extras);
}

}  // namespace dietmt::nmt
