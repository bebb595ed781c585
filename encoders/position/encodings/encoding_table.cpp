#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {

const std::vector<EncodingRow>& encoding_table() {
  static const std::vector<EncodingRow> table = [] {
    std::vector<EncodingRow> rows = input_rows();
    for (const auto& part : {scalar_rows(), relative_rows(), absolute_rows()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
  return table;
}

const EncodingRow* find_encoding(const std::string& name) {
  for (const EncodingRow& row : encoding_table())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace dietmt::encoders
