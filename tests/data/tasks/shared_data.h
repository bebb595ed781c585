// Where the benchmarks' files lie.
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

// Ends the test as skipped when the folder or file is not there.
#define DIETMT_REQUIRE_SHARED(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << (path).string() << " is not there"
