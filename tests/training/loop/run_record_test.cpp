#include "training/loop/run_record.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/files.h"
#include "reporting/progress_bar.h"
#include "tests/common/log_capture.h"
#include "tests/common/scratch.h"

namespace dietmt::training {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

class RunRecordTest : public ScratchTest {
 protected:
  // The title in settings.json of a run with this output.
  static std::string title(const fs::path& output) {
    TrainerOptions options;
    options.output = output;
    fs::create_directories(output);
    const RunRecord record(options, {}, {});
    return nlohmann::json::parse(read_file(output / "settings.json")).at("title");
  }

  // Records refer to it.
  TrainerOptions options_ = [this] {
    TrainerOptions options;
    options.output = scratch();
    options.log_interval = 1;
    return options;
  }();

  static reporting::UpdateStats stats(int64_t update) {
    return {.update = update,
            .epoch = 0.25 * static_cast<double>(update),
            .loss = 3.0,
            .tokens = 10,
            .seconds = 0.5};
  }

  static int occurrences(const std::string& part, const std::string& text) {
    int count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
  }
};

TEST_F(RunRecordTest, TheTitleIsTheNameOfTheDirectory) {
  EXPECT_EQ(title(scratch() / "run"), "run");
  EXPECT_EQ(title(scratch() / "run" / ""), "run");
  EXPECT_EQ(title(scratch() / "run" / "."), "run");
  EXPECT_EQ(title(scratch() / "bad\xFF"), "bad\uFFFD");
}

// Settings as they are now, with what a resumed run has changed.
TEST_F(RunRecordTest, SettingsNameEarlierValuesAndThreads) {
  TrainingState state;
  state.threads = 3;
  for (const auto& [update, was] : {std::pair(7, "100"), std::pair(9, "50")})
    state.changes.push_back({{"update", update}, {"option", "valid-interval"}, {"was", was}});
  const RunRecord record(options_, {{"valid-interval", "20"}}, state);
  EXPECT_EQ(nlohmann::json::parse(read_file(scratch() / "settings.json")).at("settings"),
            nlohmann::json(
                {{"valid-interval", "20"},
                 {"threads", "3"},
                 {"earlier values", {{"valid-interval", "100 to update 7, 50 to update 9"}}}}));
}

TEST_F(RunRecordTest, TheRecordSaysWhatRunsWhereAndSinceWhen) {
  const auto record_of = [&](const TrainingState& state) {
    options_.defaulted = {"seed"};
    const RunRecord record(options_, {{"seed", "1"}}, state,
                           {.parameters = 12, .data = "3 sentence pairs"});
    return nlohmann::json::parse(read_file(scratch() / "settings.json"));
  };
  nlohmann::json first = record_of({});
  EXPECT_EQ(first.at("defaults"), nlohmann::json({"seed"}));
  EXPECT_EQ(first.at("run").at("parameters"), 12);
  EXPECT_EQ(first.at("run").at("training data"), "3 sentence pairs");
  EXPECT_THAT(first.at("run").at("version"), HasSubstr("dietmt "));
  EXPECT_THAT(first.at("run").at("machine"), HasSubstr(" cores"));

  first["run"]["started"] = "long ago";
  write("settings.json", first.dump());
  TrainingState resumed;
  resumed.update = 1;
  EXPECT_EQ(record_of(resumed).at("run").at("started"), "long ago");
  EXPECT_NE(record_of({}).at("run").at("started"), "long ago");
}

TEST_F(RunRecordTest, DropsTheEntriesOfAnAbandonedContinuation) {
  for (const int64_t resumed_from : {0, 2}) {
    TrainingState state;
    state.update = resumed_from;
    RunRecord record(options_, {}, state);
    for (int64_t update = resumed_from + 1; update <= 3; ++update) record.update(stats(update));
    record.validation(3, 0.1, {{"valid_loss", resumed_from == 0 ? 9.0 : 2.0}});
    record.finish();
  }
  std::vector<std::pair<std::string, int64_t>> entries;
  for (const auto& entry : reporting::read_progress(scratch() / "progress.jsonl"))
    entries.emplace_back(entry.at("kind"), entry.at("update"));
  EXPECT_THAT(entries,
              ElementsAre(Pair("train", 1), Pair("train", 2), Pair("train", 3), Pair("valid", 3)));
  EXPECT_EQ(occurrences("\n", read_file(scratch() / "progress.csv")), 1 + 4);
  EXPECT_THAT(read_file(scratch() / "report.html"), HasSubstr("2.0000"));
}

TEST_F(RunRecordTest, TheFirstLimitIsTheLastUpdate) {
  if (reporting::stderr_is_terminal()) GTEST_SKIP() << "stderr is a terminal: it gets the bar";
  // An update is a quarter of an epoch.
  for (const auto& [updates, epochs, last] :
       {std::tuple(30, 0, "/30 "), std::tuple(30, 5, "/20 "), std::tuple(10, 5, "/10 ")}) {
    options_.max_updates = updates;
    options_.max_epochs = epochs;
    const LogCapture log;
    RunRecord(options_, {}, {}).update(stats(1));
    EXPECT_THAT(log.text(), AllOf(HasSubstr(std::string("update 1") + last),
                                  Not(HasSubstr("epochs of this text"))));
  }
}

TEST_F(RunRecordTest, WarnsOnceOfManyEpochs) {
  options_.max_updates = 4000;  // of a quarter of an epoch
  const LogCapture log;
  RunRecord record(options_, {}, {});
  record.update(stats(1));
  record.update(stats(2));
  EXPECT_EQ(occurrences("--max-updates 4000 is 1000 epochs of this text", log.text()), 1);
}

// Validations come before checkpoints, which must be saved.
TEST_F(RunRecordTest, CurvesThatCannotBeWrittenDoNotEndTheTraining) {
  const fs::path report = scratch() / "report.html";
  fs::create_directory(report);
  const LogCapture log;
  RunRecord record(options_, {}, {});
  record.validation(1, 0.1, {{"valid_loss", 2.0}});
  record.validation(2, 0.1, {{"valid_loss", 1.5}});
  EXPECT_EQ(occurrences("the curves are not written: ", log.text()), 1) << log.text();
  EXPECT_THAT(log.text(), HasSubstr("report.html"));
  fs::remove(report);
  record.finish();
  EXPECT_THAT(read_file(report), HasSubstr("1.5000"));
  fs::remove(report);
  fs::create_directory(report);
  record.finish();
  EXPECT_EQ(occurrences("the curves are not written: ", log.text()), 2) << "after a good one";
}

}  // namespace
}  // namespace dietmt::training
