#include "service/api/call.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

using testing::HasSubstr;
using testing::Not;

// Captures the log during its lifetime.
class LogCapture {
 public:
  LogCapture() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
  }
  ~LogCapture() { spdlog::set_default_logger(before_); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  std::string text() const { return text_.str(); }

 private:
  const std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream text_;
};

template <typename Exception>
Answer answer_to(const Exception& exception) {
  return error_answer(std::make_exception_ptr(exception));
}

TEST(ErrorAnswerTest, AnInternalErrorGoesToTheLogAndNotToTheClient) {
  const LogCapture log;
  for (const Answer& answer : {answer_to(std::runtime_error("/srv/models/secret is unreadable")),
                               answer_to(CheckpointError("/srv/models/secret is unreadable"))}) {
    EXPECT_EQ(answer.status, 500);
    EXPECT_THAT(answer.body, HasSubstr("the request failed; the server's log says why"));
    EXPECT_THAT(answer.body, Not(HasSubstr("secret")));
    EXPECT_THAT(log.text(), HasSubstr("/srv/models/secret is unreadable"));
  }
}

TEST(ErrorAnswerTest, ErrorsOfTheClientKeepTheirText) {
  const LogCapture log;
  EXPECT_EQ(answer_to(HttpError(413, "too long")).status, 413);
  EXPECT_THAT(answer_to(HttpError(413, "too long")).body, HasSubstr("too long"));
  EXPECT_EQ(answer_to(RequestError("no such language")).status, 400);
  EXPECT_THAT(answer_to(RequestError("no such language")).body, HasSubstr("no such language"));
  EXPECT_EQ(answer_to(QueueFull("full", 3)).status, 429);
  EXPECT_EQ(answer_to(DeadlineExceeded("late")).status, 504);
  EXPECT_EQ(log.text(), "");
}

}  // namespace
}  // namespace dietmt::service
