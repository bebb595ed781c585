#include "common/text_io.h"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace dietmt {

struct LineReader::Impl {
  std::string path;
  gzFile file = nullptr;
  std::string buffer;
  size_t position = 0;
  int64_t line = 0;
  bool at_end = false;

  ~Impl() {
    if (file != nullptr) gzclose(file);
  }

  void fill() {
    buffer.erase(0, position);
    position = 0;
    const size_t old_size = buffer.size();
    constexpr size_t kBlock = 1 << 16;
    buffer.resize(old_size + kBlock);
    const int got = gzread(file, buffer.data() + old_size, kBlock);
    int code = Z_OK;
    const char* reason = gzerror(file, &code);
    // Z_BUF_ERROR: the gzip stream ends in the middle.
    if (got < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR) {
      throw DataError(path + ":" + std::to_string(line + 1) +
                      ": cannot be read: " + (code == Z_ERRNO ? std::strerror(errno) : reason));
    }
    buffer.resize(old_size + static_cast<size_t>(got));
    at_end = got == 0;
  }
};

LineReader::LineReader(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path == "-" ? "<stdin>" : path;
  errno = 0;
  impl_->file = path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb");
  if (impl_->file == nullptr)
    throw DataError(impl_->path + ": cannot be opened: " + std::strerror(errno));
}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::next(std::string& line) {
  Impl& in = *impl_;
  size_t searched = in.position;
  for (;;) {
    const size_t newline = in.buffer.find('\n', searched);
    if (newline != std::string::npos) {
      line.assign(in.buffer, in.position, newline - in.position);
      in.position = newline + 1;
      ++in.line;
      return true;
    }
    if (in.at_end) break;
    searched = in.buffer.size() - in.position;
    in.fill();
  }
  if (in.position == in.buffer.size()) return false;
  line.assign(in.buffer, in.position, std::string::npos);
  in.position = in.buffer.size();
  ++in.line;
  return true;
}

int64_t LineReader::line_number() const { return impl_->line; }

std::string LineReader::where() const { return impl_->path + ":" + std::to_string(impl_->line); }

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

namespace {

// Length of the well-formed UTF-8 sequence at the start of `text` (Unicode, table 3-7), or 0.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

size_t invalid_utf8_at(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string clean;
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequence_length(text.substr(i));
    if (length == 0)
      clean += "\xEF\xBF\xBD";
    else
      clean.append(text, i, length);
    i += length == 0 ? 1 : length;
  }
  return clean;
}

}  // namespace dietmt
