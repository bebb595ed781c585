#include "data/text/merged_pieces.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "data/text/byte_words.h"
#include "data/text/merges.h"
#include "data/text/subwords.h"
#include "tests/common/cpu_cost.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Learned by subword-nmt 0.3.8.
constexpr std::string_view kCodes =
    "#version: 0.2\ng r\nb l\nb i\nn e\na u\nn d\ni nd\nf ind\ne e\na l\nr e\nbl a\nbla u</w>\n"
    "r d</w>\nbi rd</w>\nb au\nbau m</w>\n\u00fc n</w>\ngr \u00fcn</w>\nu n\nun d</w>\n";

PieceVocabulary vocabulary_of(std::vector<std::string> pieces) {
  pieces.insert(pieces.begin(), {"<s>", "</s>", "<unk>", "<2de>"});
  return {std::move(pieces), 2, 0, 1, true, {3}};
}

std::unique_ptr<const Subwords> words(std::vector<std::string> pieces) {
  return merged_pieces(vocabulary_of(std::move(pieces)), merge_rules(MergedText::kWords, kCodes),
                       "codes");
}

std::unique_ptr<const Subwords> bytes(std::vector<std::string> pieces, std::string_view merges) {
  return merged_pieces(vocabulary_of(std::move(pieces)), merge_rules(MergedText::kBytes, merges),
                       "merges.txt");
}

std::string joined_pieces(const Subwords& subwords, std::string_view text) {
  std::string all;
  for (const int32_t id : subwords.encode(text))
    all += (all.empty() ? "" : " ") + subwords.piece(id);
  return all;
}

std::vector<std::string> parts(std::string_view text, const std::vector<size_t>& ends) {
  std::vector<std::string> found;
  size_t begin = 0;
  for (const size_t end : ends) {
    found.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return found;
}

TEST(MergedWords, AreThoseOfSubwordNmt) {
  const auto subwords = words({"re@@", "d", "d@@", "o@@", "g", "g@@", "s", "gr\u00fcn", "gr@@",
                               "\u00df", "s@@", "ee@@", ",", "@@@", "@", "<@@", "/@@", "w@@", ">"});
  for (const auto& [text, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"red dog", "re@@ d d@@ o@@ g"},
           {"gr\u00fcn gro\u00df", "gr\u00fcn gr@@ o@@ \u00df"},
           {"  redred \t dogs ", "re@@ d@@ re@@ d d@@ o@@ g@@ s"},
           {"sees,", "s@@ ee@@ s@@ ,"},
           {"d@@ og", "d@@ @@@ @ o@@ g"},
           {"gro\u00df</w>", "gr@@ o@@ <unk> <@@ /@@ w@@ >"},
           {"<2de> red </s>", "<2de> re@@ d <@@ /@@ s@@ >"},
           {" ", ""}})
    EXPECT_EQ(joined_pieces(*subwords, text), expected) << text;
  EXPECT_EQ(subwords->decode(subwords->encode(" red  dogs, gr\u00fcn")), "red dogs, gr\u00fcn");
}

TEST(MergedWords, KnowTheirBytes) {
  const auto subwords = words({"re@@", "d", "d@@", "o@@", "g"});
  const SpannedPieces pieces = subwords->encode_with_spans("<2de> red  dog");
  EXPECT_THAT(pieces.spans, ElementsAre(TextSpan{0, 5}, TextSpan{5, 8}, TextSpan{8, 9},
                                        TextSpan{9, 12}, TextSpan{12, 13}, TextSpan{13, 14}));
  const SpannedText text = subwords->decode_with_spans(pieces.ids);
  EXPECT_EQ(text.text, "red dog");
  EXPECT_THAT(text.spans, ElementsAre(TextSpan{0, 0}, TextSpan{0, 2}, TextSpan{2, 3},
                                      TextSpan{3, 5}, TextSpan{5, 6}, TextSpan{6, 7}));
}

// U+00E9 is the bytes C3 A9, which the alphabet writes as U+00C3 and U+00A9.
TEST(MergedBytes, HalvesOfACharacterAreOnePlace) {
  const auto subwords = bytes({"a", "\u00c3", "\u00a9", "\u0120", "\u0120a"}, "\u0120 a\n");
  const SpannedPieces pieces = subwords->encode_with_spans("a\u00e9 a");
  EXPECT_THAT(pieces.spans,
              ElementsAre(TextSpan{0, 1}, TextSpan{1, 1}, TextSpan{1, 3}, TextSpan{3, 5}));
  const SpannedText text = subwords->decode_with_spans(pieces.ids);
  EXPECT_EQ(text.text, "a\u00e9 a");
  EXPECT_EQ(text.spans, pieces.spans);
  const int32_t half = pieces.ids[1];
  EXPECT_EQ(subwords->decode(std::vector{half, pieces.ids[0], half}), "\ufffda\ufffd");
  EXPECT_EQ(joined_pieces(*subwords, "z<s>"), "<unk> <unk> <unk> <unk>");
}

TEST(MergedBytes, WordsAreThoseOfGpt2) {
  const std::string text = "it's 12a  b\t!? we'LL\u00a0x ";
  EXPECT_THAT(parts(text, byte_word_ends(text)),
              ElementsAre("it", "'s", " 12", "a", " ", " b", "\t", "!?", " we", "'", "LL", "\u00a0",
                          "x", " "));
}

class StoredMergedPieces : public ScratchTest {};

TEST_F(StoredMergedPieces, AreTheSame) {
  const auto first = words({"re@@", "d"});
  const auto stored = load_subwords(write("tokenizer.model", first->serialized()));
  EXPECT_EQ(stored->serialized(), first->serialized());
  EXPECT_EQ(joined_pieces(*stored, "red"), "re@@ d");
  const auto longer = first->with_separator("codes");
  EXPECT_EQ(longer->size(), first->size() + 1);
  EXPECT_EQ(longer->separator(), first->size());
  EXPECT_EQ(joined_pieces(*longer, "red"), "re@@ d");
}

TEST(MergedPieces, AreRefusedByLine) {
  const auto failure = [](MergedText kind, std::string_view merges) {
    try {
      merged_pieces(vocabulary_of({"a", "b", "ab"}), merge_rules(kind, merges), "merges.txt");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("succeeded");
  };
  EXPECT_EQ(failure(MergedText::kWords, "a b 12\n"), "succeeded") << "fastBPE's";
  EXPECT_THAT(failure(MergedText::kWords, "a b\na b x\n"), HasSubstr("merges.txt:2: not a merge"));
  EXPECT_THAT(failure(MergedText::kWords, "a b\nab\n"), HasSubstr("merges.txt:2: not a merge"));
  EXPECT_THAT(failure(MergedText::kWords, "e </w>\n"), HasSubstr("merges.txt:1: "));
  EXPECT_THAT(failure(MergedText::kBytes, "a b\nab c\n"),
              HasSubstr("merges.txt:2: the symbol 'c' is not a piece"));
}

// A word is not divided however long it is.
TEST(MergedPieces, CostLittleMoreThanTheirLengthForOneWord) {
  const auto subwords =
      bytes({"a", "b", "aa", "aaaa", "ab", "aaaaaaaa"}, "a a\naa aa\na b\naaaa aaaa\n");
  for (const std::string text : {"a", "ab", "aab", "b", "q", "\u4f60"}) {
    SCOPED_TRACE(text);
    EXPECT_LE(cost_growth(
                  50'000, [&](size_t size) { return repeated(text, size); },
                  [&](const std::string& word) { subwords->decode(subwords->encode(word)); }),
              kLinearGrowth);
  }
  EXPECT_EQ(subwords->encode(std::string(1 << 20, 'a')).size(), (1U << 20U) / 8);
}

}  // namespace
}  // namespace dietmt::data
