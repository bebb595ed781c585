// One training at a time writes to an output directory.
#pragma once

#include <filesystem>

namespace dietmt::storage {

/// Holds the directory until it goes. Makes the directory where it is missing. Throws
/// CheckpointError if another process holds it, or it cannot be written.
class OutputLock {
 public:
  explicit OutputLock(const std::filesystem::path& output);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  int file_;
};

}  // namespace dietmt::storage
