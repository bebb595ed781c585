// The columns of Excel's tables. The name of a column must equal its header cell and differ from
// the names of the table's other columns, and formulas may mention it.
#pragma once

#include <libxml/tree.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"
#include "service/documents/office/plain_values.h"

namespace dietmt::service {

class TableColumns {
 public:
  void add_table(xmlNode* root);
  /// Adds what may be the name of a column in the formulas of a sheet: all that is in brackets.
  void add_formulas(std::string_view xml);
  /// Adds the cells of sharedStrings.xml with several formats, whose translation has marks.
  void add_cells(xmlNode* root);

  /// Whether the cells with this text stay as they are.
  bool keeps(const std::string& text) const;

  /// Whether the columns of a table would have different names, none empty.
  bool differ(const std::vector<std::string>& translated) const;

 private:
  std::set<std::string> names_;      // of columns, in lower case
  std::set<std::string> mentioned_;  // in lower case; they cannot change
  bool has_escapes_ = false;         // any column may be mentioned
};

}  // namespace dietmt::service
