#include "data/languages/scripts.h"

#include <gtest/gtest.h>

namespace dietmt::data {
namespace {

TEST(ScriptSetTest, TheShareOfLettersInTheScriptsOfALanguage) {
  EXPECT_DOUBLE_EQ(ScriptSet::of_language("ru").share_of("да abc да 1"), 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(ScriptSet::of_language("ja").share_of("日本のコーヒー"), 1.0);
  EXPECT_DOUBLE_EQ(ScriptSet::of_language("en").share_of("12 34!"), 0.0);
  EXPECT_TRUE(ScriptSet::of_language("nothing").empty());
}

TEST(ScriptSetTest, ScriptsByTheirNames) {
  EXPECT_DOUBLE_EQ(ScriptSet::named({"Latin", "Cyrl"})->share_of("да abc"), 1.0);
  EXPECT_FALSE(ScriptSet::named({"Latin", "Klingon"}).has_value());
}

}  // namespace
}  // namespace dietmt::data
