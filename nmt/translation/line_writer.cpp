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

// The bytes of a file's first `lines` lines, or of all complete lines if it has fewer.
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
  compressed_at_commit_ =
      names_gzip(path) && unfinished == Unfinished::kKept && is_file_output(path);
  if (names_gzip(path) && !compressed_at_commit_) deflater_.emplace();
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
  if (deflater_) buffer_ = deflater_->append(buffer_);
  if (atomic_) {
    atomic_->write(buffer_);
    atomic_->flush();
  } else {
    write_directly(buffer_);
  }
  buffer_.clear();
  return !closed_by_reader_;
}

void LineWriter::write_directly(std::string_view bytes) {
  while (!bytes.empty() && !closed_by_reader_) {
    const ssize_t written = ::write(direct_.number(), bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<size_t>(written));
    else if (errno == EPIPE)
      closed_by_reader_ = true;
    else if (errno != EINTR)
      fail(path_);
  }
}

void LineWriter::commit() {
  flush();
  const std::string end = deflater_ ? deflater_->finish() : "";
  if (compressed_at_commit_) {
    compress_into_place();
  } else if (atomic_) {
    atomic_->write(end);
    atomic_->commit();
  } else {
    write_directly(end);
  }
}

void LineWriter::compress_into_place() {
  AtomicFile file(path_);
  Deflater deflater;
  std::vector<char> block(kBlock);
  uint64_t at = 0;
  while (const size_t size = atomic_->read(at, block.data(), block.size())) {
    file.write(deflater.append({block.data(), size}));
    at += size;
  }
  file.write(deflater.finish());
  file.commit();
  atomic_->discard();
}

}  // namespace dietmt::nmt
