#include "common/logging.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "common/error.h"

namespace dietmt {
namespace {

using nlohmann::json;

// The messages of a test as lines of JSON.
class LoggingTest : public ::testing::Test {
 protected:
  LoggingTest() { logger_.set_formatter(json_log_formatter()); }

  json last() {
    logger_.flush();
    const json line = json::parse(lines_.str());
    lines_.str("");
    return line;
  }

  std::ostringstream lines_;
  spdlog::logger logger_{"test", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines_)};
};

TEST_F(LoggingTest, EveryMessageIsOneObjectOfJson) {
  logger_.warn("a \"quoted\"\nline, \xff and {} percent %v", 5);
  const json line = last();
  EXPECT_EQ(line["message"], "a \"quoted\"\nline, \xEF\xBF\xBD and 5 percent %v");
  EXPECT_EQ(line["level"], "warning");
  EXPECT_THAT(line["time"].get<std::string>(),
              testing::MatchesRegex("....-..-..T..:..:..[.]...[+-]..:.."));
  EXPECT_FALSE(line.contains("request"));
}

TEST_F(LoggingTest, AMessageNamesTheRequestOfItsThread) {
  {
    const LogRequest request("r-1");
    logger_.info("within");
    EXPECT_EQ(last()["request"], "r-1");
    LogRequest::set_user("newspaper");
    EXPECT_EQ(request.user(), "newspaper");
  }
  LogRequest::set_user("nobody");
  logger_.info("after");
  EXPECT_FALSE(last().contains("request"));
}

TEST(FatalErrorTest, EverySinkGetsItAndStderrOnce) {
  const auto before = spdlog::default_logger();
  std::ostringstream terminal, file;
  const auto first = std::make_shared<spdlog::sinks::ostream_sink_mt>(terminal);
  const auto second = std::make_shared<spdlog::sinks::ostream_sink_mt>(file);
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", spdlog::sinks_init_list{first, second}));
  ::testing::internal::CaptureStderr();
  set_log_format(LogFormat::kText);
  log_fatal_error("--beam is {}");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "error: --beam is {}\n");
  EXPECT_EQ(terminal.str(), "");
  EXPECT_THAT(file.str(), testing::EndsWith(" error: --beam is {}\n"));

  ::testing::internal::CaptureStderr();
  set_log_format(LogFormat::kJson);
  log_fatal_error("--port");
  set_log_format(LogFormat::kText);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(json::parse(terminal.str())["message"], "--port");
  EXPECT_EQ(json::parse(terminal.str())["level"], "error");
  spdlog::set_default_logger(before);
}

TEST(LogLevelTest, ItMovesInStepsAndStopsAtTheEnds) {
  const auto before = spdlog::get_level();
  spdlog::set_level(spdlog::level::info);
  change_log_level(1);
  EXPECT_EQ(spdlog::get_level(), spdlog::level::debug);
  for (int i = 0; i < 9; ++i) change_log_level(1);
  EXPECT_EQ(spdlog::get_level(), spdlog::level::trace);
  for (int i = 0; i < 9; ++i) change_log_level(-1);
  EXPECT_EQ(spdlog::get_level(), spdlog::level::err);
  spdlog::set_level(before);
}

}  // namespace
}  // namespace dietmt
