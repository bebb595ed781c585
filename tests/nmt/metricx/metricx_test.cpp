// Compares with scores of transformers (tests/interchange/make_metricx_cases.py).
#include "nmt/metricx/metricx.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "interchange/huggingface/metricx.h"
#include "nmt/metricx/metricx_scorer.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::nmt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using Texts = MetricxScorer::Texts;

constexpr double kTolerance = 1e-4;

fs::path metricx_cases() { return DIETMT_METRICX_CASES; }

Metricx imported(const std::string& layout) {
  return interchange::import_metricx(metricx_cases() / layout, metricx_cases() / "mt5");
}

class MetricxTest : public ScratchTest {
 protected:
  MetricxTest() : cases_(json::parse(read_file(metricx_cases() / "scores.json"))) {
    for (const json& segment : cases_.at("segments")) {
      sources_.push_back(segment.at("src"));
      translations_.push_back(segment.at("mt"));
      references_.push_back(segment.at("ref"));
    }
  }

  void expect_scores(const std::vector<double>& scores, const std::string& layout,
                     const std::string& kind = "with") const {
    const auto expected = cases_.at("scores").at(layout).at(kind).get<std::vector<double>>();
    ASSERT_EQ(scores.size(), expected.size());
    for (size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], expected[i], kTolerance) << i;
  }

  void change(const std::function<void(json&)>& edit) const {
    json config = json::parse(read_file(scratch() / "config.json"));
    edit(config);
    write("config.json", config.dump());
  }

  std::string failure() const {
    return message_of<CheckpointError>([&] { load_metricx(scratch()); });
  }

  json cases_;
  Texts sources_, translations_, references_;
};

TEST_F(MetricxTest, GivesTheScoresOfTransformers) {
  for (const std::string layout : {"metricx-24", "metricx-23", "metricx-23-qe"}) {
    SCOPED_TRACE(layout);
    const Metricx metric = imported(layout);
    EXPECT_EQ(metric.layout.name, layout);
    for (const int64_t batch_tokens : {1, 100, 100'000}) {
      MetricxScorer scorer(metric, batch_tokens);
      expect_scores(scorer.score(sources_, references_, {translations_}).at(0), layout);
      EXPECT_GT(scorer.cut(), 0);  // the last segment
    }
  }
}

TEST_F(MetricxTest, TheModelOf24CanDoWithoutReferences) {
  const Metricx metric = imported("metricx-24");
  const auto scores = MetricxScorer(metric, 500).score(sources_, {}, {translations_});
  expect_scores(scores.at(0), "metricx-24", "without");
}

TEST_F(MetricxTest, AModelThatNeedsReferencesSaysSo) {
  const Metricx metric = imported("metricx-23");
  EXPECT_THROW(MetricxScorer(metric, 500).score(sources_, {}, {translations_}), ConfigError);
}

TEST_F(MetricxTest, TheUtilityIsTheNegativeExpectedScore) {
  const std::vector<double> weights = {0.6, 0.4};
  for (const std::string layout : {"metricx-24", "metricx-23-qe"}) {
    SCOPED_TRACE(layout);
    const Metricx metric = imported(layout);
    const metrics::WeightedCandidates sentence{
        .source = sources_[0], .texts = {translations_[0], references_[0]}, .weights = weights};
    const auto found = MetricxScorer(metric, 500).utilities(std::vector{sentence, sentence});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0], found[1]);
    for (size_t i = 0; i < 2; ++i) {
      double expected = 0.0;
      for (size_t j = 0; j < 2; ++j)
        expected -=
            weights[j] * MetricxScorer(metric, 500)
                             .score({sources_[0]}, Texts{sentence.texts[j]}, {{sentence.texts[i]}})
                             .at(0)
                             .at(0);
      EXPECT_NEAR(found[0][i], expected, kTolerance) << i;
    }
  }
}

TEST_F(MetricxTest, IsTheModelThatWasWritten) {
  const Metricx metric = imported("metricx-24");
  EXPECT_FALSE(is_metricx(scratch()));
  write_metricx(scratch(), metric);
  EXPECT_TRUE(is_metricx(scratch()));
  const Metricx loaded = load_metricx(scratch());
  EXPECT_EQ(loaded.name, "metricx-24");
  EXPECT_TRUE(at::equal(loaded.output, metric.output));
  const auto scores = MetricxScorer(loaded, 500).score(sources_, references_, {translations_});
  expect_scores(scores.at(0), "metricx-24");
}

TEST_F(MetricxTest, ErrorsNameTheFileAndTheField) {
  write_metricx(scratch(), imported("metricx-24"));
  change([](json& config) { config["layout"] = "metricx-22"; });
  EXPECT_THAT(failure(), HasSubstr("config.json: layout is 'metricx-22'; known: metricx-23-qe"));
  change([](json& config) { config["layout"] = "metricx-24", config["format"] = 2; });
  EXPECT_THAT(failure(), HasSubstr("config.json: format 2 is unsupported"));
  change([](json& config) { config["format"] = 1, config["model"]["width"] = 20; });
  EXPECT_THAT(failure(), HasSubstr("model.safetensors: metricx_output must have 20 numbers"));
}

TEST_F(MetricxTest, TheNameOfTheDirectoryTellsTheLayout) {
  fs::copy(metricx_cases() / "metricx-23-qe", scratch() / "model");
  const auto import = [&](const fs::path& directory) {
    return interchange::import_metricx(directory, metricx_cases() / "mt5");
  };
  EXPECT_THAT(message_of<CheckpointError>([&] { import(scratch() / "model"); }),
              HasSubstr("rename the directory so that it has one of metricx-23-qe, metricx-24"));
  fs::rename(scratch() / "model", scratch() / "my-metricx-23-qe-large");
  EXPECT_EQ(import(scratch() / "my-metricx-23-qe-large/").layout.name, "metricx-23-qe");
}

}  // namespace
}  // namespace dietmt::nmt
