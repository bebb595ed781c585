#include "inspection/correlation.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/test_directory.h"

namespace dietmt::inspection {
namespace {

using testing::HasSubstr;

ModelFacts model_with(const std::string& name, double aiv, double score) {
  ModelFacts model;
  model.name = name;
  model.indicators = {{"aiv", aiv}};
  model.by_reach = {{"opr", {aiv, 1 - aiv}}};
  model.scores = {{"RTE", "accuracy", {score - 1, score + 1}}};
  return model;
}

const std::vector<ModelFacts> kFour{model_with("a", 0.1, 60), model_with("b", 0.2, 58),
                                    model_with("c", 0.3, 59), model_with("d", 0.4, 50)};

// Expected values: scipy.stats.pearsonr and spearmanr.
TEST(Correlation, IsOverTheMeansOfAllModels) {
  EXPECT_EQ(correlation_text(correlations(correlation_data(kFour))),
            "indicator\tscore\tmodels\tPearson\tp\tSpearman\tp\n"
            "aiv\tRTE accuracy\t4\t-0.82\t0.1814\t-0.80\t0.2000\n");
}

TEST(Correlation, ByReachIsInJsonAndOnThePage) {
  const CorrelationData data = correlation_data(kFour);
  const nlohmann::ordered_json curves = correlation_json(data).at("pearson_by_reach");
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].at("indicator"), "opr");
  EXPECT_NEAR(curves[0].at("values")[0].get<double>(), -0.82, 0.005);
  EXPECT_NEAR(curves[0].at("values")[1].get<double>(), 0.82, 0.005);
  const std::string page = correlation_page(data);
  EXPECT_THAT(page, HasSubstr("<td>RTE accuracy</td><td>4</td><td>-0.82</td>"));
  EXPECT_THAT(page, HasSubstr("Pearson&#39;s r of scores with opr"));
}

TEST(Correlation, LeavesOutModelsWithoutAValue) {
  std::vector<ModelFacts> models = kFour;
  models[3].scores.clear();
  const std::vector<Correlation> all = correlations(correlation_data(models));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].models, 3U);
  EXPECT_NEAR(all[0].pearson, -0.5, 1e-12);
  models[2].indicators.clear();
  EXPECT_THAT(correlation_text(correlations(correlation_data(models))),
              HasSubstr("\t2\t-\t-\t-\t-\n"));
}

TEST(Correlation, ReadsATable) {
  const TestDirectory directory;
  write_text(directory / "t.tsv", "model\tAIV\tRTE\r\na\t1\t2\nb\t2\t-\nc\t3\t5\nd\t5\t9\n");
  const auto all = correlations(read_correlation_data(directory / "t.tsv", {"AIV"}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].score, "RTE");
  EXPECT_EQ(all[0].models, 3U);
  EXPECT_GT(all[0].pearson, 0.9);
}

TEST(Correlation, NamesWhatIsWrongInATable) {
  const TestDirectory directory;
  const auto table = directory / "t.tsv";
  write_text(table, "model\tAIV\tRTE\na\t1\tx\n");
  EXPECT_THAT(message_of<DataError>([&] { read_correlation_data(table, {"AIV"}); }),
              HasSubstr("t.tsv:2: 'x' is not a number"));
  EXPECT_THAT(message_of<ConfigError>([&] { read_correlation_data(table, {"OPR"}); }),
              HasSubstr("has no such column"));
  write_text(table, "model\tAIV\tRTE\na\t1\n");
  EXPECT_THAT(message_of<DataError>([&] { read_correlation_data(table, {"AIV"}); }),
              HasSubstr("t.tsv:2: there are 2 columns; the header has 3"));
  write_text(table, "");
  EXPECT_THAT(message_of<ConfigError>([&] { read_correlation_data(table, {"OPR"}); }),
              HasSubstr("has no such column"));
}

}  // namespace
}  // namespace dietmt::inspection
