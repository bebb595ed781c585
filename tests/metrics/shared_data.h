// Paths of the published scores and their inputs.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace dietmt::metrics {

inline std::filesystem::path data_folder() {
  const char* shared = std::getenv("DIETMT_SHARED");
  return std::filesystem::path(shared != nullptr ? shared : "../shared") / "data";
}

inline std::filesystem::path parity_folder() { return data_folder() / "bleu-parity"; }

}  // namespace dietmt::metrics

// Skips the test if the file or folder is missing.
#define DIETMT_REQUIRE_FILE(path)     \
  if (!std::filesystem::exists(path)) \
  GTEST_SKIP() << "no published data sets: set DIETMT_SHARED to the folder that holds data/"
