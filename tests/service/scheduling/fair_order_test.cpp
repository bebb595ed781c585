#include "service/scheduling/fair_order.h"

#include <gmock/gmock.h>

#include <map>

namespace dietmt::service {
namespace {

using testing::ElementsAre;

class FairOrderTest : public testing::Test {
 protected:
  // Hands out `count` items of load 1, which never end; returns how many turns each client had.
  std::map<std::string, int> turns(int count) {
    std::map<std::string, int> found;
    for (int i = 0; i < count; ++i) {
      ++found[order.next()];
      order.charge(1, false);
    }
    return found;
  }

  FairOrder<std::string> order{4};
};

TEST_F(FairOrderTest, ShortRequestsGetMostAndBatchJobsLeast) {
  order.add(Priority::kBatch, "", "batch");
  order.add(Priority::kLong, "", "long");
  order.add(Priority::kShort, "", "short");
  EXPECT_EQ(order.next(), "short");
  const auto found = turns(2100);
  EXPECT_NEAR(found.at("short"), 1600, 20);
  EXPECT_NEAR(found.at("long"), 400, 20);
  EXPECT_NEAR(found.at("batch"), 100, 20);
}

TEST_F(FairOrderTest, AShortRequestGoesFirstHoweverLongOthersWorked) {
  order.add(Priority::kLong, "", "long");
  turns(1000);
  order.add(Priority::kShort, "", "short");
  EXPECT_EQ(order.next(), "short");
}

TEST_F(FairOrderTest, ClientsShareAlikeHoweverManyRequestsTheyHave) {
  for (const char* name : {"a1", "a2", "a3"}) order.add(Priority::kLong, "a", name);
  order.add(Priority::kLong, "b", "b");
  const auto found = turns(600);
  EXPECT_NEAR(found.at("b"), 300, 5);
  EXPECT_NEAR(found.at("a1"), 100, 5);
}

TEST_F(FairOrderTest, ANewClientHasEarnedNothingByItsAbsence) {
  order.add(Priority::kLong, "a", "a");
  turns(1000);
  order.add(Priority::kLong, "b", "b");
  EXPECT_NEAR(turns(100).at("a"), 50, 2);
}

TEST_F(FairOrderTest, CostCountsNotTheNumberOfItems) {
  order.add(Priority::kShort, "a", "large");
  order.add(Priority::kShort, "b", "small");
  std::map<std::string, int> found;
  for (int i = 0; i < 110; ++i) {
    const std::string item = order.next();
    ++found[item];
    order.charge(item == "large" ? 10 : 1, false);
  }
  EXPECT_NEAR(found["small"], 100, 5);
}

TEST_F(FairOrderTest, ItemsLeaveWhenTheyAreDoneOrRemoved) {
  for (const char* name : {"a", "b", "c"}) order.add(Priority::kShort, "client", name);
  order.next();
  order.charge(1, true);
  EXPECT_THAT(order.items(), ElementsAre("b", "c"));
  order.remove("c");
  EXPECT_TRUE(order.has(Priority::kShort));
  EXPECT_FALSE(order.has(Priority::kLong));
  order.remove("b");
  EXPECT_TRUE(order.empty());
}

}  // namespace
}  // namespace dietmt::service
