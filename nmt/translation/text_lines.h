// Between lines of text and token ids. Whatever has to be replaced or cut is logged as a warning
// that names the line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/text_io.h"
#include "data/text/tokenizer.h"

namespace dietmt::nmt {

/// Drops one carriage return at the end (text with CR/LF line ends) and replaces ill-formed UTF-8
/// by U+FFFD. `where`: "path:line".
void clean_line(std::string& line, const std::string& where);

/// Piece ids of a clean line with end of sentence, together at most `max_tokens`.
std::vector<int32_t> encode_line(const data::Tokenizer& tokenizer, const std::string& line,
                                 int64_t max_tokens, const std::string& where);

/// The text of `ids` as one line: line feeds and what other programs may take for a line end
/// (carriage return, U+0085, U+2028, U+2029) become spaces.
std::string decode_line(const data::Tokenizer& tokenizer, std::span<const int32_t> ids);

/// Lines of a plain or gzip file.
int64_t count_lines(const std::string& path);

/// Reads the next `lines` lines, or as many as there are, and drops them.
void skip_lines(LineReader& reader, int64_t lines);

}  // namespace dietmt::nmt
