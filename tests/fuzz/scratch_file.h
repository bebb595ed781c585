// A file for readers that take a path: in memory, rewritten for each input.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace dietmt {

class ScratchFile {
 public:
  ScratchFile() : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {}
  ~ScratchFile() { ::close(fd_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// Replaces the content.
  void fill(std::string_view bytes) const {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, bytes.data(), bytes.size(), 0) != size)
      std::abort();
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  const int fd_;
};

}  // namespace dietmt
