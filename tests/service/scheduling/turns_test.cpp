#include "service/scheduling/turns.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "service/scheduling/scheduling_errors.h"
#include "tests/common/soon.h"

namespace dietmt::service {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

constexpr size_t kLarge = 1 << 20;

class TurnsTest : public testing::Test {
 protected:
  ~TurnsTest() override { finish(); }

  // A request of `client` that waits for its turn and notes that it was called.
  void wait(const std::string& client, size_t bytes, bool is_batch = false) {
    const auto is_waiting = std::make_shared<std::atomic<bool>>(false);
    const auto look = [is_waiting] {
      *is_waiting = true;
      return false;
    };
    threads_.emplace_back([this, client, bytes, is_batch, look] {
      const auto turn =
          turns_.take(bytes, {.client_gone = look, .client = client, .is_batch = is_batch});
      called_.push_back(client);  // one at a time
    });
    ASSERT_TRUE(soon([&] { return is_waiting->load(); }));
  }

  std::vector<std::string> finish() {
    running_.reset();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return called_;
  }

  Turns turns_{1};
  std::optional<Turns::Turn> running_{turns_.take(kLarge, {})};
  std::vector<std::thread> threads_;
  std::vector<std::string> called_;
};

TEST_F(TurnsTest, NoClientWaitsForAllOfAnother) {
  for (int i = 0; i < 4; ++i) wait("flood", kLarge);
  for (int i = 0; i < 3; ++i) wait("other", kLarge);
  wait("last", kLarge);
  const std::vector<std::string> order = finish();
  ASSERT_EQ(order.size(), 8);
  EXPECT_LT(std::find(order.begin(), order.end(), "last") - order.begin(), 3);
  EXPECT_LT(std::find(order.begin(), order.end(), "other") - order.begin(), 3);
}

TEST_F(TurnsTest, SmallOnesComeFirstAndBatchJobsLast) {
  wait("batch", 10, true);
  wait("large", kLarge);
  wait("small", 10);
  EXPECT_THAT(finish(), ElementsAre("small", "large", "batch"));
}

TEST_F(TurnsTest, TheDeadlineAndAClientThatLeavesEndTheWait) {
  const auto now = std::chrono::steady_clock::now();
  EXPECT_THROW(turns_.take(1, {.deadline = now + 20ms}), DeadlineExceeded);
  EXPECT_THROW(turns_.take(1, {.client_gone = [] { return true; }}), ClientGone);
  wait("next", 1);  // those before it have left the queue
  EXPECT_THAT(finish(), ElementsAre("next"));
}

TEST_F(TurnsTest, SomeAreKeptForSmallOnes) {
  Turns turns(1, 1);
  auto large = std::optional(turns.take(kLarge, {}));
  EXPECT_THROW(turns.take(kLarge, {.deadline = {}}), DeadlineExceeded);
  {
    const auto small = turns.take(1, {});
    EXPECT_THROW(turns.take(1, {.deadline = {}}), DeadlineExceeded);
    large.reset();
    EXPECT_NO_THROW(turns.take(1, {.deadline = {}}));  // the other turn is for all
  }
  EXPECT_NO_THROW(turns.take(1, {.deadline = {}}));
  EXPECT_NO_THROW(turns.take(kLarge, {.deadline = {}}));
}

TEST_F(TurnsTest, SeveralAtOnce) {
  Turns two(2);
  const auto first = two.take(1, {});
  {
    const auto second = two.take(1, {});
    EXPECT_THROW(two.take(1, {.deadline = {}}), DeadlineExceeded);
  }
  EXPECT_NO_THROW(two.take(1, {.deadline = {}}));
}

}  // namespace
}  // namespace dietmt::service
