#include "service/api/translation_cache.h"

#include <gmock/gmock.h>

#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TranslatedText text_of_bytes(size_t bytes) {
  TranslatedText text;
  text.after.push_back({std::string(bytes, 'x')});
  return text;
}

TEST(TranslationCacheTest, TheLongestUnusedGoesFirst) {
  TranslationCache cache(10'000, false);
  for (const char* name : {"a", "b", "c"}) cache.add("p", name, text_of_bytes(2500));
  EXPECT_NE(cache.find("p", "a"), nullptr);
  cache.add("p", "d", text_of_bytes(2500));
  EXPECT_EQ(cache.find("p", "b"), nullptr);
  EXPECT_NE(cache.find("p", "a"), nullptr);
  EXPECT_EQ(cache.find("other", "a"), nullptr);
  const CacheCounters counters = cache.counters();
  EXPECT_EQ(counters.texts, 3);
  EXPECT_EQ(counters.evicted, 1);
  EXPECT_EQ(counters.hits, 2);
  EXPECT_EQ(counters.misses, 2);
  EXPECT_LE(counters.bytes, 10'000);
  cache.add("p", "large", text_of_bytes(20'000));
  EXPECT_EQ(cache.counters().texts, 3);
}

class CachedServerTest : public testing::Test {
 protected:
  static std::string hits(const TestServer& server) {
    const std::string metrics = server.client().Get("/metrics")->body;
    const std::string name = "dietmt_cache_lookups_total{result=\"hit\"} ";
    const size_t at = metrics.find(name) + name.size();
    return metrics.substr(at, metrics.find('\n', at) - at);
  }
};

TEST_F(CachedServerTest, OnlyTheSameTextWithTheSameOptionsIsAHit) {
  TestServer server({.api = {.cache_bytes = 1 << 20}});
  const json request = {{"q", {"a. b", "c"}}, {"source", "en"}, {"target", "de"}};
  const json first = server.post("/translate", request).second;
  EXPECT_EQ(hits(server), "0");
  EXPECT_EQ(server.post("/translate", request).second, first);
  EXPECT_EQ(hits(server), "2");
  json other = request;
  other["alternatives"] = 1;
  server.post("/translate", other);
  other = request;
  other["q"] = {"a. b ", "C"};
  server.post("/translate", other);
  other = request;
  other["format"] = "html";
  server.post("/translate", other);
  other = {{"q", {"a. b", "c"}}, {"source", "en"}, {"target", "de"}, {"keep", "none"}};
  server.post("/translate", other);
  EXPECT_EQ(hits(server), "2");
  other = {{"q", {"c", "new"}}, {"source", "en"}, {"target", "de"}};
  EXPECT_EQ(server.post("/translate", other).second["translatedText"], json({"C", "NEW"}));
  EXPECT_EQ(hits(server), "3");
  server.models().reload("");
  EXPECT_EQ(server.post("/translate", request).second, first);
  EXPECT_EQ(hits(server), "3") << "another model";
}

TEST_F(CachedServerTest, TheOwnApiKeepsScoresAndPiecesButNoSamples) {
  const TestServer server({.api = {.cache_bytes = 1 << 20}});
  json request = {{"text", "a. b"}, {"model", "en-de"}, {"nbest", 2}, {"token_scores", true}};
  json first = server.post("/v1/translate", request).second;
  json again = server.post("/v1/translate", request).second;
  EXPECT_EQ(hits(server), "1");
  first["usage"].erase("seconds");
  again["usage"].erase("seconds");
  EXPECT_EQ(first, again);
  request = {{"text", "a"}, {"model", "en-de"}, {"sample", true}};
  for (int i = 0; i < 2; ++i) server.post("/v1/translate", request);
  EXPECT_EQ(hits(server), "1");
}

TEST_F(CachedServerTest, WithoutItThereIsNoMetric) {
  const TestServer server;
  EXPECT_THAT(server.client().Get("/metrics")->body, testing::Not(HasSubstr("dietmt_cache")));
}

}  // namespace
}  // namespace dietmt::service
