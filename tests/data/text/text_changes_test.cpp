#include "data/text/text_changes.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/common/cpu_cost.h"

namespace dietmt::data {
namespace {

TEST(TextChanges, CaseChangesExceptInWordsOfCode) {
  EXPECT_EQ(upper_cased("Die Straße, der Fluß: öffnen!"), "DIE STRASSE, DER FLUSS: ÖFFNEN!");
  EXPECT_EQ(lower_cased("Die ÖFFNUNG der BBC"), "die öffnung der bbc");
  EXPECT_EQ(title_cased("the \"old\" cat's ǆep 3rd house"), "The \"Old\" Cat's ǅep 3rd House");
  for (const char* text : {"%s <b>", "a@b.c me/you x_y", "", " "}) {
    EXPECT_EQ(upper_cased(text), text);
    EXPECT_EQ(title_cased(text), text);
  }
  EXPECT_EQ(upper_cased("open %s  now"), "OPEN %s  NOW");
  EXPECT_EQ(lower_cased("ΟΔΟΣ"), "οδος") << "the last sigma of a word";
}

TEST(TextChanges, ATypingErrorForEveryFortyCharacters) {
  const std::string text = "a big red house";
  std::map<size_t, int> lengths;
  std::set<std::string> made;
  for (uint64_t key = 0; key < 200; ++key) {
    Random random(key);
    const std::string changed = mistyped(text, random);
    EXPECT_TRUE(changed.starts_with("a big red ")) << "short words stay: " << changed;
    ++lengths[changed.size()];
    made.insert(changed);
    Random again(key);
    EXPECT_EQ(mistyped(text, again), changed);
  }
  EXPECT_EQ(lengths.size(), 3);
  EXPECT_EQ(made.count("a big red huose"), 1);
  Random random(1);
  EXPECT_EQ(mistyped("tea or 1234567", random), "tea or 1234567");
  EXPECT_EQ(mistyped("", random), "");
}

TEST(TextChanges, NoiseHasAllScripts) {
  std::set<char> first_bytes;
  for (uint64_t key = 0; key < 300; ++key) {
    Random random(key);
    const std::string text = noise(random);
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text.find('\n'), text.npos);
    first_bytes.insert(text.front());
  }
  EXPECT_GT(first_bytes.size(), 10U);
}

TEST(TextChanges, CostTimeInProportionToTheText) {
  for (const std::string word : {"a", "Straße ", "ΐ", "abcd"})
    EXPECT_LE(cost_growth(
                  20'000, [&](size_t size) { return repeated(word, size); },
                  [](const std::string& text) {
                    Random random(1);
                    upper_cased(text);
                    title_cased(text);
                    mistyped(text, random);
                  }),
              kLinearGrowth)
        << word;
}

}  // namespace
}  // namespace dietmt::data
