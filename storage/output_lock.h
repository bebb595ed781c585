#pragma once

#include <filesystem>

#include "common/files.h"

namespace dietmt::storage {

/// Only one training run at a time writes to an output directory: holds its lock until it is
/// destroyed. Creates the directory if it is missing.
/// Throws CheckpointError if another process holds the lock or the directory cannot be written.
class OutputLock {
 public:
  explicit OutputLock(const std::filesystem::path& output);

 private:
  FileDescriptor file_;
};

}  // namespace dietmt::storage
