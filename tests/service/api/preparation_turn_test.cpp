// Long requests take turns; short ones, and those whose client is gone, do not wait.
#include "service/api/preparation_turn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <list>
#include <thread>

#include "service/api/fields.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;

constexpr size_t kLong = PreparationTurn::kLongBytes + 1;

Patience for_a_while(std::chrono::milliseconds time = 50ms) {
  return {.deadline = std::chrono::steady_clock::now() + time};
}

Call call_of(size_t bytes, std::function<bool()> client_gone) {
  Call call;
  call.content_type = "application/json";
  call.body = R"({"q": "a"})" + std::string(bytes, ' ');
  call.client_gone = std::move(client_gone);
  return call;
}

class PreparationTurnTest : public testing::Test {
 protected:
  PreparationTurnTest() {
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
      taken_.emplace_back(kLong, Patience());
  }

  std::list<PreparationTurn> taken_;  // one per core
};

TEST_F(PreparationTurnTest, ThereIsOneForEachCore) {
  EXPECT_THROW(PreparationTurn(kLong, for_a_while()), DeadlineExceeded);
  auto next = std::async(std::launch::async, [] { PreparationTurn(kLong, for_a_while(60s)); });
  EXPECT_EQ(next.wait_for(20ms), std::future_status::timeout);
  taken_.pop_back();
  next.get();
  EXPECT_NO_THROW(PreparationTurn(kLong, for_a_while()));
}

TEST_F(PreparationTurnTest, ShortTextsNeedNone) {
  EXPECT_NO_THROW(PreparationTurn(kLong - 1, for_a_while(0ms)));
}

TEST_F(PreparationTurnTest, WhoHasGoneDoesNotWait) {
  EXPECT_THROW(PreparationTurn(kLong, {.client_gone = [] { return true; }}), ClientGone);
}

TEST_F(PreparationTurnTest, LongBodiesAreParsedInTurn) {
  const auto gone = [] { return true; };
  EXPECT_EQ(Fields(call_of(0, gone)).text("q"), "a");
  EXPECT_THROW(Fields(call_of(kLong, gone)), ClientGone);
  Call late = call_of(kLong, nullptr);
  late.deadline = std::chrono::steady_clock::now() + 20ms;
  EXPECT_THROW(Fields{late}, DeadlineExceeded);
  taken_.pop_back();
  EXPECT_EQ(Fields(call_of(kLong, gone)).text("q"), "a");
}

}  // namespace
}  // namespace dietmt::service
