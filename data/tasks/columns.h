// The columns of a file that hold the parts of an example.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/tasks/table_layout.h"

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

}  // namespace dietmt::data
