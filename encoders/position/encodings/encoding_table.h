// The table of position encodings. A new encoding adds its row.
#pragma once

#include <string>
#include <vector>

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

/// In the order in which help lists them.
const std::vector<EncodingRow>& encoding_table();

/// Null if there is no such encoding.
const EncodingRow* find_encoding(const std::string& name);

}  // namespace dietmt::encoders
