#include "nmt/translation/text_lines.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "nmt/search/search_task.h"

namespace dietmt::nmt {

LineReader open_text(const std::string& path) {
  return LineReader(path, kMaxLineBytes, LongLines::kCut);
}

void clean_line(std::string& line, const LineReader& reader) {
  warn_if_cut(reader, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  const size_t bad = invalid_utf8_at(line);
  if (bad == std::string::npos) return;
  spdlog::warn("{}: not UTF-8 from byte {} on; replaced ill-formed bytes by U+FFFD", reader.where(),
               bad + 1);
  line = replace_invalid_utf8(line);
}

std::vector<int32_t> encode_line(const data::Tokenizer& tokenizer, const std::string& line,
                                 int64_t max_tokens, const std::string& where) {
  std::vector<int32_t> ids = tokenizer.encode(line);
  const size_t tokens = ids.size();
  if (cut_and_end(ids, max_tokens, tokenizer.end_id()) > 0)
    spdlog::warn("{}: {} tokens, cut to the first {}", where, tokens, ids.size() - 1);
  return ids;
}

std::string decode_line(const data::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  constexpr std::string_view kLineEnds[] = {"\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
  const std::string text = tokenizer.decode(ids);
  std::string line;
  for (std::string_view left = text; !left.empty();) {
    const auto* end = std::find_if(std::begin(kLineEnds), std::end(kLineEnds),
                                   [&](std::string_view one) { return left.starts_with(one); });
    const bool is_end = end != std::end(kLineEnds);
    line.push_back(is_end ? ' ' : left.front());
    left.remove_prefix(is_end ? end->size() : 1);
  }
  return line;
}

int64_t count_lines(const std::string& path) {
  LineReader reader = open_text(path);
  std::string line;
  while (reader.next(line)) continue;
  return reader.line_number();
}

void skip_lines(LineReader& reader, int64_t lines) {
  std::string line;
  while (lines-- > 0 && reader.next(line)) continue;
}

}  // namespace dietmt::nmt
