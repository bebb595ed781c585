// Scalars for TensorBoard: a file of records (length, masked CRC-32C, Event message, masked
// CRC-32C) as TensorFlow's record writer frames them, with the few protocol-buffer fields of Event
// that scalars need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/files.h"

namespace dietmt::reporting {

/// CRC-32C (Castagnoli) of `bytes`.
uint32_t crc32c(std::string_view bytes);

/// The checksum stored in a record: rotated right by 15 bits, plus a constant.
uint32_t masked_crc32c(std::string_view bytes);

class EventFile {
 public:
  /// Creates `events.out.tfevents.<time>.<host>.<process>` in `directory`. `first_step`:
  /// TensorBoard drops the values of earlier files from this step on. Throws Error.
  EventFile(const std::filesystem::path& directory, int64_t first_step);

  /// Appends one scalar. Throws Error naming the file.
  void add_scalar(const std::string& tag, int64_t step, double value);

  const std::filesystem::path& path() const { return path_; }

 private:
  void write_record(const std::string& event);

  std::filesystem::path path_;
  AppendFile file_;
};

}  // namespace dietmt::reporting
