#include "data/text/plain_signs.h"

#include <gtest/gtest.h>

#include "data/text/text_characters.h"
#include "data/text/tokenizer_training.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

constexpr int32_t kUnknown = 0, kKnown = 1;

// One piece for each character; those that are not ASCII are unknown, except é.
SpannedPieces characters_of(std::string_view text) {
  SpannedPieces pieces;
  for (size_t at = 0; at < text.size();) {
    const Character one = first_character_of(text.substr(at));
    pieces.ids.push_back(one.bytes == 1 || one.code == U'\u00E9' ? kKnown : kUnknown);
    pieces.spans.push_back({static_cast<int32_t>(at), static_cast<int32_t>(at + one.bytes)});
    at += one.bytes;
  }
  return pieces;
}

std::string plain(std::string_view text) {
  return PlainSigns(text, characters_of(text), kUnknown).text();
}

TEST(PlainSignsTest, SignsInsideWordsArePlain) {
  EXPECT_EQ(plain("It’s a well‑known non‐fiction book"), "It's a well-known non-fiction book");
  EXPECT_EQ(plain("l’été, Rock´n´Roll, Oʼahu"), "l'été, Rock'n'Roll, O'ahu");
  EXPECT_EQ(plain("the dogs’ house"), "the dogs' house");
}

TEST(PlainSignsTest, QuotationMarksAndOtherSignsStay) {
  for (const std::string text :
       {"He said ‘yes’.", "Han sade ’ja’.", "A – b", "“quoted”", "a‑ b", "’", "90 ‑ 100"})
    EXPECT_EQ(plain(text), text);
  EXPECT_EQ(plain("She’s ‘it’ for us’"), "She's ‘it’ for us’");
}

TEST(PlainSignsTest, TextsWithoutSignsAreKnownAtOnce) {
  for (const std::string text : {"it's a well-known book", "\u6F22 – “quoted”", ""})
    EXPECT_FALSE(PlainSigns::are_possible_in(text)) << text;
  for (const std::string text : {"it’s", "well‑known", "’"})
    EXPECT_TRUE(PlainSigns::are_possible_in(text)) << text;
}

TEST(PlainSignsTest, OnlyUnknownSignsArePlain) {
  const std::string text = "it’s";
  SpannedPieces pieces = characters_of(text);
  pieces.ids[2] = kKnown;
  EXPECT_FALSE(PlainSigns(text, pieces, kUnknown).any());
}

TEST(PlainSignsTest, SpansAreThoseOfTheOriginal) {
  const std::string text = "it’s well‑known";
  const PlainSigns signs(text, characters_of(text), kUnknown);
  ASSERT_EQ(signs.text(), "it's well-known");
  const auto original = [&](int32_t begin, int32_t end) {
    const TextSpan span = signs.original({begin, end});
    return text.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin));
  };
  EXPECT_EQ(original(0, 2), "it");
  EXPECT_EQ(original(0, 3), "it’");
  EXPECT_EQ(original(2, 3), "’");
  EXPECT_EQ(original(3, 4), "s");
  EXPECT_EQ(original(4, 10), " well‑");
  EXPECT_EQ(original(10, 15), "known");
}

class PlainTokensTest : public ScratchTest {
 protected:
  Tokenizer trained(const std::string& text) const {
    TokenizerOptions options;
    options.inputs = {write("text", text)};
    options.vocabulary_size = 60;
    options.may_shrink = true;
    train_tokenizer(options, scratch() / "model");
    return Tokenizer(scratch() / "model");
  }
};

TEST_F(PlainTokensTest, WordsAreReadAsTheVocabularyWritesThem) {
  const Tokenizer tokenizer = trained("it's a well-known book\nthe dogs' bone\n");
  EXPECT_EQ(tokenizer.encode("it’s well‑known"), tokenizer.encode("it's well-known"));
  const std::string text = "it’s \u6F22";
  const SpannedPieces pieces = tokenizer.encode_with_spans(text);
  EXPECT_EQ(pieces.ids, tokenizer.encode(text));
  EXPECT_EQ(pieces.spans.back().end, static_cast<int32_t>(text.size()));
  EXPECT_EQ(pieces.ids.back(), tokenizer.unknown_id());
}

TEST_F(PlainTokensTest, SignsOfTheVocabularyStay) {
  const Tokenizer tokenizer = trained("it’s a book, it's\n");
  std::vector<int32_t> ids = tokenizer.encode("it’s\u6F22");
  ids.pop_back();
  EXPECT_EQ(tokenizer.decode(ids), "it’s");
}

}  // namespace
}  // namespace dietmt::data
