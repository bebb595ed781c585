// API keys that change while the server runs.
#include "service/api/api_keys.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <sstream>

#include "common/error.h"
#include "service/api/call.h"
#include "tests/common/scratch.h"

namespace dietmt::service {
namespace {

using std::filesystem::perms;
using testing::HasSubstr;

class ChangingApiKeysTest : public ScratchTest {
 protected:
  // What reading the file logs.
  static std::string logged(const std::function<void()>& act) {
    std::ostringstream text;
    const auto before = spdlog::default_logger();
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
    act();
    spdlog::set_default_logger(before);
    return text.str();
  }

  const ApiKeys::Clock::time_point start_{std::chrono::hours(1)};
};

TEST_F(ChangingApiKeysTest, TheFileIsReadAgain) {
  ApiKeys keys(write("keys", "old,leaver,0\nstays,reader,2\n"));
  keys.admit("stays", start_);
  keys.admit("stays", start_);
  write("keys", "stays,Reader,2,admin\nnew,joiner,0\n");
  keys.reload();
  EXPECT_NO_THROW(keys.admit("new", start_));
  EXPECT_THROW(keys.admit("old", start_), HttpError);
  EXPECT_THROW(keys.admit("stays", start_), HttpError) << "it has used up its requests";
  EXPECT_EQ(keys.name_of("stays"), "Reader");
  EXPECT_TRUE(keys.is_admin("stays"));
}

TEST_F(ChangingApiKeysTest, ABrokenFileLeavesTheOldKeys) {
  ApiKeys keys(write("keys", "old,leaver,0\n"));
  for (const char* broken : {"", "no commas\n"}) {
    write("keys", broken);
    EXPECT_THROW(keys.reload(), DataError);
    EXPECT_NO_THROW(keys.admit("old", start_));
  }
}

TEST_F(ChangingApiKeysTest, AFileThatEverybodyCanReadIsWarnedOf) {
  const std::string file = write("keys", "a,b,0\n");
  std::filesystem::permissions(file, perms::owner_read | perms::owner_write | perms::others_read);
  EXPECT_THAT(logged([&] { ApiKeys keys(file); }), HasSubstr(file + ": every user"));
  std::filesystem::permissions(file, perms::owner_read | perms::owner_write | perms::group_read);
  EXPECT_EQ(logged([&] { ApiKeys keys(file); }), "");
}

}  // namespace
}  // namespace dietmt::service
