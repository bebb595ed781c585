// API keys that change while the server runs.
#include "service/api/api_keys.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "common/error.h"
#include "service/api/call.h"
#include "tests/common/scratch.h"

namespace dietmt::service {
namespace {

using std::filesystem::perms;
using testing::HasSubstr;

constexpr char kHere[] = "192.0.2.1";
constexpr char kElsewhere[] = "192.0.2.2";

// Keys are long; tests name them by their first characters.
std::string key(const std::string& name) { return name + std::string(16, '-'); }

// "STATUS Retry-After" of a refusal; "admitted" if there is none.
std::string outcome(ApiKeys& keys, const std::string& key, const std::string& address,
                    ApiKeys::Clock::time_point now) {
  try {
    keys.admit(key, address, now);
    return "admitted";
  } catch (const HttpError& error) {
    std::string text = std::to_string(error.status());
    for (const auto& [name, value] : error.headers())
      if (name == "Retry-After") text += " " + value;
    return text;
  }
}

class ApiKeysTest : public ScratchTest {
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

TEST_F(ApiKeysTest, KeysAreAskedForAndCounted) {
  ApiKeys keys(write("keys", "# a comment\n\n" + key("abc") + ", somebody, 2\n" + key("root") +
                                 ",operator,0, admin\n"));
  using std::chrono::seconds;
  EXPECT_EQ(outcome(keys, "", kHere, start_), "401");
  EXPECT_EQ(outcome(keys, "abc", kHere, start_), "403");
  EXPECT_EQ(outcome(keys, key("abc"), kHere, start_), "admitted");
  EXPECT_EQ(outcome(keys, key("abc"), kHere, start_), "admitted");
  EXPECT_EQ(outcome(keys, key("abc"), kHere, start_), "429 30");
  EXPECT_EQ(outcome(keys, key("abc"), kHere, start_ + seconds(31)), "admitted");
  EXPECT_EQ(outcome(keys, key("abc"), kHere, start_ + seconds(32)), "429 28");
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(outcome(keys, key("root"), kHere, start_), "admitted");
  EXPECT_EQ(keys.name_of(key("abc")), "somebody");
  EXPECT_EQ(keys.name_of("abc"), "");
  EXPECT_TRUE(keys.is_admin(key("root")));
  EXPECT_FALSE(keys.is_admin(key("abc")));
}

TEST_F(ApiKeysTest, AnAddressCannotTryKeysForLong) {
  ApiKeys keys(write("keys", key("used") + ",a,0\n" + key("new") + ",b,0\n"));
  EXPECT_EQ(outcome(keys, key("used"), kHere, start_), "admitted");
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(outcome(keys, key("no" + std::to_string(i)), kHere, start_), "403");
  EXPECT_EQ(outcome(keys, key("no"), kHere, start_), "429 6");
  EXPECT_EQ(outcome(keys, key("new"), kHere, start_), "429 6") << "a guess must not show";
  EXPECT_EQ(outcome(keys, key("used"), kHere, start_), "admitted") << "as behind a proxy";
  EXPECT_EQ(outcome(keys, key("new"), kElsewhere, start_), "admitted");
  EXPECT_EQ(outcome(keys, key("no"), kElsewhere, start_), "403");
  EXPECT_EQ(outcome(keys, key("no"), kHere, start_ + std::chrono::seconds(7)), "403");
  EXPECT_EQ(outcome(keys, key("no"), kHere, start_ + std::chrono::seconds(8)), "429 4");
  EXPECT_EQ(outcome(keys, key("new"), kHere, start_ + std::chrono::seconds(70)), "admitted");
}

TEST_F(ApiKeysTest, WithoutAFileEverybodyIsServed) {
  ApiKeys keys;
  keys.admit("", kHere);
  EXPECT_FALSE(keys.required());
  EXPECT_FALSE(keys.is_admin(""));
}

TEST_F(ApiKeysTest, BadLinesAreToldWithTheirPlace) {
  const std::string abc = key("abc");
  const std::string expected = "keys:2: expected `key, name, requests per minute[, admin]`";
  const auto problem = [&](const std::string& text) -> std::string {
    try {
      ApiKeys keys(write("keys", text));
      return "none";
    } catch (const DataError& error) {
      return error.what();
    }
  };
  for (const auto& [line, message] : std::map<std::string, std::string>{
           {abc + ", name", expected},
           {abc + ", name, many", expected},
           {abc + ", name, -1", expected},
           {abc + ", name, 1, root", expected},
           {abc + ", name, 1, admin, admin", expected},
           {",name,1", expected},
           {abc + ", , 1", expected},
           {abc + ", ok, 1", "keys:2: duplicate name 'ok'; jobs belong to a name"},
           {key("ok") + ", name, 1", "keys:2: duplicate key"}})
    EXPECT_THAT(problem(key("ok") + ", ok, 1\n" + line + "\n"), HasSubstr(message)) << line;
  EXPECT_THAT(problem("# nobody\n"), HasSubstr("keys: the file has no keys"));
}

TEST_F(ApiKeysTest, AKeyIsNotEasyToGuess) {
  EXPECT_NO_THROW(ApiKeys(write("keys", "0123456789abcdef,a,0\n")));
  try {
    ApiKeys keys(write("keys", "0123456789abcdef,a,0\n0123456789abcde,b,0\n"));
    ADD_FAILURE();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("keys:2: the key is shorter than 16 characters"));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("0123456789abcde"))) << "a log is no secret";
  }
}

TEST_F(ApiKeysTest, TheFileIsReadAgain) {
  ApiKeys keys(write("keys", key("old") + ",leaver,0\n" + key("stays") + ",reader,2\n"));
  keys.admit(key("stays"), kHere, start_);
  keys.admit(key("stays"), kHere, start_);
  write("keys", key("stays") + ",Reader,2,admin\n" + key("new") + ",joiner,0\n");
  keys.reload();
  EXPECT_NO_THROW(keys.admit(key("new"), kHere, start_));
  EXPECT_EQ(outcome(keys, key("stays"), kHere, start_), "429 30") << "its requests are used up";
  EXPECT_EQ(outcome(keys, key("old"), kHere, start_), "403");
  EXPECT_EQ(keys.name_of(key("stays")), "Reader");
  EXPECT_TRUE(keys.is_admin(key("stays")));
}

TEST_F(ApiKeysTest, ABrokenFileLeavesTheOldKeys) {
  ApiKeys keys(write("keys", key("old") + ",leaver,0\n"));
  for (const char* broken : {"", "no commas\n"}) {
    write("keys", broken);
    EXPECT_THROW(keys.reload(), DataError);
    EXPECT_NO_THROW(keys.admit(key("old"), kHere, start_));
  }
}

TEST_F(ApiKeysTest, AFileThatEverybodyCanReadIsWarnedOf) {
  const std::string file = write("keys", key("a") + ",b,0\n");
  std::filesystem::permissions(file, perms::owner_read | perms::owner_write | perms::others_read);
  EXPECT_THAT(logged([&] { ApiKeys keys(file); }), HasSubstr(file + ": every user"));
  std::filesystem::permissions(file, perms::owner_read | perms::owner_write | perms::group_read);
  EXPECT_EQ(logged([&] { ApiKeys keys(file); }), "");
}

TEST_F(ApiKeysTest, AnAddressHasRequestsWithoutAKeyAndAKeyItsOwn) {
  const ApiKeys::Clock::time_point now{};
  ApiKeys open(2);
  EXPECT_FALSE(open.has_keys());
  for (const char* expected : {"admitted", "admitted", "429 30"})
    EXPECT_EQ(outcome(open, "", kHere, now), expected);
  EXPECT_EQ(outcome(open, "any", kElsewhere, now), "admitted");
  EXPECT_EQ(outcome(open, "", kHere, now + std::chrono::seconds(31)), "admitted");
  ApiKeys both(write("keys", key("a") + ",user,3\n"), 1);
  EXPECT_FALSE(both.required());
  EXPECT_EQ(outcome(both, "", kHere, now), "admitted");
  EXPECT_EQ(outcome(both, "", kHere, now), "429 60");
  for (const char* expected : {"admitted", "admitted", "admitted", "429 20"})
    EXPECT_EQ(outcome(both, key("a"), kHere, now), expected);
  EXPECT_EQ(outcome(both, key("b"), kHere, now), "403");
}

}  // namespace
}  // namespace dietmt::service
