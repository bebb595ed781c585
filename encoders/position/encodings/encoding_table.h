// The table of position encodings. A new encoding adds one row.
#pragma once

#include <string>
#include <vector>

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

const std::vector<EncodingRow>& encoding_table();

/// Null if there is no such encoding.
const EncodingRow* find_encoding(const std::string& name);

// The table is written in four parts, each in the file of its name.
std::vector<EncodingRow> input_rows();
std::vector<EncodingRow> scalar_rows();
std::vector<EncodingRow> relative_rows();
std::vector<EncodingRow> absolute_rows();

}  // namespace dietmt::encoders
