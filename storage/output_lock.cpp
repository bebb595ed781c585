#include "storage/output_lock.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace dietmt::storage {
namespace fs = std::filesystem;

OutputLock::OutputLock(const fs::path& output) {
  std::error_code error;
  fs::create_directories(output, error);
  if (error) throw CheckpointError(output.string() + ": cannot be created: " + error.message());
  const fs::path path = output / ".lock";
  file_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file_.valid())
    throw CheckpointError(path.string() + ": cannot be written: " + std::strerror(errno));
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK)
    throw CheckpointError(output.string() + ": another training run is writing to this directory");
  spdlog::warn("{}: cannot be locked ({}): make sure that no other run writes to this directory",
               path.string(), std::strerror(errno));
}

}  // namespace dietmt::storage
