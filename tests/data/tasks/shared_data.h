// Paths of the benchmarks' files.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace dietmt::data {

inline std::filesystem::path shared_data() {
  const char* shared = std::getenv("DIETMT_SHARED");
  return std::filesystem::path(shared != nullptr ? shared : "../shared") / "data";
}

}  // namespace dietmt::data

// Skips the test if the file or folder is missing.
#define DIETMT_REQUIRE_SHARED(path)   \
  if (!std::filesystem::exists(path)) \
  GTEST_SKIP() << "no published data sets: set DIETMT_SHARED to the folder that holds data/"
