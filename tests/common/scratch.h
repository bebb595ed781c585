// A scratch directory per test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

class ScratchTest : public ::testing::Test {
 protected:
  ScratchTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = "dietmt_" + std::string(test->test_suite_name()) + "_" + test->name() + "_" +
                       std::to_string(::getpid());
    std::replace(name.begin(), name.end(), '/', '_');  // in names of parameterised tests
    scratch_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directories(scratch_);
  }
  ~ScratchTest() override { std::filesystem::remove_all(scratch_); }

  const std::filesystem::path& scratch() const { return scratch_; }

  /// The names of all entries of the scratch directory.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_))
      all.push_back(entry.path().filename().string());
    return all;
  }

  /// Writes a file in the scratch directory and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(scratch_ / name, std::ios::binary) << content;
    return (scratch_ / name).string();
  }

 private:
  std::filesystem::path scratch_;
};

}  // namespace dietmt
