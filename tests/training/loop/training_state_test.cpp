#include "training/loop/training_state.h"

#include <gmock/gmock.h>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/files.h"
#include "tests/common/scratch.h"

namespace dietmt::training {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Configuration kOptions = {{"seed", "1"}, {"valid-beam", "5"}, {"valid-interval", "100"}};

Configuration changed(const std::string& option, const std::string& value) {
  Configuration options = kOptions;
  options[option] = value;
  return options;
}

class TrainingStateTest : public ScratchTest {
 protected:
  TrainingStateTest() {
    TrainingState state;
    state.update = 7;
    state.validations_without_gain = 2;
    state.threads = 3;
    state.best_score = 1.5;
    state.divergence.check(1, 5.0, 1.0, 0.0);
    write_training_state(scratch(), state, {{"epoch", 3}}, kOptions);
  }

  TrainingState read(const Configuration& now, const std::vector<std::string>& accepted = {},
                     const std::string& metric = "valid_loss") {
    TrainingState state;
    TrainerOptions options;
    options.resume_changed = accepted;
    options.defaulted = {"norm-type"};
    options.valid_metric = metric;
    data_ = read_training_state(scratch(), state, now, options);
    return state;
  }

  std::string problem(const Configuration& now) {
    try {
      read(now);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  // The problem with `key` of the file replaced, or removed if the value is null.
  std::string problem_with(const std::string& key, const json& value) {
    const auto path = scratch() / kTrainingState;
    json values = json::parse(read_file(path));
    const json::json_pointer place(key);
    if (value.is_null())
      values[place.parent_pointer()].erase(place.back());
    else
      values[place] = value;
    write_file_atomically(path, values.dump());
    return problem(kOptions);
  }

  json data_;
};

TEST_F(TrainingStateTest, ComesBackAsItWasWritten) {
  const TrainingState state = read(kOptions);
  EXPECT_EQ(state.update, 7);
  EXPECT_EQ(state.validations_without_gain, 2);
  EXPECT_EQ(state.threads, 3);
  EXPECT_EQ(state.best_score, 1.5);
  EXPECT_EQ(state.divergence.state().at("first"), 5.0);
  EXPECT_TRUE(state.changes.empty());
  EXPECT_EQ(data_, json({{"epoch", 3}}));
}

TEST_F(TrainingStateTest, OtherOptionsAreRefusedUnlessTheyAreAccepted) {
  EXPECT_THAT(problem(changed("seed", "2")),
              AllOf(HasSubstr("--seed: was 1, is 2"), Not(HasSubstr("--resume-changed"))));
  EXPECT_THAT(problem(changed("valid-interval", "50")),
              AllOf(HasSubstr("--valid-interval: was 100, is 50"),
                    HasSubstr("--resume-changed valid-interval")));
  const TrainingState state = read(changed("valid-interval", "50"), {"valid-interval"});
  EXPECT_EQ(state.changes, json::parse(R"([{"update": 7, "option": "valid-interval", "was": "100",
                                            "is": "50"}])"));
  EXPECT_EQ(state.best_score, 1.5);
}

TEST_F(TrainingStateTest, YoungerOptionsAreNoDifferenceUnlessTheyAreGiven) {
  EXPECT_TRUE(read(changed("norm-type", "layer")).changes.empty());
  EXPECT_THAT(problem(changed("kv-heads", "2")), HasSubstr("--kv-heads: was unset, is 2"));
  Configuration without = kOptions;
  without.erase("seed");
  EXPECT_THAT(problem(without), HasSubstr("--seed: was 1, is unset"));
  EXPECT_THAT(problem(changed("seed", "")), HasSubstr("--seed: was 1, is empty"));
}

TEST_F(TrainingStateTest, ScoresOfAnotherKindStartAnew) {
  const TrainingState state = read(changed("valid-beam", "1"), {"valid-beam"}, "bleu");
  EXPECT_FALSE(state.best_score);
  EXPECT_EQ(state.validations_without_gain, 0);
  EXPECT_EQ(scores_after(state, "bleu"), 7);
  EXPECT_EQ(scores_after(state, "valid_loss"), 0);
}

TEST_F(TrainingStateTest, AChangeThatDoesNotTouchTheMetricKeepsTheScores) {
  for (const std::string option : {"valid-beam", "valid-interval"}) {
    const TrainingState state = read(changed(option, "1"), {option}, "valid_loss");
    EXPECT_EQ(state.best_score, 1.5);
    EXPECT_EQ(state.validations_without_gain, 2);
    EXPECT_EQ(scores_after(state, "valid_loss"), 0);
  }
}

TEST_F(TrainingStateTest, AWrongFieldIsNamed) {
  const std::string file = (scratch() / kTrainingState).string() + ": ";
  EXPECT_EQ(problem_with("/divergence/best", nullptr), file + "best is missing");
  EXPECT_EQ(problem_with("/update", "7"), file + "update is \"7\"; it must be a whole number");
  EXPECT_THAT(problem_with("/configuration", json::array()),
              StartsWith(file + "configuration is []; it must be an object"));
  write_file_atomically(scratch() / kTrainingState, "{");
  EXPECT_THAT(problem(kOptions), StartsWith(file + "is not valid JSON: parse error"));
}

}  // namespace
}  // namespace dietmt::training
