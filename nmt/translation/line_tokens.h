// Converts lines of text to token ids and back. Warnings name each line that was cut or had bytes
// replaced.
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

/// Opens text to translate or score. Lines over kMaxLineBytes are cut.
LineReader open_text(const std::string& path);

/// Removes a carriage return (of CR/LF) from the end of the last line of `reader` and replaces
/// ill-formed UTF-8 with U+FFFD. Warns about the latter, and about a line that was cut.
void clean_line(std::string& line, LineReader& reader);

/// Cuts the pieces of a line of `bytes` bytes and appends `ending`, of a source
/// Tokenizer::source_ending(), so that there are at most `max_tokens`. Returns how many were cut
/// off. `where`: for a warning about that; empty: none.
int64_t end_line(std::vector<int32_t>& ids, const std::vector<int32_t>& ending, int64_t max_tokens,
                 size_t bytes, const std::string& where);

/// The piece ids of a clean line and `ending`, at most `max_tokens` in all.
std::vector<int32_t> encode_line(const data::Tokenizer& tokenizer, const std::string& line,
                                 const std::vector<int32_t>& ending, int64_t max_tokens,
                                 const std::string& where);

/// The pieces of a clean line after a tag, without end of sentence, and the bytes of the line that
/// each stands for, negative for the tag's. `most`: as in Tokenizer::encode().
data::SpannedPieces encode_tagged_line(const data::Tokenizer& tokenizer, const data::SourceTag& tag,
                                       const std::string& line, int64_t most);

/// The start of a line that the first `tokens` pieces of encode_tagged_line() stand for.
std::string_view text_of_tokens(const data::Tokenizer& tokenizer, const data::SourceTag& tag,
                                const std::string& line, int64_t tokens);

/// The text of `ids` as one line: characters that programs may read as line ends (line feed,
/// carriage return, U+0085, U+2028, U+2029) become spaces.
std::string decode_line(const data::Tokenizer& tokenizer, std::span<const int32_t> ids);

/// Like decode_line(), with the bytes of the line that each piece stands for.
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
