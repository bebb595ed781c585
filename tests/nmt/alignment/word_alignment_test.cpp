#include "nmt/alignment/word_alignment.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/nmt/alignment/aligned_words.h"

namespace dietmt::nmt {
namespace {

using data::TextSpan;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts_of(std::string_view text, const std::vector<TextSpan>& spans) {
  std::vector<std::string> texts;
  for (const TextSpan& span : spans)
    texts.emplace_back(
        text.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin)));
  return texts;
}

TEST(WordAlignmentTest, WordsAreBetweenWhiteSpace) {
  EXPECT_THAT(words_of(" Über  uns,\tja"),
              ElementsAre(TextSpan{1, 6}, TextSpan{8, 12}, TextSpan{13, 15}));
  EXPECT_THAT(words_of(" \t"), IsEmpty());
}

TEST(WordAlignmentTest, SegmentsSeparatePunctuationAndChineseWords) {
  const std::string text = "Don't go (now), 3.5 km.";
  EXPECT_THAT(texts_of(text, segments_of(text)),
              ElementsAre("Don't", "go", "(", "now", ")", ",", "3.5", "km", "."));
  const std::string accent_alone = "a \u0301 b";
  EXPECT_THAT(texts_of(accent_alone, segments_of(accent_alone)), ElementsAre("a", "\u0301", "b"));
  const std::string chinese = "你好世界";
  EXPECT_GT(segments_of(chinese).size(), 1U);
}

TEST(WordAlignmentTest, EachTargetWordGetsTheSourceWordWithTheMostAttention) {
  const std::string source = "the red house", target = "la maison rouge";
  const auto from = tokens_of_words(source), to = tokens_of_words(target);
  const auto pairs = align_words({source, from}, {target, to}, attention_of({0, 2, 1}, 3));
  EXPECT_THAT(pairs, ElementsAre(WordPair{0, 0}, WordPair{2, 1}, WordPair{1, 2}));
  EXPECT_EQ(pharaoh(pairs), "0-0 2-1 1-2");
}

// "ab c" with the tokens "a", "b", " c": neither token of the first word has the most attention,
// but together they do. End of sentence has more and does not count.
TEST(WordAlignmentTest, PiecesOfAWordAddUp) {
  const std::string source = "ab c", target = "x";
  const std::vector<TextSpan> from = {{0, 1}, {1, 2}, {2, 4}}, to = {{0, 1}};
  const std::vector<float> attention = {0.15F, 0.15F, 0.2F, 0.5F, 0.0F, 0.0F, 0.0F, 1.0F};
  EXPECT_EQ(pharaoh(align_words({source, from}, {target, to}, attention)), "0-0");
}

// A single space, which sentencepiece sometimes produces, belongs to the next word.
TEST(WordAlignmentTest, ASpaceBelongsToTheNextWordAndATagToNone) {
  const std::string source = "a b", target = "x";
  const std::vector<TextSpan> from = {{-6, 0}, {0, 1}, {1, 2}, {2, 3}}, to = {{0, 1}};
  const std::vector<float> attention = {0.4F, 0.25F, 0.2F, 0.1F, 0.05F,
                                        0.0F, 0.0F,  0.0F, 0.0F, 1.0F};
  EXPECT_EQ(pharaoh(align_words({source, from}, {target, to}, attention)), "1-0");
}

TEST(WordAlignmentTest, NoWordsGiveNoPairs) {
  const std::vector<float> attention = {1.0F};
  EXPECT_THAT(align_words({"", {}}, {"", {}}, attention), IsEmpty());
  const std::vector<TextSpan> to = {{0, 1}};
  const std::vector<float> two = {1.0F, 1.0F};
  EXPECT_THAT(align_words({"", {}}, {"x", to}, two), IsEmpty());
}

TEST(WordAlignmentTest, AttentionOfAnotherSizeIsAnError) {
  const std::vector<float> attention(3);
  EXPECT_THROW(align_words({"", {}}, {"", {}}, attention), Error);
}

}  // namespace
}  // namespace dietmt::nmt
