#include "common/text_io.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace dietmt {
namespace {

constexpr size_t kBlock = 1 << 16;

// Decompresses a gzip stream, which may have several members, piece by piece.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Decompresses `input` and appends the result; returns the problem, or null.
  const char* append(std::string_view input, std::string& output) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    do {
      if (!inside_member_) skip_padding();
      if (stream_.avail_in == 0 && !inside_member_) break;
      inside_member_ = true;
      const size_t old_size = output.size();
      output.resize(old_size + kBlock);
      stream_.next_out = reinterpret_cast<Bytef*>(output.data() + old_size);
      stream_.avail_out = kBlock;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      output.resize(output.size() - stream_.avail_out);
      if (code == Z_STREAM_END) {
        inside_member_ = false;
        inflateReset(&stream_);
      } else if (code != Z_OK && code != Z_BUF_ERROR) {  // Z_BUF_ERROR: needs more input
        return stream_.msg != nullptr ? stream_.msg : zError(code);
      }
    } while (stream_.avail_in > 0 || (inside_member_ && stream_.avail_out == 0));
    return nullptr;
  }

  // True inside a member: a stream that ends here was cut short.
  bool inside_member() const { return inside_member_; }

 private:
  // gzip allows zero bytes after a member, up to the block size of a tape.
  void skip_padding() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
  }

  z_stream stream_ = {};
  bool inside_member_ = false;
};

}  // namespace

struct LineReader::Impl {
  std::string path;
  size_t max_bytes = std::string::npos;
  LongLines long_lines = LongLines::kRefused;
  int fd = -1;
  std::unique_ptr<Inflater> inflater;  // of a gzip file
  bool format_known = false;
  std::string raw;   // bytes as read, not yet in `text`
  std::string text;  // next() continues at `position`
  size_t position = 0;
  int64_t line = 0;
  size_t cut = 0;
  bool ended_in_lf = false;
  bool at_end = false;
  std::string failure;  // reported after the lines before it

  ~Impl() {
    if (fd > STDIN_FILENO) ::close(fd);
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw DataError(path + ":" + std::to_string(line + 1) + ": cannot be read: " + reason);
  }

  // Appends at least one byte to `raw`, as soon as there is one; sets at_end at the end.
  void read_raw() {
    const size_t old_size = raw.size();
    raw.resize(old_size + kBlock);
    ssize_t got = 0;
    do {
      got = ::read(fd, raw.data() + old_size, kBlock);
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail(std::strerror(errno));
    raw.resize(old_size + static_cast<size_t>(got));
    at_end = got == 0;
  }

  // Takes the start of a line that is too long. Its end may not have been read yet: npos.
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
      if (at_end || !failure.empty()) return;
      fill();
      newline = text.find('\n');
    }
    cut += newline - position;
    position = newline + 1;
    ended_in_lf = true;
  }

  void recognise_format() {
    constexpr std::string_view kMagic = "\x1f\x8b";
    while (!at_end && raw.size() < kMagic.size() && kMagic.starts_with(raw)) read_raw();
    if (raw.starts_with(kMagic)) inflater = std::make_unique<Inflater>();
    format_known = true;
  }

  void fill() {
    text.erase(0, position);
    position = 0;
    if (!format_known)
      recognise_format();
    else
      read_raw();
    if (!inflater) {
      text += raw;
    } else if (const char* problem = inflater->append(raw, text)) {
      failure = std::string("gzip: ") + problem;
    } else if (at_end && inflater->inside_member()) {
      failure = "gzip: the file is cut short";
    }
    raw.clear();
  }
};

LineReader::LineReader(const std::string& path, size_t max_bytes, LongLines long_lines)
    : impl_(std::make_unique<Impl>()) {
  impl_->max_bytes = max_bytes;
  impl_->long_lines = long_lines;
  impl_->path = path == "-" ? "<stdin>" : path;
  impl_->fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (impl_->fd < 0) throw DataError(path + ": cannot be opened: " + std::strerror(errno));
}

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
    if (in.at_end) break;
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

std::string LineReader::where() const { return impl_->path + ":" + std::to_string(impl_->line); }

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
  const auto continues = [&](size_t at) { return (text[at] & 0xC0) == 0x80; };
  size_t length = bytes;
  while (length > 0 && continues(length)) --length;
  return length > 0 ? length : bytes;  // invalid text can be cut anywhere
}

namespace {

struct Sequence {
  size_t length;
  bool well_formed;
};

// The first UTF-8 sequence of `text`, which is not empty (Unicode, table 3-7). An ill-formed one is
// as long as its part that could start a well-formed one, at least 1.
Sequence first_sequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const size_t full_length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte has a narrower range after four of the lead bytes: no overlong forms, no
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
      clean += "\xEF\xBF\xBD";
    i += sequence.length;
  }
  return clean;
}

}  // namespace dietmt
