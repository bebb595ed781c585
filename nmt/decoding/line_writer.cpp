#include "nmt/decoding/line_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

constexpr size_t kBlock = 1 << 16;

[[noreturn]] void fail(const std::string& path) {
  throw Error(path + ": cannot be written: " + std::strerror(errno));
}

// A rename would replace a device or a pipe instead of writing to it.
bool is_special(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

LineWriter::LineWriter(const std::string& path) : path_(path == "-" ? "<stdout>" : path) {
  std::signal(SIGPIPE, SIG_IGN);
  if (path == "-") {
    file_ = ::dup(STDOUT_FILENO);
  } else if (is_special(path)) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = path + ".tmp" + std::to_string(::getpid());
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
  if (file_ < 0) fail(path_);
}

LineWriter::~LineWriter() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
