#include "fetching/model_registry.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "fetching/http_client.h"

namespace dietmt::fetching {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

json file() { return {{"name", "a.bin"}, {"url", "https://example.org/a.bin.gz"}, {"size", 7}}; }
json model() {
  return {{"name", "test:en-de"}, {"pair", "en-de"}, {"files", json::array({file()})}};
}

std::vector<PublishedModel> parsed(const std::vector<json>& models) {
  return parse_registry(json({{"format", 1}, {"models", models}}).dump(), "r.json");
}

std::string problem_of(const std::vector<json>& models) {
  try {
    parsed(models);
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "";
}

std::string problem_of_file(const char* field, const json& value) {
  json entry = model();
  entry["files"][0][field] = value;
  return problem_of({entry});
}

TEST(ModelRegistryTest, ReadsModels) {
  json entry = model();
  entry["licence"] = "MIT";
  entry["files"][0]["compressed"] = true;
  entry["files"][0]["sha256"] = std::string(64, 'a');
  const PublishedModel found = parsed({entry}).at(0);
  EXPECT_EQ(found.name, "test:en-de");
  EXPECT_EQ(found.licence, "MIT");
  EXPECT_EQ(found.size(), 7);
  EXPECT_TRUE(found.files.at(0).compressed);
  entry["files"][0].erase("size");
  EXPECT_EQ(parsed({entry}).at(0).size(), std::nullopt);
}

TEST(ModelRegistryTest, NamesWhatIsWrong) {
  const auto at_model = [](const char* text) {
    return AllOf(HasSubstr("r.json: test:en-de: "), HasSubstr(text));
  };
  for (const char* name : {"../a", "a/b", "..", ".a", "", "a\nb", "a\\b"})
    EXPECT_THAT(problem_of_file("name", name), at_model("not the name of a file")) << name;
  for (const char* url : {"file:///etc/passwd", "ftp://x/y", "a.bin", ""})
    EXPECT_THAT(problem_of_file("url", url), at_model("https://")) << url;
  EXPECT_THAT(problem_of_file("size", -2), at_model("size"));
  EXPECT_THAT(problem_of_file("size", int64_t{1} << 50), at_model("size"));
  EXPECT_THAT(problem_of_file("size", "7"), at_model("size"));
  EXPECT_THAT(problem_of_file("sha256", "abc"), at_model("64 hexadecimal digits"));
  json twice = model();
  twice["files"].push_back(file());
  EXPECT_THAT(problem_of({twice}), at_model("two files are called a.bin"));
  json empty = model();
  empty["files"] = json::array();
  EXPECT_THAT(problem_of({empty}), at_model("files must be a list"));
  EXPECT_THAT(problem_of({model(), model()}), HasSubstr("two models are called test:en-de"));
  EXPECT_THAT(problem_of({{{"name", "../x"}}}), HasSubstr("not a name such as"));
  EXPECT_THAT(problem_of({{{"name", "test:x"}, {"hub", "../../x"}}}), HasSubstr("OWNER/NAME"));
  EXPECT_THAT(problem_of({7}), HasSubstr("r.json"));
  EXPECT_THROW(parse_registry("[]", "r.json"), CheckpointError);
  EXPECT_THROW(parse_registry("", "r.json"), CheckpointError);
  EXPECT_THROW(parse_registry(R"({"format": 2, "models": []})", "r.json"), CheckpointError);
}

TEST(ModelRegistryTest, FindsByName) {
  const std::vector<PublishedModel> registry = parsed({model()});
  EXPECT_EQ(published_model(registry, "test:en-de").files.size(), 1U);
  EXPECT_EQ(published_model(registry, "hf:owner/name").hub, "owner/name");
  EXPECT_THROW(published_model(registry, "test:en-fr"), ConfigError);
  EXPECT_THROW(published_model(registry, "hf:name"), ConfigError);
  EXPECT_THROW(published_model(registry, "en-de"), ConfigError);
}

TEST(ModelRegistryTest, LicencesThatExcludeCommerceAreMarked) {
  EXPECT_EQ(described_licence("MIT"), "MIT");
  EXPECT_THAT(described_licence("CC-BY-NC-4.0"), HasSubstr("not for commercial use"));
  EXPECT_THAT(described_licence(""), HasSubstr("not stated"));
}

// fetching/models.json, which ships with the program.
TEST(ModelRegistryTest, ShippedOne) {
  const std::vector<PublishedModel> registry =
      parse_registry(read_file(DIETMT_REGISTRY), DIETMT_REGISTRY);
  int64_t with_checksum = 0;
  for (const PublishedModel& entry : registry) {
    EXPECT_FALSE(entry.pair.empty()) << entry.name;
    EXPECT_THAT(entry.name, HasSubstr(":" + entry.pair));
    if (!entry.hub.empty()) continue;
    EXPECT_FALSE(entry.licence.empty()) << entry.name;
    for (const PublishedFile& one : entry.files) {
      EXPECT_TRUE(one.url.starts_with("https://")) << one.url;
      with_checksum += one.sha256.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(with_checksum, 400);
}

}  // namespace
}  // namespace dietmt::fetching
