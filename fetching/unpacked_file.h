#pragma once

#include <filesystem>

namespace dietmt::fetching {

/// Decompresses a file (gzip, bzip2, xz or zstd) to `to`, which appears when it is complete. Throws
/// DataError naming the file if it is damaged, not compressed, or unpacks to far more than a model
/// does.
void unpack(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace dietmt::fetching
