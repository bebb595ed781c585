#include "nmt/translation/line_case.h"

#include <gtest/gtest.h>

#include "tests/common/cpu_cost.h"
#include "tests/data/fake_subwords.h"

namespace dietmt::nmt {
namespace {

// One piece for a word that it knows, and for each character of the others.
class KnownWords : public data::CharacterSubwords {
 public:
  data::SpannedPieces encode_with_spans(std::string_view text) const override {
    for (const char* word : {"the", "dog", "NATO", "Paris", "runs", "in", "how", "to", "train"})
      if (text == word) return {{5}, {{0, static_cast<int32_t>(text.size())}}};
    if (text == "RUNS" || text == "Runs") return {{unknown()}, {{0, 4}}};
    return CharacterSubwords::encode_with_spans(text);
  }
};

std::string usual(const std::string& text) {
  static const auto tokenizer = data::fake_tokenizer<KnownWords>();
  return in_usual_case(text, *tokenizer);
}

TEST(LineCaseTest, IsDetected) {
  for (const char* text : {"THE DOG RUNS", "OK", "ПРИВЕТ, МИР! 12", "É-Ó", "A DOG"})
    EXPECT_EQ(case_of(text), LineCase::kCapitals) << text;
  for (const char* text :
       {"How To Train Your Dragon", "The Lord of the Great Rings", "Как Приручить Своего Дракона"})
    EXPECT_EQ(case_of(text), LineCase::kTitle) << text;
  for (const char* text :
       {"", "12:30", "A", "The dog runs.", "New York City", "He met John Smith in Paris today",
        "THE dog", "这是中文", "Der Hund jagt die Katze"})
    EXPECT_EQ(case_of(text), LineCase::kUsual) << text;
}

TEST(LineCaseTest, KnownNamesAndAcronymsStay) {
  EXPECT_EQ(usual("THE DOG RUNS IN PARIS, NATO!"), "the dog runs in Paris, NATO!");
  EXPECT_EQ(usual("How To Train The Dog In Paris"), "how to train the dog in Paris");
  EXPECT_EQ(usual("The US Train In Paris Runs"), "the US train in Paris runs");
  EXPECT_EQ(usual("I'M HERE, I"), "I'm here, I");
  EXPECT_EQ(usual("12 DOGS RUN"), "12 Dogs run");
  EXPECT_EQ(usual("USA"), "USA") << "no worse than Usa";
}

TEST(LineCaseTest, AllBytesKeepTheirPositions) {
  for (const std::string text : {"İSTANBUL ẞ ΣΑΣ", "ÀÉÎ ÕÜ ĲSSEL", "\U00010400\U00010401 ABC"})
    EXPECT_EQ(usual(text).size(), text.size()) << text;
}

TEST(LineCaseTest, IsRestored) {
  EXPECT_EQ(in_case("Der große Hund läuft.", LineCase::kCapitals), "DER GROSSE HUND LÄUFT.");
  EXPECT_EQ(in_case("o cão de ouro", LineCase::kTitle), "O cão de Ouro");
  EXPECT_EQ(in_case("\"eu quero um cachorro\"", LineCase::kTitle), "\"Eu Quero um Cachorro\"");
  EXPECT_EQ(in_case("ein Hund", LineCase::kUsual), "ein Hund");
  EXPECT_STREQ(case_name(LineCase::kCapitals), "capitals");
  EXPECT_STREQ(case_name(LineCase::kTitle), "title");
  EXPECT_STREQ(case_name(LineCase::kUsual), "");
}

TEST(LineCaseTest, LongLinesTakeTimeInProportion) {
  for (const char* part : {"AB ", "A", "İ", "Words Of Titles ", "12 ", "'"}) {
    const auto make = [&](size_t bytes) { return repeated(part, bytes); };
    const auto work = [](const std::string& text) { in_case(usual(text), case_of(text)); };
    EXPECT_LE(cost_growth(100'000, make, work), kLinearGrowth) << part;
  }
}

}  // namespace
}  // namespace dietmt::nmt
