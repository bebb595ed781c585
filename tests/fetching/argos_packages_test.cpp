#include "fetching/argos_packages.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "common/error.h"
#include "tests/common/test_directory.h"

namespace dietmt::fetching {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ArgosPackagesTest : public ::testing::Test {
 protected:
  ArgosPackagesTest() { setenv("DIETMT_CACHE", (data_ / "cache").c_str(), 1); }

  std::filesystem::path add(const std::string& name, const std::string& metadata) const {
    const std::filesystem::path package = data_ / "packages" / name;
    std::filesystem::create_directories(package / "model");
    write_text(package / "metadata.json", metadata);
    write_text(package / "model/model.bin", "weights");
    return package;
  }

  TestDirectory data_;
};

TEST_F(ArgosPackagesTest, PairsAndVersionsComeFromTheMetadata) {
  add("a", R"({"from_code": "en", "to_code": "de", "package_version": "1.9"})");
  const auto newest =
      add("b", R"({"from_code": "en", "to_code": "de", "package_version": "1.10"})");
  add("c", R"({"from_code": "zt", "to_code": "pb"})");
  const std::vector<ArgosPackage> found = argos_packages(data_.path());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].source + "-" + found[0].target, "en-de");
  EXPECT_EQ(found[0].path, newest);
  EXPECT_EQ(found[1].source + "-" + found[1].target, "zh_Hant-pt_BR");
  EXPECT_EQ(argos_packages(data_ / "packages").size(), 2U);
}

TEST_F(ArgosPackagesTest, OtherThingsAreLeftOut) {
  for (const char* metadata :
       {"", "[]", R"({"from_code": "en"})", R"({"from_code": "en", "to_code": "../x"})",
        R"({"from_code": "en", "to_code": "de", "type": "sbd"})", R"({"from_code": 1})"}) {
    add("a", metadata);
    EXPECT_THAT(message_of<DataError>([&] { argos_packages(data_.path()); }),
                HasSubstr("has no packages"))
        << metadata;
  }
  EXPECT_THROW(argos_packages(data_ / "none"), DataError);
}

TEST_F(ArgosPackagesTest, NamesComeFromTheContent) {
  const auto a = add("a", "{}");
  const auto b = add("b", "{}");
  const std::string name = name_of_package(a);
  EXPECT_TRUE(name.starts_with("package:")) << name;
  EXPECT_EQ(name_of_package(b), name);
  EXPECT_EQ(name_of_package(a), name);
  std::filesystem::create_directories(a / "stanza");
  write_text(a / "stanza/big", "not read by import");
  EXPECT_EQ(name_of_package(a), name);
  write_text(a / "model/model.bin", "other weights");
  EXPECT_NE(name_of_package(a), name);
}

}  // namespace
}  // namespace dietmt::fetching
