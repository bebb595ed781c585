#include "nmt/translation/line_writer.h"

#include <fcntl.h>
#include <unistd.h>

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

// The bytes of the first `lines` lines of a file, or of all whole lines if it has fewer.
struct Extent {
  int64_t lines = 0;
  uint64_t bytes = 0;
};

Extent extent_of(AtomicFile& file, int64_t lines) {
  Extent found;
  std::vector<char> block(kBlock);
  uint64_t at = 0;
  while (found.lines < lines) {
    const size_t size = file.read(at, block.data(), block.size());
    if (size == 0) break;
    for (size_t i = 0; i < size && found.lines < lines; ++i) {
      if (block[i] != '\n') continue;
      ++found.lines;
      found.bytes = at + i + 1;
    }
    at += size;
  }
  return found;
}

bool is_stdout(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

}  // namespace

bool is_file_output(const std::string& path) { return !is_stdout(path) && may_be_replaced(path); }

LineWriter::LineWriter(const std::string& path, Unfinished unfinished)
    : path_(is_stdout(path) ? "<stdout>" : path) {
  std::signal(SIGPIPE, SIG_IGN);
  if (is_file_output(path)) {
    atomic_.emplace(path, unfinished);
    return;
  }
  direct_ = FileDescriptor(is_stdout(path) ? ::dup(STDOUT_FILENO)
                                           : ::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!direct_.valid()) fail(path_);
}

int64_t LineWriter::lines_left() {
  return atomic_ ? extent_of(*atomic_, std::numeric_limits<int64_t>::max()).lines : 0;
}

void LineWriter::keep(int64_t lines) {
  if (atomic_) atomic_->truncate(extent_of(*atomic_, lines).bytes);
}

bool LineWriter::write(std::string_view line) {
  buffer_.append(line).push_back('\n');
  return buffer_.size() < kBlock ? !closed_by_reader_ : flush();
}

bool LineWriter::flush() {
  std::string_view left = buffer_;
  if (atomic_) {
    atomic_->write(left);
    atomic_->flush();
    left = {};
  }
  while (!left.empty() && !closed_by_reader_) {
    const ssize_t written = ::write(direct_.number(), left.data(), left.size());
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
  if (atomic_) atomic_->commit();
}

}  // namespace dietmt::nmt
