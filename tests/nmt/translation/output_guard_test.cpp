#include "nmt/translation/output_guard.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/nmt/translation/no_decoder.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;

const LoadedDecoder& guarded_model() {
  static const auto model = model_without_decoder<data::CharacterSubwords>(100, 100);
  return model;
}

const data::Tokenizer& tokenizer() { return *guarded_model().target_tokenizer; }

TranslationRequest request(const std::string& text) {
  TranslationRequest made;
  made.source = tokenizer().encode(text);
  made.source.push_back(2);
  return made;
}

NBest nbest_of(const std::string& text) {
  Hypothesis best;
  best.ids = tokenizer().encode(text);
  return {best};
}

std::string text_of(const NBest& found) { return tokenizer().decode(found.front().ids); }

// The sign of one translation, without a second search.
Degeneration sign(const std::string& source, const std::string& target) {
  const TranslationRequest one = request(source);
  std::vector<NBest> all{nbest_of(target)};
  return guard_output(Guard::kReport, guarded_model(), {&one, 1}, {}, nullptr, all)[0].sign;
}

TEST(OutputGuardTest, SignsThatNeedTheText) {
  EXPECT_EQ(sign("UF", "UFFUFFUFF"), Degeneration::kRepetition);
  EXPECT_EQ(sign("dog", "Hund Hund "), Degeneration::kRepetition);
  EXPECT_EQ(sign("$ 1M", "$ 10000000"), Degeneration::kNone) << "a number";
  EXPECT_EQ(sign("dog", " "), Degeneration::kEmpty);
  EXPECT_EQ(sign("dog", "Hund"), Degeneration::kNone);
  EXPECT_EQ(sign(std::string(80, 'a') + "bcd", "x"), Degeneration::kTooShort);
}

// OpenNMT's models read no end of sentence after a source.
TEST(OutputGuardTest, AllTokensOfASourceWithoutAnEndCount) {
  struct SourcesWithoutEnd : data::CharacterSubwords {
    std::vector<int32_t> source_ending() const override { return {}; }
  };
  LoadedDecoder endless = guarded_model();
  endless.source_tokenizer = data::fake_tokenizer<SourcesWithoutEnd>();
  TranslationRequest one = request("ab");
  one.source.pop_back();
  const auto sign_of = [&](const std::string& target) {
    std::vector<NBest> all{nbest_of(target)};
    return guard_output(Guard::kReport, endless, {&one, 1}, {}, nullptr, all)[0].sign;
  };
  EXPECT_EQ(sign_of("xyz"), Degeneration::kNone);
  one.source = tokenizer().encode("x");
  EXPECT_EQ(sign_of(""), Degeneration::kEmpty);
}

TEST(OutputGuardTest, ASecondSearchTakesCareOfEachSign) {
  const std::string article = "a text of many words that is translated by one letter only";
  const std::vector<TranslationRequest> requests{request("dog"), request(article), request("ok"),
                                                 request("cat")};
  std::vector<NBest> all{nbest_of("Hund Hund Hund "), nbest_of("x"), nbest_of("gut"),
                         nbest_of("KaKaKa")};
  std::vector<std::pair<int64_t, int64_t>> searches;
  const SecondSearch again = [&](const std::vector<TranslationRequest>& some,
                                 const SearchOptions& search) {
    searches.emplace_back(search.no_repeat_ngram, search.min_length);
    std::vector<NBest> second;
    for (const TranslationRequest& one : some)
      second.push_back(one.source == requests[3].source ? nbest_of("KaKaKa") : nbest_of("besser"));
    return second;
  };
  SearchOptions search;
  search.no_repeat_ngram = 4;
  const auto outcomes = guard_output(Guard::kRetry, guarded_model(), requests, search, again, all);
  EXPECT_EQ(text_of(all[0]), "besser");
  EXPECT_EQ(text_of(all[1]), "x") << "still too short";
  EXPECT_EQ(text_of(all[2]), "gut");
  EXPECT_EQ(text_of(all[3]), "KaKaKa") << "still repeats itself";
  EXPECT_EQ(guard_warning(outcomes[0]),
            "a translation repeats itself; it was replaced by another one");
  EXPECT_EQ(guard_warning(outcomes[1]), "a translation is too short");
  EXPECT_EQ(outcomes[2].sign, Degeneration::kNone);
  EXPECT_FALSE(outcomes[3].replaced);
  EXPECT_THAT(searches, ElementsAre(std::pair(2, 1), std::pair(3, 1), std::pair(3, 13)));
}

TEST(OutputGuardTest, WithoutASecondTranslationTheFirstStays) {
  const TranslationRequest one = request("dog");
  std::vector<NBest> all{nbest_of("")};
  const SecondSearch none = [](const auto&, const auto&) { return std::vector<NBest>(); };
  const auto outcomes = guard_output(Guard::kRetry, guarded_model(), {&one, 1}, {}, none, all);
  EXPECT_EQ(outcomes[0].sign, Degeneration::kEmpty);
  EXPECT_FALSE(outcomes[0].replaced);
  EXPECT_EQ(guard_output(Guard::kOff, guarded_model(), {&one, 1}, {}, none, all)[0].sign,
            Degeneration::kNone);
}

TEST(OutputGuardTest, UnknownNamesAreRefused) {
  EXPECT_EQ(guard_from_name("report"), Guard::kReport);
  EXPECT_THROW(guard_from_name("on"), ConfigError);
}

}  // namespace
}  // namespace dietmt::nmt
