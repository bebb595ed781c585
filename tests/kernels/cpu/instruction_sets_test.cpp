#include "kernels/cpu/instruction_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "kernels/cpu/attention/levels.h"
#include "kernels/cpu/linear/levels.h"
#include "kernels/cpu/products/levels.h"
#include "kernels/cpu/rowwise/levels.h"
#include "kernels/cpu/step/levels.h"

namespace dietmt::kernels {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string error_of(const char* wanted) {
  try {
    choose_instruction_set(wanted);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(InstructionSetsTest, ChoosesTheBestThatRunsHere) {
  const InstructionSet& best = choose_instruction_set(nullptr);
  EXPECT_TRUE(best.runs_here);
  EXPECT_EQ(&choose_instruction_set(""), &best);
  for (const InstructionSet& set : instruction_sets())
    EXPECT_FALSE(set.runs_here && &set > &best) << set.name;
}

TEST(InstructionSetsTest, ChoosesTheOneAskedFor) {
  for (const InstructionSet& set : instruction_sets()) {
    if (set.runs_here) {
      EXPECT_EQ(&choose_instruction_set(set.name), &set);
    } else {
      EXPECT_THAT(error_of(set.name),
                  HasSubstr("this processor does not have '" + std::string(set.name) + "'"));
    }
  }
}

TEST(InstructionSetsTest, AnUnknownNameIsAnErrorThatListsTheOthers) {
  EXPECT_THAT(error_of("avx3"), AllOf(HasSubstr("DIETMT_INSTRUCTION_SET: unknown name 'avx3'"),
                                      HasSubstr("choose one of generic")));
}

/// A room's tables are in the order of the sets and have names from their list.
template <typename Kernels>
void expect_ordered(std::span<const Kernels> levels) {
  const InstructionSet* last = nullptr;
  for (const Kernels& level : levels) {
    ASSERT_NE(level.set, nullptr);
    EXPECT_GT(level.set, last);
    last = level.set;
  }
  EXPECT_STREQ(levels.front().set->name, "generic");
}

TEST(InstructionSetsTest, EveryRoomHasTheSetsInOrder) {
  expect_ordered(attention_levels());
  expect_ordered(layout_levels());
  expect_ordered(linear_levels());
  expect_ordered(rowwise_levels());
  expect_ordered(step_levels());
}

/// The test program also runs under DIETMT_INSTRUCTION_SET=generic (CMakeLists.txt).
TEST(InstructionSetsTest, TheChoiceFollowsTheEnvironment) {
  const char* wanted = std::getenv("DIETMT_INSTRUCTION_SET");
  EXPECT_EQ(&chosen_instruction_set(), &choose_instruction_set(wanted));
  const auto& level = best_level(linear_levels());
  EXPECT_EQ(level.set, &chosen_instruction_set());  // the room has all sets
}

}  // namespace
}  // namespace dietmt::kernels
