#include "common/text_io.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>

#include "common/byte_reader.h"
#include "common/decompression.h"
#include "common/error.h"
#include "common/utf8.h"

namespace dietmt {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

struct LineReader::Impl {
  ByteReader bytes;
  size_t max_bytes = std::string::npos;
  LongLines long_lines = LongLines::kRefused;
  bool kind_known = false;  // whether it may be text
  std::string text;         // next() continues at `position`
  size_t position = 0;
  int64_t line = 0;
  size_t cut = 0;
  int64_t faults = 0;
  bool ended_in_lf = false;
  std::string failure;  // reported after the lines before it

  [[noreturn]] void fail(const std::string& reason) const {
    throw DataError(bytes.name() + ":" + std::to_string(line + 1) + ": cannot be read: " + reason);
  }

  // Takes the start of an overlong line. npos: its end has not been read yet.
  void take_start(std::string& start, size_t newline) {
    if (long_lines == LongLines::kRefused)
      fail("the line is longer than " + std::to_string(max_bytes) + " bytes");
    const std::string_view rest = std::string_view(text).substr(position);
    start = rest.substr(0, cut_length(rest, max_bytes));
    position += start.size();
    while (newline == std::string::npos) {
      cut += text.size() - position;
      position = text.size();
      ended_in_lf = false;
      if (bytes.at_end() || !failure.empty()) return;
      fill();
      newline = text.find('\n');
    }
    cut += newline - position;
    position = newline + 1;
    ended_in_lf = true;
  }

  void fill() {
    text.erase(0, position);
    position = 0;
    failure = bytes.append_to(text);
    if (kind_known) return;
    if (const std::string reason = reason_not_text(text); !reason.empty())
      throw DataError(bytes.name() + ": is " + reason);
    kind_known = text.size() >= kMagicBytes;
  }
};

LineReader::LineReader(const std::string& path, size_t max_bytes, LongLines long_lines)
    : impl_(std::make_unique<Impl>(ByteReader(path), max_bytes, long_lines)) {}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::next(std::string& line) {
  Impl& in = *impl_;
  in.cut = 0;
  size_t searched = in.position;
  for (;;) {
    const size_t newline = in.text.find('\n', searched);
    if (std::min(newline, in.text.size()) - in.position > in.max_bytes) {
      in.take_start(line, newline);
      ++in.line;
      return true;
    }
    if (newline != std::string::npos) {
      line.assign(in.text, in.position, newline - in.position);
      in.position = newline + 1;
      in.ended_in_lf = true;
      ++in.line;
      return true;
    }
    if (!in.failure.empty()) in.fail(in.failure);
    if (in.bytes.at_end()) break;
    searched = in.text.size() - in.position;
    in.fill();
  }
  if (in.position == in.text.size()) return false;
  line.assign(in.text, in.position, std::string::npos);
  in.position = in.text.size();
  in.ended_in_lf = false;
  ++in.line;
  return true;
}

bool LineReader::ended_in_lf() const { return impl_->ended_in_lf; }

size_t LineReader::bytes_cut() const { return impl_->cut; }

int64_t LineReader::line_number() const { return impl_->line; }

int64_t LineReader::count_fault() { return ++impl_->faults; }

std::string LineReader::where() const {
  return impl_->bytes.name() + ":" + std::to_string(impl_->line);
}

void warn_if_cut(const LineReader& reader, const std::string& line) {
  if (reader.bytes_cut() == 0) return;
  spdlog::warn("{}: {} bytes, cut to the first {}", reader.where(),
               line.size() + reader.bytes_cut(), line.size());
}

std::vector<std::string> read_lines(const std::string& path, size_t max_bytes) {
  LineReader reader(path, max_bytes, LongLines::kCut);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    warn_if_cut(reader, line);
    lines.push_back(line);
  }
  return lines;
}

size_t cut_length(std::string_view text, size_t bytes) {
  size_t length = bytes;
  while (length > 0 && continues_character(text[length])) --length;
  return length > 0 ? length : bytes;  // invalid text can be cut anywhere
}

namespace {

struct Sequence {
  size_t length;
  bool well_formed;
};

// The first UTF-8 sequence of `text`, which is not empty (Unicode, table 3-7). An ill-formed one is
// as long as its prefix that could begin a well-formed one, at least 1.
Sequence first_sequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const size_t full_length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // After four of the lead bytes the second byte has a narrower range: no overlong forms, no
  // surrogates, nothing above U+10FFFF.
  unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (size_t length = 1; length < full_length; ++length) {
    if (length == text.size() || byte(length) < low || byte(length) > high) return {length, false};
    low = 0x80;
    high = 0xBF;
  }
  return {full_length, true};
}

bool is_ascii(std::string_view eight_bytes) {
  uint64_t word;
  std::memcpy(&word, eight_bytes.data(), sizeof word);
  return (word & 0x8080808080808080U) == 0;
}

}  // namespace

size_t invalid_utf8_at(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    if (i + 8 <= text.size() && is_ascii(text.substr(i, 8))) {
      i += 8;
      continue;
    }
    const Sequence sequence = first_sequence(text.substr(i));
    if (!sequence.well_formed) return i;
    i += sequence.length;
  }
  return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string clean;
  for (size_t i = 0; i < text.size();) {
    const Sequence sequence = first_sequence(text.substr(i));
    if (sequence.well_formed)
      clean.append(text, i, sequence.length);
    else
      clean += kReplacement;
    i += sequence.length;
  }
  return clean;
}

size_t unreadable_at(std::string_view line) {
  return std::min(invalid_utf8_at(line), line.find('\0'));
}

std::string unreadable_problem(std::string_view line, size_t at) {
  const bool is_nul = line[at] == '\0';
  return (is_nul ? "has a NUL at byte " : "not UTF-8 at byte ") + std::to_string(at + 1);
}

std::string replace_unreadable(std::string line) {
  if (unreadable_at(line) == std::string::npos) return line;
  std::string clean;
  for (const char c : replace_invalid_utf8(line))
    if (c == '\0')
      clean += kReplacement;
    else
      clean += c;
  return clean;
}

}  // namespace dietmt
