#include "metrics/comparison/word_accuracy.h"

#include <gmock/gmock.h>

#include "tests/common/scratch.h"
#include "tests/metrics/comparison/compared_texts.h"

namespace dietmt::metrics {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class WordAccuracyTest : public ScratchTest {};

// "b" is there twice, the others once. The first system finds one b of two and adds an a.
TEST_F(WordAccuracyTest, IsF1OfTheWordsOfAFrequency) {
  const NumberedTexts texts = numbered({"a b", "b c"}, {{"a b a", "q"}, {"a b", "b c"}});
  const std::vector<WordAccuracy> all =
      accuracy_by_frequency(texts, frequencies_in_reference(texts));
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].frequency, "1");
  EXPECT_EQ(all[0].reference_words, 2);
  EXPECT_THAT(all[0].f1, ElementsAre(50.0, 100.0));  // P = R = 1/2
  EXPECT_EQ(all[1].frequency, "2");
  EXPECT_NEAR(all[1].f1[0], 200.0 / 3, 1e-9);  // P = 1, R = 1/2
}

TEST_F(WordAccuracyTest, TakesFrequenciesFromATrainingText) {
  const NumberedTexts texts = numbered({"a b c"}, {{"a b d"}});
  std::string training;
  for (int i = 0; i < 12; ++i) training += "a z\n";
  const std::vector<std::string> files{write("one", training), write("two", "b\nb b b b")};
  const std::vector<WordAccuracy> all =
      accuracy_by_frequency(texts, frequencies_in_files(texts, words_at_spaces, files));
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].frequency, "0");  // c
  EXPECT_THAT(all[0].f1, ElementsAre(0.0));
  EXPECT_EQ(all[1].frequency, "5–9");  // b
  EXPECT_EQ(all[2].frequency, "10–99");
  EXPECT_THAT(all[2].f1, ElementsAre(100.0));
}

}  // namespace
}  // namespace dietmt::metrics
