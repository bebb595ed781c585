#include "nmt/decoding/text_lines.h"

#include <spdlog/spdlog.h>

#include <string_view>

#include "common/text_io.h"

namespace dietmt::nmt {

void clean_line(std::string& line, const std::string& where) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  const size_t bad = invalid_utf8_at(line);
  if (bad == std::string::npos) return;
  spdlog::warn("{}: not UTF-8 from byte {} on; ill-formed bytes were replaced by U+FFFD", where,
               bad + 1);
  line = replace_invalid_utf8(line);
}

std::vector<int32_t> encode_line(const data::Tokenizer& tokenizer, const std::string& line,
                                 int64_t max_tokens, const std::string& where) {
  std::vector<int32_t> ids = tokenizer.encode(line);
  const auto limit = static_cast<size_t>(max_tokens) - 1;
  if (ids.size() > limit) {
    spdlog::warn("{}: {} tokens, cut to the first {}", where, ids.size(), limit);
    ids.resize(limit);
  }
  ids.push_back(tokenizer.end_id());
  return ids;
}

std::string decode_line(const data::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  constexpr std::string_view kLineEnds[] = {"\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
  std::string text = tokenizer.decode(ids);
  for (const std::string_view end : kLineEnds) {
    for (size_t at = text.find(end); at != std::string::npos; at = text.find(end, at + 1))
      text.replace(at, end.size(), " ");
  }
  return text;
}

int64_t count_lines(const std::string& path) {
  LineReader reader(path);
  std::string line;
  while (reader.next(line)) continue;
  return reader.line_number();
}

}  // namespace dietmt::nmt
