#include "training/loop/run_record.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/files.h"
#include "tests/common/scratch.h"

namespace dietmt::training {
namespace {

namespace fs = std::filesystem;

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
};

TEST_F(RunRecordTest, TheTitleIsTheNameOfTheDirectory) {
  EXPECT_EQ(title(scratch() / "run"), "run");
  EXPECT_EQ(title(scratch() / "run" / ""), "run");
  EXPECT_EQ(title(scratch() / "run" / "."), "run");
  EXPECT_EQ(title(scratch() / "bad\xFF"), "bad\uFFFD");
}

// Validations come before checkpoints, which must be saved.
TEST_F(RunRecordTest, CurvesThatCannotBeWrittenDoNotEndTheTraining) {
  TrainerOptions options;
  options.output = scratch();
  fs::create_directory(scratch() / "report.html");
  RunRecord record(options, {}, {});
  EXPECT_NO_THROW(record.validation(1, 0.1, {{"valid_loss", 2.0}}));
  EXPECT_NO_THROW(record.finish());
}

}  // namespace
}  // namespace dietmt::training
