#include "nmt/translation/kept_text.h"

#include <gmock/gmock.h>

#include "tests/nmt/translation/no_decoder.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const LoadedDecoder& kept_model() {
  static const auto model = model_without_decoder<data::CharacterSubwords>(100, 100);
  return model;
}

NBest found(const std::string& text) {
  Hypothesis best;
  best.ids = kept_model().target_tokenizer->encode(text);
  best.token_scores.assign(best.ids.size() + 1, -0.5F);
  return {best};
}

struct Outcome {
  std::vector<std::string> texts;     // translations
  std::vector<std::string> searched;  // sources of the second search
  bool aligned = false;
};

// Lines whose first translations are `first`, and whose second ones would be `second`.
Outcome kept(const std::vector<std::string>& sources, const std::vector<std::string>& first,
             const std::string& second, KeptKinds keep = KeptKinds::plain()) {
  LineCoder coder(kept_model(), {}, {.keep = keep});
  std::vector<LineRequest> lines;
  std::vector<std::vector<LineResult>> results;
  for (size_t i = 0; i < sources.size(); ++i) {
    lines.push_back(coder.prepare(sources[i]));
    results.push_back(coder.finish(lines[i], found(first[i])));
  }
  std::vector<TranslatedPair> pairs;
  for (size_t i = 0; i < lines.size(); ++i) pairs.push_back({&lines[i], &results[i]});
  Outcome made;
  keep_text(coder, pairs, {},
            [&](const std::vector<TranslationRequest>& some, const SearchOptions& search) {
              made.aligned = search.alignment;
              std::vector<NBest> all;
              for (const TranslationRequest& one : some) {
                const std::span<const int32_t> text(one.source.data(), one.source.size() - 1);
                made.searched.push_back(kept_model().source_tokenizer->decode(text));
                if (!second.empty()) all.push_back(found(second));
              }
              return all;
            });
  for (const auto& result : results) made.texts.push_back(result.front().text);
  return made;
}

TEST(KeptTextTest, OnlyWhatWasLostIsTranslatedAgain) {
  const Outcome made = kept({"ask me@b.org", "ask @anna_b", "ask me"},
                            {"frag me@b.org", "frag nach anna", "frag mich"}, "frag");
  EXPECT_THAT(made.searched, ElementsAre("ask "));
  EXPECT_TRUE(made.aligned);
  EXPECT_THAT(made.texts, ElementsAre("frag me@b.org", "frag @anna_b", "frag mich"));
}

TEST(KeptTextTest, WhatTheSecondTranslationLosesIsTakenOutOfTheThird) {
  const Outcome made = kept({"ask @anna_b in {0}"}, {"frag in {0}"}, "frag in");
  EXPECT_THAT(made.searched, ElementsAre("ask in {0}", "ask in"));
  EXPECT_THAT(made.texts.front(),
              testing::AllOf(testing::HasSubstr("@anna_b"), testing::HasSubstr("{0}")));
}

TEST(KeptTextTest, SymbolsAndWhatTheVocabularyLacksSurvive) {
  const Outcome made =
      kept({"hi \U0001F600 ann", "see # now"}, {"oh anna", "sieh jetzt"}, "oh anna");
  EXPECT_THAT(made.searched, ElementsAre("hi ann", "see now"));
  EXPECT_THAT(made.texts, ElementsAre("oh \U0001F600 anna", "oh # anna"));
  EXPECT_THAT(kept({"see # now"}, {"sieh jetzt"}, "oh", Kept::kSymbols).searched, IsEmpty());
}

TEST(KeptTextTest, SymbolsInsideKnownWordsNeedNoSecondTranslation) {
  const Outcome made = kept({"10 m\u00B2 of"}, {"von 10 m2"}, "oh");
  EXPECT_THAT(made.searched, IsEmpty());
  EXPECT_THAT(made.texts, ElementsAre("von 10 m\u00B2"));
  EXPECT_THAT(kept({"10 m\u00B2 of"}, {"von 10 m2"}, "oh", Kept::kMentions).texts,
              ElementsAre("von 10 m2"));
}

TEST(KeptTextTest, EveryOccurrenceCounts) {
  const Outcome made = kept({"{0} of {0}"}, {"{0} von"}, "von");
  EXPECT_THAT(made.texts, ElementsAre("{0} von {0}"));
}

TEST(KeptTextTest, WithoutASecondTranslationTheFirstStays) {
  EXPECT_THAT(kept({"ask @anna_b"}, {"frag anna"}, "").texts, ElementsAre("frag anna"));
}

TEST(KeptTextTest, KindsCanBeTurnedOff) {
  const Outcome made = kept({"ask @anna_b"}, {"frag anna"}, "frag", Kept::kAddresses);
  EXPECT_THAT(made.searched, IsEmpty());
  EXPECT_THAT(made.texts, ElementsAre("frag anna"));
}

TEST(KeptTextTest, ALineOfNothingElseIsItsOwnTranslation) {
  LineCoder coder(kept_model(), {}, {.keep = KeptKinds::plain()});
  for (const std::string line : {"https://a.example/x", "README.md", "@anna_b #berlin", "`make`"}) {
    const LineRequest made = coder.prepare(line);
    EXPECT_FALSE(made.has_text) << line;
    EXPECT_EQ(coder.finish(made, NBest()).front().text, line);
  }
  EXPECT_TRUE(coder.prepare("**bold**").has_text);
}

TEST(KeptTextTest, MnemonicsGoToALetterOfTheTranslation) {
  LineCoder keeps(kept_model(), {}, {.keep = Kept::kMnemonics});
  LineCoder lets_go(kept_model(), {}, {.keep = Kept::kAddresses});
  const auto translated = [](LineCoder& coder, const std::string& text, const std::string& answer) {
    return coder.finish(coder.prepare(text), found(answer)).front().text;
  };
  EXPECT_EQ(keeps.prepare("Save &As").source, "Save As");
  EXPECT_EQ(translated(keeps, "&Open", "Anna oh"), "Anna &oh");
  EXPECT_EQ(translated(keeps, "_File", "Datei"), "_Datei");
  EXPECT_EQ(lets_go.prepare("Save &As").source, "Save &As");
  for (const std::string text :
       {"AT&T", "R&D &amp;", "snake_Case", "_One Two_", "a &b", "&Fish &Bar"})
    EXPECT_EQ(keeps.prepare(text).source, text);
}

}  // namespace
}  // namespace dietmt::nmt
