#include "storage/fetched_models.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "common/error.h"
#include "storage/checkpoint.h"
#include "tests/common/test_directory.h"

namespace dietmt::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FetchedModelsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"DIETMT_CACHE", "XDG_CACHE_HOME", "HOME"}) unsetenv(name);
  }

  TestDirectory directory_;
};

TEST_F(FetchedModelsTest, NamesStayInTheCache) {
  for (const char* name : {"firefox:en-de", "hf:Helsinki-NLP/opus-mt-en-de", "x1:a.b_C"})
    EXPECT_TRUE(is_model_name(name)) << name;
  for (const char* name : {"", "en-de", ":en-de", "firefox:", "firefox:..", "firefox:.x",
                           "firefox:a/..", "firefox:../x", "hf:a/b/c", "hf:/b", "hf:a/", "Hf:a",
                           "a/b:c", "firefox:a b", "firefox:a\n", "firefox:a\\b", "a:b:c"})
    EXPECT_FALSE(is_model_name(name)) << name;
  EXPECT_FALSE(is_model_name("firefox:" + std::string(300, 'a')));
  EXPECT_EQ(name_in_cache("firefox:en-de"), "firefox/en-de");
  EXPECT_EQ(name_in_cache("hf:owner/en-de"), "hf/owner+en-de");
}

TEST_F(FetchedModelsTest, TheCacheIsWhereVariablesSay) {
  EXPECT_THAT(message_of<ConfigError>([] { cache_directory(); }), HasSubstr("DIETMT_CACHE"));
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(cache_directory(), "/home/me/.cache/dietmt");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(cache_directory(), "/home/me/.cache/dietmt");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(cache_directory(), "/cache/dietmt");
  setenv("DIETMT_CACHE", "mine", 1);
  EXPECT_EQ(cache_directory(), "mine");
}

TEST_F(FetchedModelsTest, NamesLeadToModelDirectories) {
  setenv("DIETMT_CACHE", directory_.path().c_str(), 1);
  EXPECT_THAT(message_of<CheckpointError>([] { resolve_model_directory("test:en-de"); }),
              EndsWith("run 'dietmt models fetch test:en-de'"));
  EXPECT_THAT(message_of<CheckpointError>([] { located_model("firefx:en-de"); }),
              EndsWith("fetch firefx:en-de'; did you mean firefox?"));
  const std::filesystem::path model = directory_ / "models/test/en-de";
  std::filesystem::create_directories(model);
  write_text(model / "model.safetensors", "");
  EXPECT_EQ(resolve_model_directory("test:en-de"), model);
  EXPECT_EQ(located_model("models/en-de"), "models/en-de");
}

TEST_F(FetchedModelsTest, ListsNames) {
  setenv("DIETMT_CACHE", directory_.path().c_str(), 1);
  EXPECT_THAT(names_in_cache("models"), IsEmpty());
  for (const char* path : {"models/test/en-de", "models/hf/owner+en-de", "models/x/.en-de.tmp"})
    std::filesystem::create_directories(directory_ / path);
  EXPECT_THAT(names_in_cache("models"), ElementsAre("hf:owner/en-de", "test:en-de"));
  EXPECT_THAT(names_in_cache("downloads"), IsEmpty());
}

TEST_F(FetchedModelsTest, ADirectoryOfThatNameComesFirst) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory_.path());
  std::filesystem::create_directory("test:en-de");
  EXPECT_EQ(located_model("test:en-de"), "test:en-de");
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace dietmt::storage
