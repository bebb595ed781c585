#include "inspection/model_comparison.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/test_directory.h"

namespace dietmt::inspection {
namespace {

using encoders::AttentionIndicators;
using testing::HasSubstr;
using testing::Not;

void write_results(const std::filesystem::path& directory, const std::string& runs) {
  std::filesystem::create_directories(directory);
  write_text(directory / "results.json",
             R"({"metric": "accuracy", "best_learning_rate": 1, "rates": [{"learning_rate": 1,
                 "scores": {"accuracy": 0}, "runs": [)" +
                 runs + "]}]}");
}

std::string run_with(const char* score) {
  return std::string(R"({"scores": {"accuracy": )") + score + "}}";
}

TEST(ModelComparison, HasIndicatorsScoresAndCost) {
  ModelFacts first, second;
  first.name = "learned";
  first.indicators = {{"aiv", 0.5}, {"opr", std::nan("")}};
  first.scores = {{"RTE", "accuracy", {60.2, 59.1}}};
  first.updates = 1200, first.seconds = 61, first.parameters = 4567;
  second.name = "shaw";
  second.scores = {{"RTE", "accuracy", {58.9, 61.3, 60.4}}};
  // Expected p-value: scipy.stats.ttest_ind(equal_var=False).
  EXPECT_EQ(comparison_text({first, second}),
            "model\taiv\topr\n"
            "learned\t0.5000\t-\n"
            "shaw\t-\t-\n"
            "\n"
            "task\tmetric\tmodel\truns\tmean\tdeviation\tdifference\tp\n"
            "RTE\taccuracy\tlearned\t2\t59.65\t0.78\t-\t-\n"
            "RTE\taccuracy\tshaw\t3\t60.20\t1.21\t0.55\t0.5808\n"
            "\n"
            "model\tparameters\tupdates\ttime\ttokens/s\n"
            "learned\t4,567\t1,200\t1m01s\t-\n"
            "shaw\t-\t-\t-\t-\n");
  const nlohmann::ordered_json json = comparison_json({first, second});
  EXPECT_FALSE(json[0].at("scores")[0].contains("p"));
  EXPECT_NEAR(json[1].at("scores")[0].at("p").get<double>(), 0.58085, 1e-5);
}

TEST(ModelComparison, CurvesAreOverEachOther) {
  ModelFacts first, second;
  first.name = "a<b";
  second.name = "c";
  for (ModelFacts* model : {&first, &second}) {
    model->attention_by_offset = {0.1, 0.8, 0.1};
    model->by_reach = {{"opr", {0.25, 0.5}}, {"db", {1, 2}}};
  }
  const std::string page = comparison_page({first, second});
  EXPECT_THAT(page, HasSubstr("mean attention by offset"));
  EXPECT_THAT(page, HasSubstr("DB of the nearest offsets"));
  EXPECT_THAT(page, HasSubstr("a&lt;b"));
  EXPECT_THAT(page, Not(HasSubstr("a<b")));
}

TEST(ModelFacts, RunsOfOneModelAreJoinedByCommas) {
  const TestDirectory directory;
  write_results(directory / "a-1/RTE", run_with("60") + "," + run_with("62"));
  write_results(directory / "a-2/RTE", run_with("64"));
  write_results(directory / "b/RTE", run_with("50") + "," + run_with("51"));
  const std::string root = directory.path().string();
  const auto models = read_models({root + "/a-1/RTE," + root + "/a-2/RTE", root + "/b/RTE"}, {});
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].name, "a-1");
  EXPECT_EQ(models[1].name, "b");
  EXPECT_EQ(scores_of(models[0], "RTE", "accuracy"), (std::vector<double>{61, 64}));
  EXPECT_EQ(scores_of(models[1], "RTE", "accuracy"), (std::vector<double>{50, 51}));
}

TEST(ModelFacts, HasMeansOverHeadsOfEachKindOfSentence) {
  const auto head = [](std::vector<std::vector<double>> rows, AttentionIndicators indicators) {
    std::vector<at::Tensor> all;
    for (const auto& row : rows) all.push_back(at::tensor(row, at::kDouble));
    return HeadAttention{at::stack(all), std::move(indicators)};
  };
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  PositionReport report;
  report.sites.resize(3);
  SiteReport& encoder = report.sites[0];
  encoder.name = "encoder";
  encoder.attention = {
      head({{0.75, 0.25}, {0.5, 0.5}},
           {.aiv = 0.25, .db = kNone, .opr_by_reach = {0.25, kNone}, .db_by_reach = {1, 2}}),
      head({{0.25, 0.75}, {0.5, 0.5}},
           {.aiv = 0.75, .db = kNone, .opr_by_reach = {0.75, 0.5}, .db_by_reach = {3, 4}})};
  encoder.framed_attention = {
      head({{1}}, {.aiv = 0.125, .opr_by_reach = {0.5}, .db_by_reach = {5}})};
  report.sites[1].name = "decoder";
  report.sites[1].attention = {head({{1}}, {.aiv = 0.75, .db = INFINITY})};
  report.sites[2].name = "cross";
  ModelFacts facts;
  add_positions(report, facts);
  EXPECT_EQ(facts.indicators.size(), 15U);
  EXPECT_EQ(facts.indicators.at("aiv"), 0.5);
  EXPECT_TRUE(std::isnan(facts.indicators.at("db")));
  EXPECT_EQ(facts.indicators.at("framed aiv"), 0.125);
  EXPECT_EQ(facts.indicators.at("decoder aiv"), 0.75);
  EXPECT_TRUE(std::isnan(facts.indicators.at("decoder db")));
  EXPECT_EQ(facts.by_reach.at("opr"), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(facts.by_reach.at("db"), (std::vector<double>{2, 3}));
  EXPECT_EQ(facts.by_reach.at("framed db"), (std::vector<double>{5}));
  EXPECT_EQ(facts.attention_by_offset, (std::vector<double>{0.5, 0.5, 0.5}));
}

TEST(ModelFacts, NamesADirectoryWithNothingToCompare) {
  const TestDirectory directory;
  const std::string root = directory.path().string();
  EXPECT_THAT(message_of<CheckpointError>([&] { read_models({root}, {}); }),
              HasSubstr(root + ": neither a model nor results of bert finetune"));
  EXPECT_THAT(message_of<CheckpointError>([&] { read_models({root + "/x"}, {}); }),
              HasSubstr("x: no such directory"));
  EXPECT_THAT(message_of<ConfigError>([&] { read_models({","}, {}); }),
              HasSubstr("',' has an empty name between its commas"));
}

}  // namespace
}  // namespace dietmt::inspection
