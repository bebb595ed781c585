#include "fetching/hub_listing.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/common/test_directory.h"

namespace dietmt::fetching {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

json listing(const std::vector<std::string>& names) {
  json siblings = json::array();
  for (const std::string& name : names) siblings.push_back({{"rfilename", name}, {"size", 5}});
  return {{"sha", "abc123"}, {"cardData", {{"license", "apache-2.0"}}}, {"siblings", siblings}};
}

PublishedModel read(const json& listing) {
  PublishedModel model{.name = "hf:o/n", .hub = "o/n"};
  read_hub_listing(listing.dump(), "https://hub.example", model);
  return model;
}

std::vector<std::string> chosen(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const PublishedFile& file : read(listing(names)).files) found.push_back(file.name);
  return found;
}

TEST(HubListingTest, ReadsWhatImportReads) {
  EXPECT_THAT(chosen({".gitattributes", "README.md", "config.json", "pytorch_model.bin",
                      "rust_model.ot", "source.spm", "tf_model.h5", "vocab.json"}),
              ElementsAre("config.json", "pytorch_model.bin", "source.spm", "vocab.json"));
  EXPECT_THAT(chosen({"config.json", "model.safetensors", "pytorch_model.bin"}),
              ElementsAre("config.json", "model.safetensors"));
  EXPECT_THAT(chosen({"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                      "model.safetensors.index.json", "other.safetensors"}),
              ElementsAre("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                          "model.safetensors.index.json"));
  EXPECT_THAT(chosen({"model.bin", "shared_vocabulary.txt", "onnx/model.bin", "../x.json"}),
              ElementsAre("model.bin", "shared_vocabulary.txt"));
}

TEST(HubListingTest, FilesAreThoseOfTheRevision) {
  json entry = listing({"model.safetensors"});
  entry["siblings"][0]["lfs"] = {{"sha256", std::string(64, 'b')}, {"size", 900}};
  const PublishedModel model = read(entry);
  EXPECT_EQ(model.licence, "apache-2.0");
  EXPECT_EQ(model.files.at(0).url, "https://hub.example/o/n/resolve/abc123/model.safetensors");
  EXPECT_EQ(model.files.at(0).size, 900);
  EXPECT_EQ(model.files.at(0).sha256, std::string(64, 'b'));
}

TEST(HubListingTest, NamesWhatIsWrong) {
  const auto problem = [](const json& listing) {
    return message_of<CheckpointError>([&] { read(listing); });
  };
  EXPECT_THAT(problem(listing({"README.md"})), HasSubstr("has no weights"));
  json entry = listing({"model.bin"});
  entry["sha"] = "../x";
  EXPECT_THAT(problem(entry), HasSubstr("not a revision"));
  entry = listing({"model.bin"});
  entry["siblings"][0]["lfs"] = {{"sha256", "x"}};
  EXPECT_THAT(problem(entry), HasSubstr("SHA-256"));
  entry["siblings"] = 7;
  EXPECT_THAT(problem(entry), HasSubstr("o/n"));
  EXPECT_THAT(problem({{"error", "Repository not found"}}), HasSubstr("sha"));
}

TEST(HubListingTest, AMirrorCanBeNamed) {
  unsetenv("HF_ENDPOINT");
  EXPECT_EQ(hub_endpoint(), "https://huggingface.co");
  setenv("HF_ENDPOINT", "http://mirror.example/", 1);
  EXPECT_EQ(hub_endpoint(), "http://mirror.example");
  setenv("HF_ENDPOINT", "mirror", 1);
  EXPECT_THAT(message_of<ConfigError>([] { hub_endpoint(); }), HasSubstr("HF_ENDPOINT"));
  unsetenv("HF_ENDPOINT");
}

}  // namespace
}  // namespace dietmt::fetching
