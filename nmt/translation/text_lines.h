// Converts lines of text to token ids and back. A warning names each line that was cut or in which
// bytes were replaced.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/text_io.h"
#include "data/text/source_tag.h"
#include "data/text/tokenizer.h"

namespace dietmt::nmt {

/// Reads text to translate or score. Lines of more than kMaxLineBytes are cut.
LineReader open_text(const std::string& path);

/// Drops one carriage return at the end (of CR/LF) of the last line of `reader` and replaces
/// ill-formed UTF-8 by U+FFFD. Warns of this, and of a line that was cut.
void clean_line(std::string& line, const LineReader& reader);

/// Ends the pieces of a line of `bytes` bytes with end of sentence; at most `max_tokens` stay.
/// Returns how many were cut off. `where`: for a warning of that; empty: none.
int64_t end_line(std::vector<int32_t>& ids, const data::Tokenizer& tokenizer, int64_t max_tokens,
                 size_t bytes, const std::string& where);

/// The piece ids of a clean line and end of sentence, at most `max_tokens` in all.
std::vector<int32_t> encode_line(const data::Tokenizer& tokenizer, const std::string& line,
                                 int64_t max_tokens, const std::string& where);

/// The pieces of a clean line with a tag before it, without end of sentence, and the bytes of the
/// line that each stands for: below 0 for those of the tag. `most`: as in Tokenizer::encode().
data::SpannedPieces encode_tagged_line(const data::Tokenizer& tokenizer, const data::SourceTag& tag,
                                       const std::string& line, int64_t most);

/// The beginning of a line that the first `tokens` pieces of encode_tagged_line() stand for.
std::string_view text_of_tokens(const data::Tokenizer& tokenizer, const data::SourceTag& tag,
                                const std::string& line, int64_t tokens);

/// The text of `ids` as one line: line feeds and all characters that other programs may take for a
/// line end (carriage return, U+0085, U+2028, U+2029) become spaces.
std::string decode_line(const data::Tokenizer& tokenizer, std::span<const int32_t> ids);

/// The same, with the bytes of the line that each piece stands for.
data::SpannedText decode_line_with_spans(const data::Tokenizer& tokenizer,
                                         std::span<const int32_t> ids);

/// Whether a text can be read again: false for "-", pipes and devices; true if `path` does not
/// exist.
bool can_reread(const std::string& path);

/// The number of lines of a plain or gzip file.
int64_t count_lines(const std::string& path);

/// Skips the next `lines` lines, or as many as there are, and returns the last `kept` of them,
/// clean.
std::vector<std::string> skip_lines(LineReader& reader, int64_t lines, int64_t kept = 0);

}  // namespace dietmt::nmt
