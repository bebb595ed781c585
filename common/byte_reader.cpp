#include "common/byte_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace dietmt {

ByteReader::ByteReader(const std::string& path)
    : name_(path == "-" ? "<stdin>" : path), number_(STDIN_FILENO) {
  if (path == "-") return;
  file_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  number_ = file_.number();
  if (!file_.valid()) throw DataError(path + ": cannot be opened: " + std::strerror(errno));
}

// Appends at least one byte to `raw_` as soon as one is available.
std::string ByteReader::read_raw() {
  constexpr size_t kBlock = 1 << 16;
  const size_t old_size = raw_.size();
  raw_.resize(old_size + kBlock);
  ssize_t got = 0;
  do {
    got = ::read(number_, raw_.data() + old_size, kBlock);
  } while (got < 0 && errno == EINTR);
  const std::string problem = got < 0 ? std::strerror(errno) : "";
  raw_.resize(old_size + (got < 0 ? 0 : static_cast<size_t>(got)));
  at_end_ = got == 0;
  return problem;
}

std::string ByteReader::recognise_format() {
  while (!at_end_ && is_start_of_magic(raw_))
    if (std::string problem = read_raw(); !problem.empty()) return problem;
  decompressor_ = decompressor_of(raw_);
  format_known_ = true;
  return "";
}

std::string ByteReader::append_to(std::string& text) {
  std::string problem = format_known_ ? read_raw() : recognise_format();
  if (!problem.empty()) return problem;
  if (!decompressor_) {
    text += raw_;
  } else if (problem = decompressor_->append(raw_, text); !problem.empty()) {
    problem = std::string(decompressor_->format()) + ": " + problem;
  } else if (at_end_ && decompressor_->inside_member()) {
    problem = std::string(decompressor_->format()) + ": the file is cut short";
  }
  raw_.clear();
  return problem;
}

}  // namespace dietmt
