// Estimates of quality: in order, by turns, until the client is gone.
#include "service/api/quality_estimates.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "service/scheduling/scheduling_errors.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// The length of the translation.
std::vector<double> lengths_of(std::span<const TranslatedPair> pairs) {
  std::vector<double> lengths;
  for (const TranslatedPair& pair : pairs)
    lengths.push_back(static_cast<double>(pair.translation.size()));
  return lengths;
}

std::vector<TranslatedPair> pairs_of(size_t count) {
  std::vector<TranslatedPair> pairs;
  for (size_t i = 0; i < count; ++i) pairs.push_back({"a", std::string(i, 'b')});
  return pairs;
}

TEST(QualityEstimatesTest, ComeInOrderAFewAtATime) {
  size_t largest = 0;
  QualityEstimates estimates([&](std::span<const TranslatedPair> pairs) {
    largest = std::max(largest, pairs.size());
    return lengths_of(pairs);
  });
  const std::vector<double> scores = estimates.of(pairs_of(30), {});
  ASSERT_EQ(scores.size(), 30U);
  for (size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(scores[i], static_cast<double>(i));
  EXPECT_EQ(largest, QualityEstimates::kPairsOfTurn);
  EXPECT_TRUE(estimates.of({}, {}).empty());
}

TEST(QualityEstimatesTest, StopWithTheClientAndItsDeadline) {
  int turns = 0;
  QualityEstimates estimates([&](std::span<const TranslatedPair> pairs) {
    ++turns;
    std::this_thread::sleep_for(1ms);
    return lengths_of(pairs);
  });
  EXPECT_THROW(estimates.of(pairs_of(100), {.client_gone = [&] { return turns == 2; }}),
               ClientGone);
  EXPECT_EQ(turns, 2);
  const auto soon = std::chrono::steady_clock::now() + 5ms;
  EXPECT_THROW(estimates.of(pairs_of(1000), {.deadline = soon}), DeadlineExceeded);
  EXPECT_EQ(estimates.of(pairs_of(1), {}).size(), 1U) << "the turn has ended";
}

TEST(QualityEstimatesTest, ALargeRequestDoesNotHoldUpASmallOne) {
  std::atomic<int> inside = 0, turns = 0;
  std::promise<void> started;
  QualityEstimates estimates([&](std::span<const TranslatedPair> pairs) {
    EXPECT_EQ(++inside, 1) << "one at a time";
    if (++turns == 1) started.set_value();
    std::this_thread::sleep_for(2ms);
    --inside;
    return lengths_of(pairs);
  });
  constexpr size_t kPairs = 100 * QualityEstimates::kPairsOfTurn;
  auto large = std::async(std::launch::async,
                          [&] { return estimates.of(pairs_of(kPairs), {.client = "large"}); });
  started.get_future().wait();
  const int before = turns;
  estimates.of(pairs_of(1), {.client = "small"});
  EXPECT_LT(turns - before, 10);
  EXPECT_EQ(large.get().size(), kPairs);
}

TEST(QualityEstimatesTest, V1TranslateHasThem) {
  std::vector<std::string> seen;
  TestSettings settings;
  settings.api.quality =
      std::make_shared<QualityEstimates>([&](std::span<const TranslatedPair> pairs) {
        for (const TranslatedPair& pair : pairs)
          seen.push_back(pair.source + '|' + pair.translation);
        return lengths_of(pairs);
      });
  const TestServer server(settings);
  json request = {{"text", {"ab. C", "<b>d</b>e"}},
                  {"model", "en-de"},
                  {"format", "html"},
                  {"nbest", 2},
                  {"quality", true}};
  const auto [status, body] = server.post("/v1/translate", request);
  ASSERT_EQ(status, 200) << body;
  EXPECT_THAT(seen, testing::ElementsAre("ab.|AB.", "ab.|AB.!", "C|C", "C|C!", "de|DE", "de|DE!"));
  std::vector<double> found;
  for (const json& result : body["results"])
    for (const json& sentence : result["sentences"])
      for (const json& translation : sentence["translations"])
        found.push_back(translation["quality"]);
  EXPECT_THAT(found, testing::ElementsAre(3, 4, 1, 2, 2, 3));

  request.erase("quality");
  const auto plain = server.post("/v1/translate", request).second;
  EXPECT_FALSE(plain["results"][0]["sentences"][0]["translations"][0].contains("quality"));
  request["quality"] = "yes";
  EXPECT_EQ(error_of(server.post("/v1/translate", request)), "400 quality must be true or false");
  request["quality"] = true;
  EXPECT_EQ(error_of(TestServer().post("/v1/translate", request)),
            "400 quality: this server estimates none; start it with --quality-model");
}

}  // namespace
}  // namespace dietmt::service
