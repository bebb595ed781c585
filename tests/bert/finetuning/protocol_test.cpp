#include "bert/finetuning/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "storage/checkpoint.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::bert {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using training::TrainingEnd;

// Runs that leave checkpoints with given scores.
class ProtocolTest : public ScratchTest {
 protected:
  ProtocolTest() {
    options_.output = scratch() / "out";
    options_.learning_rates = {1e-5, 2e-5};
    options_.seeds = {1, 2, 3};
    options_.metric = "accuracy";
    options_.configuration = {{"batch-size", "32"}, {"task", "RTE"}};
  }

  // Scores of a run's epochs by rate and seed.
  static std::vector<double> epochs(const RunSetting& setting) {
    const bool high = setting.learning_rate > 1.5e-5;
    if (setting.seed == 1) return high ? std::vector{60.0, 65.0} : std::vector{50.0, 90.0, 70.0};
    if (setting.seed == 2) return high ? std::vector{71.0, 70.0} : std::vector{20.0, 30.0};
    return high ? std::vector{80.0} : std::vector{60.0};
  }

  TrainingEnd train(const RunSetting& setting, const fs::path& directory) {
    runs_.push_back(directory.filename().string());
    if (runs_.size() == stop_at_) return TrainingEnd::kStopped;
    storage::CheckpointStore store(directory, {1, 1, "accuracy", true});
    int64_t update = 0;
    for (const double score : epochs(setting)) {
      store.save(++update, {{"accuracy", score}, {"f1", score / 2}}, [&](const fs::path& folder) {
        write_file_atomically(folder / "model.safetensors", std::to_string(score));
        write_file_atomically(folder / "training.json", "{}");
      });
    }
    return TrainingEnd::kFinished;
  }

  std::optional<ProtocolSummary> run() {
    return run_protocol(options_, [this](const RunSetting& setting, const fs::path& directory) {
      return train(setting, directory);
    });
  }

  ProtocolOptions options_;
  std::vector<std::string> runs_;
  size_t stop_at_ = 0;
};

TEST_F(ProtocolTest, TheBestRateIsTheOneOfTheHighestMedianOfBestEpochs) {
  const auto summary = run();
  ASSERT_TRUE(summary);
  ASSERT_EQ(summary->rates.size(), 2U);
  EXPECT_DOUBLE_EQ(summary->rates[0].scores.at("accuracy"), 60.0);  // of 90, 30, 60
  EXPECT_DOUBLE_EQ(summary->rates[1].scores.at("accuracy"), 71.0);  // of 65, 71, 80
  EXPECT_DOUBLE_EQ(summary->rates[1].scores.at("f1"), 35.5);
  EXPECT_EQ(summary->best, 1U);
  EXPECT_EQ(summary->rates[0].runs[0].update, 2);
  const auto json = nlohmann::json::parse(read_file(options_.output / "results.json"));
  EXPECT_EQ(json.at("task"), "RTE");
  EXPECT_DOUBLE_EQ(json.at("best_learning_rate"), 2e-5);
  EXPECT_DOUBLE_EQ(json.at("rates")[0].at("runs")[1].at("scores").at("accuracy"), 30.0);
}

TEST_F(ProtocolTest, OnlyTheWeightsOfTheBestRunStay) {
  run();
  EXPECT_EQ(read_file(options_.output / "best/model.safetensors"), std::to_string(90.0));
  EXPECT_FALSE(fs::exists(options_.output / "best/training.json"));
  EXPECT_EQ(storage::resolve_model_directory(options_.output), options_.output / "best");
  for (const fs::directory_entry& run : fs::directory_iterator(options_.output / "runs")) {
    EXPECT_FALSE(fs::exists(run.path() / "checkpoints")) << run.path();
    EXPECT_TRUE(fs::exists(run.path() / "result.json")) << run.path();
    EXPECT_EQ(fs::exists(run.path() / "model"), run.path().filename() == "lr-1e-05-seed-1");
  }
}

TEST_F(ProtocolTest, AStoppedProtocolContinuesWithTheRunThatHasNoResult) {
  stop_at_ = 3;
  EXPECT_FALSE(run());
  EXPECT_THAT(runs_, ElementsAre("lr-1e-05-seed-1", "lr-1e-05-seed-2", "lr-1e-05-seed-3"));
  runs_.clear();
  stop_at_ = 0;
  const auto summary = run();
  EXPECT_THAT(runs_, ElementsAre("lr-1e-05-seed-3", "lr-2e-05-seed-1", "lr-2e-05-seed-2",
                                 "lr-2e-05-seed-3"));
  EXPECT_DOUBLE_EQ(summary->rates[0].scores.at("accuracy"), 60.0);
  runs_.clear();
  EXPECT_EQ(run()->best, 1U);
  EXPECT_THAT(runs_, ElementsAre());
}

// Killed between storing the result and adopting the model.
TEST_F(ProtocolTest, AnEndedRunWithCheckpointsIsSettledLater) {
  options_.learning_rates = {1e-5};
  options_.seeds = {1};
  run();
  fs::remove_all(options_.output / "best");
  runs_.clear();
  train({1e-5, 1}, options_.output / "runs/lr-1e-05-seed-1");
  runs_.clear();
  run();
  EXPECT_THAT(runs_, ElementsAre());
  EXPECT_EQ(read_file(options_.output / "best/model.safetensors"), std::to_string(90.0));
  EXPECT_FALSE(fs::exists(options_.output / "runs/lr-1e-05-seed-1/checkpoints"));
}

// The name always leads to a complete model: it is a link, which is replaced in one step.
TEST_F(ProtocolTest, TheBestModelIsALinkToThatOfItsRun) {
  options_.learning_rates = {2e-5};
  options_.seeds = {1};
  run();
  EXPECT_EQ(fs::read_symlink(options_.output / "best"), "runs/lr-2e-05-seed-1/model");
  options_.seeds = {1, 3};
  run();
  EXPECT_EQ(fs::read_symlink(options_.output / "best"), "runs/lr-2e-05-seed-3/model");
  EXPECT_FALSE(fs::exists(options_.output / "runs/lr-2e-05-seed-1/model"));
}

TEST_F(ProtocolTest, MoreSeedsAddRuns) {
  options_.seeds = {1};
  run();
  runs_.clear();
  options_.seeds = {1, 2};
  run();
  EXPECT_THAT(runs_, ElementsAre("lr-1e-05-seed-2", "lr-2e-05-seed-2"));
}

TEST_F(ProtocolTest, ResultsOfAnotherModelAreRefused) {
  run();
  options_.model_hash = 1;
  EXPECT_THAT(message_of<ConfigError>([&] { run(); }), HasSubstr("other weights in --model"));
}

TEST_F(ProtocolTest, RatesThatPrintAlikeHaveRunsOfTheirOwn) {
  options_.learning_rates = {3e-5, 3.0000001e-5};
  options_.seeds = {1};
  run();
  EXPECT_THAT(runs_, ElementsAre("lr-3e-05-seed-1", "lr-3.0000001e-05-seed-1"));
}

TEST_F(ProtocolTest, RunsReplaceNoOtherFiles) {
  const auto problem = [&](const fs::path& start) {
    return message_of<ConfigError>([&] { require_output_for_runs(options_.output, start); });
  };
  fs::create_directories(options_.output / "best");
  EXPECT_NO_THROW(require_output_for_runs(options_.output, options_.output));
  EXPECT_THAT(problem(options_.output / "best"), HasSubstr("among the files of its runs"));
  EXPECT_THAT(problem(options_.output / "runs/x/../y"), HasSubstr("among the files of its runs"));
  EXPECT_NO_THROW(require_output_for_runs(options_.output, options_.output / "best-of-all"));
  fs::create_directories(options_.output / "checkpoints");
  EXPECT_THAT(problem("model"), HasSubstr("is the output of a training run"));
  write_file_atomically(options_.output / "config.json", "{}");
  EXPECT_THAT(problem("model"), HasSubstr("is a model directory"));
}

TEST_F(ProtocolTest, ResultsOfAnotherConfigurationAreRefused) {
  run();
  options_.configuration["batch-size"] = "16";
  try {
    run();
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--batch-size: was 32, is 16"));
  }
  discard_runs(options_.output);
  runs_.clear();
  run();
  EXPECT_EQ(runs_.size(), 6U);
}

TEST_F(ProtocolTest, ResultsWithOtherDataAreRefused) {
  options_.data_hash = 1;
  run();
  options_.data_hash = 2;
  EXPECT_THROW(run(), ConfigError);
  options_.data_hash = 1;
  EXPECT_TRUE(run());
}

TEST_F(ProtocolTest, MeansOfLastCheckpoints) {
  options_.statistic = SeedStatistic::kMean;
  options_.last_counts = true;
  const auto summary = run();
  ASSERT_TRUE(summary);
  EXPECT_NEAR(summary->rates[0].scores.at("accuracy"), 160.0 / 3, 1e-9);  // of 70, 30, 60
  EXPECT_NEAR(summary->rates[0].deviations.at("accuracy"), 20.8167, 1e-4);
  EXPECT_NEAR(summary->rates[1].scores.at("accuracy"), 215.0 / 3, 1e-9);  // of 65, 70, 80
  EXPECT_EQ(summary->best, 1U);
  const auto results = nlohmann::json::parse(read_file(options_.output / "results.json"));
  EXPECT_EQ(results.at("statistic"), "mean");
  EXPECT_NEAR(results.at("rates")[0].at("deviations").at("f1").get<double>(), 10.4083, 1e-4);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2.0);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7.0);
}

TEST(RateTable, ListsSeedsAndMarksTheBestRate) {
  const ProtocolSummary summary = summarise({{{1e-5, 1}, 5, {{"f1", 10.0}}},
                                             {{1e-5, 2}, 5, {{"f1", 20.0}}},
                                             {{5e-5, 1}, 5, {{"f1", 30.0}}},
                                             {{5e-5, 2}, 5, {{"f1", 31.0}}}},
                                            "f1", SeedStatistic::kMedian);
  EXPECT_EQ(rate_table("MRPC", summary),
            "MRPC: f1\n"
            "learning rate\tmedian\tseed 1\tseed 2\n"
            "1e-05\t15.00\t10.00\t20.00\n"
            "5e-05*\t30.50\t30.00\t31.00\n");
}

TEST(RateTable, HasDeviationsBesideMeans) {
  const auto run = [](int64_t seed, double score) {
    return RunResult{{1e-5, seed}, 5, {{"f1", score}}};
  };
  EXPECT_EQ(rate_table("MRPC",
                       summarise({run(1, 10), run(2, 20), run(3, 60)}, "f1", SeedStatistic::kMean)),
            "MRPC: f1\n"
            "learning rate\tmean\tdeviation\tseed 1\tseed 2\tseed 3\n"
            "1e-05*\t30.00\t26.46\t10.00\t20.00\t60.00\n");
  EXPECT_EQ(rate_table("MRPC", summarise({run(1, 10)}, "f1", SeedStatistic::kMean)),
            "MRPC: f1\n"
            "learning rate\tmean\tdeviation\tseed 1\n"
            "1e-05*\t10.00\t-\t10.00\n");
}

TEST(PaperRows, HaveTheMetricsOfEachPaperAndTheAverageOfTheirScores) {
  const std::vector<TaskScores> tasks = {
      {data::find_task("MNLI"),
       {{"accuracy", 84.0}, {"accuracy_mismatched", 86.0}, {"valid_loss", 1.0}}},
      {data::find_task("MRPC"), {{"accuracy", 70.0}, {"f1", 80.0}, {"valid_loss", 1.0}}},
      {data::find_task("WNLI"), {{"accuracy", 10.0}, {"valid_loss", 1.0}}}};
  EXPECT_EQ(paper_rows(tasks, SeedStatistic::kMedian),
            "as in the table of Ke et al. 2021\tMNLI\tMRPC\tWNLI\taverage\n"
            "median\t84.00/86.00\t70.00\t10.00\t80.00\n"
            "as in the table of Wang et al. 2021\tMNLI\tMRPC\tWNLI\taverage\n"
            "median\t86.00\t80.00\t10.00\t83.00\n");
}

TEST(PaperRows, OfSeveralLanguagesAreTheirMean) {
  EXPECT_EQ(paper_rows({{data::find_task("XNLI"),
                         {{"accuracy", 80.0}, {"accuracy_de", 60.0}, {"accuracy_mean", 70.0}}}},
                       SeedStatistic::kMean),
            "main metric\tXNLI\nmean\t70.00\n");
}

// The row of DIET-REL in table 3 of Chen et al.
TEST(PaperRows, OfXtremeHaveTheAverageOfSevenNumbers) {
  const auto answers = [](const char* name, double f1, double exact) {
    return TaskScores{data::find_task(name), {{"f1_mean", f1}, {"exact_match_mean", exact}}};
  };
  EXPECT_EQ(paper_rows({{data::find_task("XNLI"), {{"accuracy_mean", 68.4}}},
                        answers("XQuAD", 69.4, 54.4),
                        answers("MLQA", 58.6, 43.5),
                        answers("TyDiQA-GoldP", 62.4, 49.3)},
                       SeedStatistic::kMedian),
            "main metric\tXNLI\tXQuAD\tMLQA\tTyDiQA-GoldP\n"
            "median\t68.40\t69.40\t58.60\t62.40\n"
            "as in the table of Chen et al. 2021\tXNLI\tXQuAD\tMLQA\tTyDiQA-GoldP\taverage\n"
            "median\t68.40\t69.40/54.40\t58.60/43.50\t62.40/49.30\t58.00\n");
}

TEST(PaperRows, OfOneTaskNameNoPaper) {
  EXPECT_EQ(paper_rows({{data::find_task("WNLI"), {{"accuracy", 50.0}}}}, SeedStatistic::kMedian),
            "main metric\tWNLI\nmedian\t50.00\n");
}

TEST(PaperRows, OfAnswersHaveNoAverage) {
  EXPECT_EQ(paper_rows({{data::find_task("SQuAD1.1"), {{"f1", 80.0}, {"exact_match", 70.0}}},
                        {data::find_task("RTE"), {{"accuracy", 60.0}}}},
                       SeedStatistic::kMedian),
            "main metric\tSQuAD1.1\tRTE\nmedian\t80.00\t60.00\n"
            "as in the table of Wang et al. 2021\tSQuAD1.1\tRTE\nmedian\t70.00/80.00\t60.00\n");
}

}  // namespace
}  // namespace dietmt::bert
