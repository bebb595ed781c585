#include "reporting/progress.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "reporting/event_file.h"
#include "reporting/progress_bar.h"
#include "tests/common/log_capture.h"
#include "tests/common/test_directory.h"

namespace dietmt::reporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

UpdateStats stats_of(int64_t update, double loss = 2.0, int64_t tokens = 100) {
  return {.update = update,
          .last = 100,
          .epoch = 0.5,
          .loss = loss,
          .tokens = tokens,
          .seconds = 0.5,
          .learning_rate = 1e-3,
          .gradient_norm = 1.5};
}

ProgressOptions options_of(const fs::path& output) {
  return {.output = output, .log_interval = 10, .event_files = false};
}

std::vector<int64_t> updates_in(const fs::path& path, const std::string& kind) {
  std::vector<int64_t> updates;
  for (const auto& entry : read_progress(path)) {
    if (entry.at("kind") == kind) updates.push_back(entry.at("update"));
  }
  return updates;
}

TEST(Progress, WritesOneEntryAnInterval) {
  const TestDirectory directory;
  {
    Progress progress(options_of(directory.path()), 0);
    for (int64_t update = 1; update <= 25; ++update) {
      progress.update(stats_of(update, /*loss=*/update <= 5 ? 4.0 : 2.0, update <= 5 ? 300 : 100));
    }
    progress.validation({.update = 25, .scores = {{"valid_loss", 2.5}, {"bleu", std::nan("")}}});
  }
  const fs::path path = directory / "progress.jsonl";
  EXPECT_THAT(updates_in(path, "train"), ElementsAre(10, 20, 25));
  EXPECT_THAT(updates_in(path, "valid"), ElementsAre(25));
  const auto first = read_progress(path).front();
  EXPECT_DOUBLE_EQ(first.at("loss"), (5 * 300 * 4.0 + 5 * 100 * 2.0) / 2000);  // by tokens
  EXPECT_DOUBLE_EQ(first.at("tokens_per_second"), 400);
  EXPECT_GT(first.at("peak_memory_mb"), 1);
  EXPECT_DOUBLE_EQ(first.at("seconds"), 5);
  const auto valid = read_progress(path).at(2);
  EXPECT_DOUBLE_EQ(valid.at("valid_loss"), 2.5);
  EXPECT_TRUE(valid.at("bleu").is_null());
}

TEST(Progress, SecondsHaveFractions) {
  const TestDirectory directory;
  {
    Progress progress(options_of(directory.path()), 0);
    for (int64_t update = 1; update <= 11; ++update) progress.update(stats_of(update));
  }
  EXPECT_DOUBLE_EQ(read_progress(directory / "progress.jsonl").back().at("seconds"), 5.5);
}

TEST(Progress, ResumingRemovesLaterEntries) {
  const TestDirectory directory;
  const fs::path path = directory / "progress.jsonl";
  {
    Progress progress(options_of(directory.path()), 0);
    for (int64_t update = 1; update <= 50; ++update) progress.update(stats_of(update));
    progress.validation({.update = 50, .scores = {{"bleu", 7}}});
  }
  const std::string before = read_file(path);
  write_text(path, before + "{\"kind\":\"train\",\"upd");  // torn by a crash
  {
    Progress progress(options_of(directory.path()), 30);
    EXPECT_THAT(updates_in(path, "train"), ElementsAre(10, 20, 30));
    EXPECT_TRUE(before.starts_with(read_file(path)));
    for (int64_t update = 31; update <= 50; ++update) progress.update(stats_of(update));
  }
  EXPECT_THAT(updates_in(path, "train"), ElementsAre(10, 20, 30, 40, 50));
  EXPECT_THAT(updates_in(path, "valid"), ElementsAre());
  EXPECT_DOUBLE_EQ(read_progress(path).back().at("seconds"), 25);  // over both runs
}

TEST(Progress, ANewRunStartsAnEmptyRecord) {
  const TestDirectory directory;
  write_text(directory / "progress.jsonl", "{\"kind\":\"train\",\"update\":0}\n");
  const Progress progress(options_of(directory.path()), 0);
  EXPECT_EQ(read_file(directory / "progress.jsonl"), "");
}

TEST(Progress, AFullDiskDropsWholeLinesOnly) {
  const TestDirectory directory;
  const fs::path path = directory / "progress.jsonl";
  Progress progress(options_of(directory.path()), 0);
  for (int64_t update = 10; update <= 30; update += 10) progress.update(stats_of(update));
  {
    const FileSizeLimit limit(fs::file_size(path) + 20);
    progress.update(stats_of(40));
  }
  EXPECT_EQ(read_file(path).back(), '\n');
  progress.update(stats_of(50));
  EXPECT_THAT(updates_in(path, "train"), ElementsAre(10, 20, 30, 50));
}

TEST(Progress, WritesEventFiles) {
  const TestDirectory directory;
  ProgressOptions options = options_of(directory.path());
  options.event_files = true;
  {
    Progress progress(options, 0);
    progress.update(stats_of(10));
  }
  std::string bytes;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    if (entry.path().filename().string().starts_with("events.")) bytes = read_file(entry.path());
  }
  EXPECT_THAT(bytes, HasSubstr("train/loss"));
  EXPECT_THAT(bytes, HasSubstr("train/learning_rate"));
}

TEST(ProgressTable, HasAColumnForEachName) {
  const auto entries = {
      nlohmann::ordered_json({{"kind", "train"}, {"update", 50}, {"loss", 4.25}}),
      nlohmann::ordered_json({{"kind", "valid"}, {"update", 50}, {"bleu", 12.5}}),
      nlohmann::ordered_json({{"kind", "train"}, {"update", 100}, {"loss", nullptr}})};
  EXPECT_EQ(progress_table(entries),
            "kind,update,loss,bleu\ntrain,50,4.25,\nvalid,50,,12.5\ntrain,100,,\n");
}

TEST(ProgressTable, QuotesFieldsWithCommasAndQuotes) {
  const auto entries = {nlohmann::ordered_json({{"kind", "a \"b\""}, {"accuracy_a,b", 4}}),
                        nlohmann::ordered_json({{"kind", "two\nlines"}})};
  EXPECT_EQ(progress_table(entries), "kind,\"accuracy_a,b\"\n\"a \"\"b\"\"\",4\n\"two\nlines\",\n");
}

TEST(Progress, ANameThatIsNotUtf8DoesNotEndTheTraining) {
  const TestDirectory directory;
  Progress progress(options_of(directory.path()), 0);
  EXPECT_NO_THROW(progress.validation({.update = 5, .scores = {{"accuracy_\xff", 1.0}}}));
  progress.validation({.update = 10, .scores = {{"accuracy", 2.0}}});
  EXPECT_THAT(updates_in(directory / "progress.jsonl", "valid"), ElementsAre(10));
}

TEST(Progress, AFullDiskLeavesWholeEvents) {
  const TestDirectory directory;
  const auto path = [&] {
    for (const auto& entry : fs::directory_iterator(directory.path()))
      if (entry.path().filename().string().starts_with("events.")) return entry.path();
    return fs::path();
  };
  EventFile events(directory.path(), 0);
  events.add_scalar("before", 1, 1.0);
  const auto size = fs::file_size(path());
  {
    const FileSizeLimit limit(size + 20);
    EXPECT_THROW(events.add_scalar("lost", 2, 1.0), Error);
  }
  EXPECT_EQ(fs::file_size(path()), size);
}

TEST(Progress, LogsPlainLinesWhereThereIsNoTerminal) {
  if (stderr_is_terminal()) GTEST_SKIP() << "stderr is a terminal: it gets the bar";
  const LogCapture log;
  Progress progress({.output = {}, .log_interval = 10}, 0);
  progress.update(stats_of(10));
  progress.validation({.update = 10, .seconds = 65, .scores = {{"bleu", 12.345}}});
  EXPECT_THAT(log.text(), HasSubstr("update 10/100"));
  EXPECT_THAT(log.text(), HasSubstr("loss 2.000"));
  EXPECT_THAT(log.text(), HasSubstr("200 tokens/s"));
  EXPECT_THAT(log.text(), HasSubstr("bleu 12.35"));
  EXPECT_THAT(log.text(), HasSubstr("1m05s"));
  EXPECT_THAT(log.text(), testing::Not(HasSubstr("\r")));
}

TEST(ProgressBar, FitsItsLine) {
  EXPECT_EQ(bar_text(50, 100, "loss 2.0", 75, 80),
            "[===============>              ] 50% 50/100  loss 2.0  1m15s left");
  EXPECT_EQ(bar_text(50, 0, "loss 2.0", -1, 80), "50  loss 2.0");
  for (const int columns : {0, 1, 10, 30, 45, 200}) {
    EXPECT_LT(bar_text(7, 9, "details", 4000, columns).size(), static_cast<size_t>(columns) + 1);
  }
  EXPECT_THAT(bar_text(9, 9, "", 0, 80), HasSubstr("[==============================] 100% 9/9"));
}

TEST(ProgressBar, DurationsAreShort) {
  EXPECT_EQ(duration_text(0.4), "0s");
  EXPECT_EQ(duration_text(59.7), "1m00s");
  EXPECT_EQ(duration_text(3599), "59m59s");
  EXPECT_EQ(duration_text(3 * 3600 + 5 * 60), "3h05m");
  EXPECT_EQ(duration_text(-5), "0s");
}

}  // namespace
}  // namespace dietmt::reporting
