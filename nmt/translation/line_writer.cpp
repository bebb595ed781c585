#include "nmt/translation/line_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <vector>

#include "common/error.h"
#include "common/files.h"

namespace dietmt::nmt {
namespace {

constexpr size_t kBlock = 1 << 16;

[[noreturn]] void fail(const std::string& path) {
  throw Error(path + ": cannot be written: " + std::strerror(errno));
}

// How many bytes of a file hold its first `lines` lines, or all whole ones if it has fewer.
struct Extent {
  int64_t lines = 0;
  off_t bytes = 0;
};

Extent extent_of(int file, int64_t lines, const std::string& path) {
  Extent found;
  std::vector<char> block(kBlock);
  off_t at = 0;
  while (found.lines < lines) {
    const ssize_t size = ::pread(file, block.data(), block.size(), at);
    if (size < 0 && errno != EINTR) fail(path);
    if (size == 0) break;
    for (ssize_t i = 0; i < size && found.lines < lines; ++i) {
      if (block[static_cast<size_t>(i)] != '\n') continue;
      ++found.lines;
      found.bytes = at + i + 1;
    }
    at += std::max<ssize_t>(size, 0);
  }
  return found;
}

bool is_stdout(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

}  // namespace

bool is_file_output(const std::string& path) { return !is_stdout(path) && may_be_replaced(path); }

LineWriter::LineWriter(const std::string& path, Unfinished unfinished)
    : path_(is_stdout(path) ? "<stdout>" : behind_links(path).string()), unfinished_(unfinished) {
  std::signal(SIGPIPE, SIG_IGN);
  if (is_stdout(path)) {
    file_ = ::dup(STDOUT_FILENO);
  } else if (!is_file_output(path)) {  // a rename would replace it
    file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (unfinished == Unfinished::kKept) {
    temporary_ = path_ + ".part";
    file_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      ::close(file_);
      throw Error(temporary_ + " is being written by another process");
    }
  } else {
    temporary_ = path_ + ".tmp" + std::to_string(::getpid());
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
  if (file_ < 0) fail(path_);
}

LineWriter::~LineWriter() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty() && unfinished_ == Unfinished::kRemoved) ::unlink(temporary_.c_str());
}

int64_t LineWriter::lines_left() const {
  if (temporary_.empty()) return 0;
  return extent_of(file_, std::numeric_limits<int64_t>::max(), path_).lines;
}

void LineWriter::keep(int64_t lines) {
  if (temporary_.empty()) return;
  const off_t bytes = extent_of(file_, lines, path_).bytes;
  if (::ftruncate(file_, bytes) != 0 || ::lseek(file_, bytes, SEEK_SET) < 0) fail(path_);
}

bool LineWriter::write(std::string_view line) {
  buffer_.append(line).push_back('\n');
  return buffer_.size() < kBlock ? !closed_by_reader_ : flush();
}

bool LineWriter::flush() {
  std::string_view left = buffer_;
  while (!left.empty() && !closed_by_reader_) {
    const ssize_t written = ::write(file_, left.data(), left.size());
    if (written >= 0)
      left.remove_prefix(static_cast<size_t>(written));
    else if (errno == EPIPE)
      closed_by_reader_ = true;
    else if (errno != EINTR)
      fail(path_);
  }
  buffer_.clear();
  return !closed_by_reader_;
}

void LineWriter::commit() {
  flush();
  if (temporary_.empty()) return;
  if (::fsync(file_) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_);
  temporary_.clear();
}

}  // namespace dietmt::nmt
