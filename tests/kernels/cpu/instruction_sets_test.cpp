#include "kernels/cpu/instruction_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "kernels/attention.h"
#include "kernels/bf16_layouts.h"
#include "kernels/packed_linear.h"
#include "kernels/rowwise.h"
#include "kernels/step_attention.h"

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

/// A folder's tables are in the order of the sets, and the first one runs everywhere.
template <typename Kernels>
void expect_ordered(std::span<const Kernels* const> tables) {
  const InstructionSet* last = nullptr;
  for (const Kernels* table : tables) {
    const InstructionSet* set = find_instruction_set(table->instruction_set);
    ASSERT_NE(set, nullptr);
    EXPECT_GT(set, last);
    last = set;
  }
  EXPECT_STREQ(tables.front()->instruction_set, "generic");
}

TEST(InstructionSetsTest, EveryFolderHasTheSetsInOrder) {
  expect_ordered(attention_tables());
  expect_ordered(layout_tables());
  expect_ordered(linear_tables());
  expect_ordered(row_tables());
  expect_ordered(step_tables());
}

/// The test program also runs under DIETMT_INSTRUCTION_SET=generic (CMakeLists.txt).
TEST(InstructionSetsTest, TheChoiceFollowsTheEnvironment) {
  const char* wanted = std::getenv("DIETMT_INSTRUCTION_SET");
  EXPECT_EQ(&chosen_instruction_set(), &choose_instruction_set(wanted));
  EXPECT_STREQ(linear_kernels().instruction_set, chosen_instruction_set().name);  // it has all sets
}

}  // namespace
}  // namespace dietmt::kernels
