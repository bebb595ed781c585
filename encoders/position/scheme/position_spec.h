// The text form of a position scheme, `--position`, and its help.
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
#include "encoders/position/position_encoding.h"

namespace dietmt::encoders {

/// One encoding as written.
struct EncodingSpec {
  const EncodingRow* row;
  OptionValues values;
  std::vector<int64_t> heads;  // empty: all
  size_t column;               // of its name in the text, from 1

  /// `context` of the stack, with the heads that this encoding owns.
  EncodingContext own_context(const EncodingContext& context) const;
};

/// Parses `text` and checks names, options, levels, that every head has one owner, and the row's
/// own conditions. Throws ConfigError that names the wrong column and lists the possibilities
/// there.
std::vector<EncodingSpec> parse_position_spec(const std::string& text,
                                              const EncodingContext& context);

/// The shortest text with the same meaning: without options at their defaults, other options in the
/// order of the encoding's row, the items of heads[] in the order of their first heads.
std::string canonical_position_spec(const std::vector<EncodingSpec>& specs);

/// The error for column `column` of `text`.
ConfigError position_spec_error(const std::string& text, size_t column, const std::string& problem);

/// One entry for each encoding: name, formula, sites, options, and the number of parameters that it
/// adds with default options to a stack of each of `contexts` (encoder, decoder or cross).
std::string position_help(const std::vector<EncodingContext>& contexts = {});

}  // namespace dietmt::encoders
