#include "nmt/translation/line_tokens.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "nmt/search/search_task.h"

namespace dietmt::nmt {

namespace {

// Replaces line feeds and what other programs read as line ends with spaces. `moved` gets the new
// position of each byte and of the end.
std::string one_line(std::string_view text, std::vector<int32_t>& moved) {
  constexpr std::string_view kLineEnds[] = {"\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
  std::string line;
  for (std::string_view left = text; !left.empty();) {
    const auto* end = std::find_if(std::begin(kLineEnds), std::end(kLineEnds),
                                   [&](std::string_view one) { return left.starts_with(one); });
    const bool is_end = end != std::end(kLineEnds);
    const size_t bytes = is_end ? end->size() : 1;
    moved.resize(moved.size() + bytes, static_cast<int32_t>(line.size()));
    line.push_back(is_end ? ' ' : left.front());
    left.remove_prefix(bytes);
  }
  moved.push_back(static_cast<int32_t>(line.size()));
  return line;
}

}  // namespace

LineReader open_text(const std::string& path) {
  return LineReader(path, kMaxLineBytes, LongLines::kCut);
}

void clean_line(std::string& line, LineReader& reader) {
  warn_if_cut(reader, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  const size_t bad = unreadable_at(line);
  if (bad == std::string::npos) return;
  constexpr int64_t kMostWarnings = 10;
  const int64_t fault = reader.count_fault();
  if (fault <= kMostWarnings)
    spdlog::warn("{}: {}; replaced with U+FFFD{}", reader.where(), unreadable_problem(line, bad),
                 fault < kMostWarnings ? "" : "; further such lines get no warning");
  line = replace_unreadable(std::move(line));
}

int64_t end_line(std::vector<int32_t>& ids, const std::vector<int32_t>& ending, int64_t max_tokens,
                 size_t bytes, const std::string& where) {
  const size_t tokens = ids.size();
  const int64_t cut = cut_and_end(ids, max_tokens, ending);
  if (cut > 0 && !where.empty())
    spdlog::warn("{}: {}{} tokens, cut to the first {}", where,
                 bytes > data::Tokenizer::kLongestPart ? "at least " : "", tokens,
                 ids.size() - ending.size());
  return cut;
}

std::vector<int32_t> encode_line(const data::Tokenizer& tokenizer, const std::string& line,
                                 const std::vector<int32_t>& ending, int64_t max_tokens,
                                 const std::string& where) {
  std::vector<int32_t> ids = tokenizer.encode(line, max_tokens);
  end_line(ids, ending, max_tokens, line.size(), where);
  return ids;
}

data::SpannedPieces encode_tagged_line(const data::Tokenizer& tokenizer, const data::SourceTag& tag,
                                       const std::string& line, int64_t most) {
  data::SpannedPieces pieces = tokenizer.encode_with_spans(tag.before(line), most);
  const auto tag_bytes = static_cast<int32_t>(tag.before("").size());
  for (data::TextSpan& span : pieces.spans) {
    span = {span.begin - tag_bytes, span.end - tag_bytes};
    if (span.end > 0) span.begin = std::max(span.begin, 0);  // the space after the tag
  }
  return pieces;
}

std::string_view text_of_tokens(const data::Tokenizer& tokenizer, const data::SourceTag& tag,
                                const std::string& line, int64_t tokens) {
  if (tokens == 0) return "";
  const data::SpannedPieces pieces = encode_tagged_line(tokenizer, tag, line, tokens);
  const int32_t end = pieces.spans.at(static_cast<size_t>(tokens - 1)).end;
  return std::string_view(line).substr(0, static_cast<size_t>(std::max(end, 0)));
}

std::string decode_line(const data::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  std::vector<int32_t> moved;
  return one_line(tokenizer.decode(ids), moved);
}

data::SpannedText decode_line_with_spans(const data::Tokenizer& tokenizer,
                                         std::span<const int32_t> ids) {
  data::SpannedText decoded = tokenizer.decode_with_spans(ids);
  std::vector<int32_t> moved;
  decoded.text = one_line(decoded.text, moved);
  for (data::TextSpan& span : decoded.spans)
    span = {moved[static_cast<size_t>(span.begin)], moved[static_cast<size_t>(span.end)]};
  return decoded;
}

bool can_reread(const std::string& path) {
  std::error_code none;
  const auto type = std::filesystem::status(path, none).type();
  return path != "-" && (type == std::filesystem::file_type::regular ||
                         type == std::filesystem::file_type::not_found);
}

int64_t count_lines(const std::string& path) {
  LineReader reader = open_text(path);
  std::string line;
  while (reader.next(line)) continue;
  return reader.line_number();
}

std::vector<std::string> skip_lines(LineReader& reader, int64_t lines, int64_t kept) {
  std::vector<std::string> last;
  std::string line;
  while (lines-- > 0 && reader.next(line)) {
    if (lines >= kept) continue;
    clean_line(line, reader);
    last.push_back(line);
  }
  return last;
}

}  // namespace dietmt::nmt
