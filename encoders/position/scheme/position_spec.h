// The text form of a position scheme.
//
//   spec     = part { "+" part }
//   part     = encoding | "heads[" item { "," item } "]"
//   item     = encoding ":" range { "," range }          range = head [ "-" head ]
//   encoding = name [ "(" option "=" value { "," option "=" value } ")" ]
//
// Spaces between words are ignored.
#pragma once

#include <string>
#include <vector>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {

/// One encoding as written.
struct EncodingSpec {
  const EncodingRow* row;
  OptionValues values;
  std::vector<int64_t> heads;  // empty: all
  size_t column;               // of its name in the text, from 1
};

/// Parses and checks `text`: names, options, levels, and that every head is claimed once. Throws
/// ConfigError with the column at fault and what is possible there.
std::vector<EncodingSpec> parse_position_spec(const std::string& text,
                                              const EncodingContext& context);

/// The shortest text of the same meaning: options at their defaults are left out, the rest is in
/// the order of the encoding's table row, the items of heads[] in the order of their first heads.
std::string canonical_position_spec(const std::vector<EncodingSpec>& specs);

/// The error for column `column` of `text`.
ConfigError position_spec_error(const std::string& text, size_t column, const std::string& problem);

}  // namespace dietmt::encoders
