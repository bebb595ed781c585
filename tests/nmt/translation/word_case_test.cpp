#include "nmt/translation/word_case.h"

#include <gmock/gmock.h>

#include "tests/common/cpu_cost.h"
#include "tests/data/fake_subwords.h"
#include "tests/nmt/alignment/aligned_words.h"

namespace dietmt::nmt {
namespace {

// One piece for a word that it knows, and for each character of the others.
class EmphasisWords : public data::CharacterSubwords {
 public:
  data::SpannedPieces encode_with_spans(std::string_view text) const override {
    for (const char* word : {"very", "warning", "do", "DO", "not", "NOT", "open", "us", "US", "it",
                             "ONLY", "only", "a", "unesc"})
      if (text == word) return {{5}, {{0, static_cast<int32_t>(text.size())}}};
    return CharacterSubwords::encode_with_spans(text);
  }
};

const data::Tokenizer& emphasis_tokenizer() {
  static const auto known = data::fake_tokenizer<EmphasisWords>();
  return *known;
}

// The words whose case is wanted.
std::vector<std::string> emphasis_in(const std::string& text, LineCase line = LineCase::kUsual) {
  const std::vector<WordCase> cases = cases_of_words(text, line, emphasis_tokenizer());
  const std::vector<data::TextSpan> words = words_of(text);
  std::vector<std::string> all;
  for (size_t i = 0; i < cases.size(); ++i)
    if (cases[i].wanted != LineCase::kUsual)
      all.push_back(text.substr(words[i].begin, words[i].end - words[i].begin));
  return all;
}

std::string restored(const std::string& source, const std::string& target,
                     const std::vector<size_t>& links, LineCase line = LineCase::kUsual) {
  std::vector<WordPair> pairs;
  for (size_t t = 0; t < links.size(); ++t)
    pairs.push_back({static_cast<int32_t>(links[t]), static_cast<int32_t>(t)});
  return in_case_of_words(target, pairs, cases_of_words(source, line, emphasis_tokenizer()));
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WordCaseTest, EmphasisIsFound) {
  EXPECT_THAT(emphasis_in("This is VERY good"), ElementsAre("VERY"));
  EXPECT_THAT(emphasis_in("WARNING: please (DO NOT OPEN!) it"),
              ElementsAre("WARNING:", "(DO", "NOT", "OPEN!)"));
  EXPECT_THAT(emphasis_in("this is VERY A VERY thing A"), ElementsAre("VERY", "A", "VERY"));
}

TEST(WordCaseTest, AcronymsAndNamesAreNoEmphasis) {
  for (const char* text :
       {"the US army and NATO", "it is NOT so", "know ONLY this", "a UNESCO site", "say VERY-2 now",
        "see $VERY or VERY_GOOD or <VERY> now", "I am", ""})
    EXPECT_THAT(emphasis_in(text), IsEmpty()) << text;
}

TEST(WordCaseTest, EmphasisIsTakenOut) {
  const auto usual = [](const std::string& text) {
    return without_emphasis(text, cases_of_words(text, LineCase::kUsual, emphasis_tokenizer()));
  };
  EXPECT_EQ(usual("WARNING: this is VERY (DO NOT OPEN) the US"),
            "Warning: this is very (do not open) the US");
}

TEST(WordCaseTest, AlignedWordsTakeIt) {
  EXPECT_EQ(restored("This is VERY good", "Das ist sehr, sehr gut", {0, 1, 2, 2, 3}),
            "Das ist SEHR, SEHR gut");
  EXPECT_EQ(restored("a VERY US", "die USA sehr schön", {1, 1, 1, 0}), "die USA sehr schön")
      << "nothing was lost";
  EXPECT_EQ(restored("WARNING: no", "Straße: über no", {0, 0, 1}), "STRAßE: ÜBER no");
  EXPECT_EQ(restored("This is VERY good", "", {}), "");
}

TEST(WordCaseTest, TitlesFollowTheirSource) {
  EXPECT_THAT(emphasis_in("How to Train Your Dog", LineCase::kTitle),
              ElementsAre("How", "Train", "Your", "Dog"));
  EXPECT_EQ(restored("How to Train Golden Dogs", "como treinar um cães de ouro", {0, 2, 1, 4, 3, 3},
                     LineCase::kTitle),
            "Como Treinar um Cães de Ouro");
  EXPECT_EQ(restored("How To Train Your Dogs", "como se treinar", {0, 1, 2}, LineCase::kTitle),
            "Como Se Treinar");
  EXPECT_EQ(restored("the Lord of many Rings", "o senhor de muitos anéis", {0, 1, 2, 3, 4},
                     LineCase::kTitle),
            "O Senhor de muitos Anéis");
}

TEST(WordCaseTest, LongLinesTakeTimeInProportion) {
  for (const char* part : {"VERY ", "A ", "very ", "Words Of Titles ", "VERY-", "("}) {
    const auto make = [&](size_t bytes) { return repeated(part, bytes); };
    const auto work = [](const std::string& text) {
      std::vector<WordPair> pairs(words_of(text).size());
      for (size_t i = 0; i < pairs.size(); ++i)
        pairs[i] = {static_cast<int32_t>(i), static_cast<int32_t>(i)};
      const std::vector<WordCase> cases =
          cases_of_words(text, LineCase::kUsual, emphasis_tokenizer());
      if (!cases.empty()) in_case_of_words(without_emphasis(text, cases), pairs, cases);
    };
    EXPECT_LE(cost_growth(100'000, make, work), kLinearGrowth) << part;
  }
}

}  // namespace
}  // namespace dietmt::nmt
