#include "nmt/translation/line_sentences.h"

#include <gmock/gmock.h>

#include "nmt/translation/sentence_plan.h"
#include "tests/nmt/translation/no_decoder.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;

const LoadedDecoder& sentence_model() {
  static const auto model = model_without_decoder<data::CharacterSubwords>(20, 50);
  return model;
}

std::vector<std::string> sources(LineSentences& line) {
  std::vector<TranslationRequest> requests;
  line.take_requests(requests);
  std::vector<std::string> texts;
  for (TranslationRequest& one : requests) {
    one.source.pop_back();
    texts.push_back(sentence_model().source_tokenizer->decode(one.source));
  }
  return texts;
}

Hypothesis found_as(const std::string& text, double score) {
  Hypothesis found;
  found.ids = sentence_model().target_tokenizer->encode(text);
  found.token_scores.assign(found.ids.size() + 1, -0.5F);
  found.score = score;
  return found;
}

std::vector<LineResult> translated(const LineCoder& coder, LineSentences& line,
                                   const std::vector<NBest>& found) {
  size_t next = 0;
  line.finish(coder, found, std::vector<GuardOutcome>(found.size()), next);
  EXPECT_EQ(next, found.size());
  return line.take_joined();
}

std::string text_of(const std::vector<LineResult>& results) { return results.front().text; }

TEST(LineSentences, AreTranslatedOneByOne) {
  LineCoder coder(sentence_model(), {}, {.pieces = true});
  LineSentences line = prepare_sentences(coder, " A dog. 12!  Mr. B?  ", {.prefix = "E"}, "en");
  EXPECT_EQ(line.sentences[0].request.request.prefix, std::vector<int32_t>({'E'}));
  EXPECT_NE(line.sentences[0].request.request.index, line.sentences[2].request.request.index);
  EXPECT_THAT(sources(line), ElementsAre("A dog.", "Mr. B?"));
  const auto results = translated(
      coder, line, {{found_as("Ein Hund.", -1), found_as("Hund.", -2)}, {found_as("Herr B?", -3)}});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].text, "Ein Hund. 12!  Herr B?");
  EXPECT_EQ(results[1].text, "Hund. 12!  Herr B?");
  EXPECT_EQ(results[0].token_scores.size(), 18U);
  EXPECT_NEAR(results[0].score, (-1 * 10 - 3 * 8) / 18.0, 1e-9);
}

TEST(LineSentences, ALineOfOneSentenceIsAsBefore) {
  LineCoder coder(sentence_model(), {}, {});
  for (const std::string text : {"A dog.", " a ", "", "12:30"}) {
    LineSentences line = prepare_sentences(coder, text, {}, "en");
    const LineRequest plain = coder.prepare(text);
    ASSERT_EQ(line.sentences.size(), 1U);
    EXPECT_EQ(line.sentences[0].request.request.source, plain.request.source);
    EXPECT_EQ(line.sentences[0].request.untranslated, plain.untranslated);
  }
}

TEST(LineSentences, ALongLineIsSplitInsteadOfCut) {
  LineCoder coder(sentence_model(), {}, {});
  const std::string text = "The dog runs. The cat sleeps.";
  LineSentences line = prepare_sentences(coder, text, {}, std::nullopt);
  EXPECT_FALSE(line.was_cut());
  EXPECT_THAT(sources(line), ElementsAre("The dog runs.", "The cat sleeps."));
  LineSentences brief = prepare_sentences(coder, "A dog. A cat. A cow", {}, std::nullopt);
  EXPECT_THAT(sources(brief), ElementsAre("A dog. A cat. A cow"));
  LineSentences one = prepare_sentences(coder, std::string(40, 'a'), {}, std::nullopt);
  EXPECT_TRUE(one.was_cut());
  LineCoder aligning(sentence_model(), {.alignment = true}, {.alignment = AlignmentKind::kHard});
  EXPECT_TRUE(prepare_sentences(aligning, text, {}, std::nullopt).was_cut())
      << "an alignment is that of one sentence";
}

TEST(LineSentences, MarkupStaysInItsSentence) {
  LineCoder coder(sentence_model(), {.alignment = true}, {.markup = true});
  LineSentences line = prepare_sentences(coder, "<b>A dog.</b> B {0} c.", {}, "en");
  EXPECT_THAT(sources(line), ElementsAre("A dog.", "B c."));
  EXPECT_EQ(text_of(translated(coder, line, {{found_as("Hund.", -1)}, {found_as("B c.", -1)}})),
            "<b>Hund.</b> B {0} c.");
}

TEST(LineSentences, ReportTheGuard) {
  LineCoder coder(sentence_model(), {}, {});
  LineSentences line = prepare_sentences(coder, "A dog. A cat. A cow.", {}, "en");
  const std::vector<NBest> found{{found_as("a", 0)}, {found_as("b", 0)}, {found_as("c", 0)}};
  const std::vector<GuardOutcome> outcomes{
      {Degeneration::kTooLong, true}, {Degeneration::kEmpty, false}, {}};
  size_t next = 0;
  line.finish(coder, found, outcomes, next);
  EXPECT_EQ(line.guard().sign, Degeneration::kEmpty);
}

std::string joined(const std::string& first, const std::string& space, const std::string& second) {
  std::vector<MarkedPart> parts{{first}}, before;
  if (!space.empty()) before.push_back({space});
  append_sentence(before, {{second}}, parts);
  return join(parts);
}

TEST(LineSentences, SpacesBetweenSentencesAreThoseOfTheTarget) {
  EXPECT_EQ(joined("A dog.", " ", "A cat."), "A dog. A cat.");
  EXPECT_EQ(joined("A dog.", "", "A cat."), "A dog. A cat.") << "from Chinese";
  EXPECT_EQ(joined("狗。", " ", "猫。"), "狗。猫。") << "to Chinese";
  EXPECT_EQ(joined("狗。", "", "猫。"), "狗。猫。");
  EXPECT_EQ(joined("狗。", "\n", "猫。"), "狗。\n猫。");
  EXPECT_EQ(joined("A dog.", "  ", "A cat."), "A dog.  A cat.");
  EXPECT_EQ(joined("", "", "A cat."), "A cat.");
}

}  // namespace
}  // namespace dietmt::nmt
