// Vocabularies of fairseq, OpenNMT and Marian, and text that is cut into their pieces.
#include "data/text/piece_list.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/scratch.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string failure(const std::string& text, const std::string& file = "dict.txt") {
  try {
    listed_vocabulary(text, file);
    return "accepted";
  } catch (const DataError& error) {
    return error.what();
  }
}

TEST(ListedVocabulary, OfFairseqHasItsIds) {
  const PieceVocabulary found = listed_vocabulary("new@@ 7\nhouse 5\n: 1\n", "dict.en.txt");
  EXPECT_THAT(found.pieces, ElementsAre("<s>", "<pad>", "</s>", "<unk>", "new@@", "house", ":"));
  EXPECT_EQ(found.begin, 0);
  EXPECT_EQ(found.end, 2);
  EXPECT_EQ(found.unknown, 3);
  EXPECT_EQ(listed_vocabulary("a 7\n</s> 5 #fairseq:overwrite\n", "dict.txt").end, 1);
}

TEST(ListedVocabulary, KeepsTheOrderOfLinesAndAddsMissingSpecialPieces) {
  const PieceVocabulary found =
      listed_vocabulary("\xEF\xBB\xBF<unk>\r\n<blank>\r\n<s>\r\n12\r\na", "vocab.src");
  EXPECT_THAT(found.pieces, ElementsAre("<unk>", "<blank>", "<s>", "12", "a", "</s>"));
  EXPECT_EQ(found.unknown, 0);
  EXPECT_EQ(found.begin, 2);
  EXPECT_EQ(found.end, 5);
  EXPECT_THAT(listed_vocabulary("<unk>\t0\nthe\t12\n", "vocab.txt").pieces,
              ElementsAre("<unk>", "the", "<s>", "</s>"));
}

TEST(ListLines, HaveNoEndsAndMustBeUtf8) {
  EXPECT_THAT(list_lines("\xEF\xBB\xBF<unk>\r\n\na", "vocab.txt"), ElementsAre("<unk>", "", "a"));
  try {
    list_lines("a\n\xFF\n", "vocab.txt");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("vocab.txt:2: not UTF-8"));
  }
}

TEST(ListedVocabulary, OfMarianHasItsIds) {
  const PieceVocabulary found = listed_vocabulary("</s>: 0\n<unk>: 1\nb: 3\n", "vocab.yml");
  EXPECT_THAT(found.pieces, ElementsAre("</s>", "<unk>", "<unused 2>", "b", "<s>"));
  EXPECT_EQ(found.end, 0);
  EXPECT_EQ(found.unknown, 1);
  EXPECT_EQ(found.begin, 4);
}

TEST(MarianPieces, AreQuotedAsInYaml) {
  const char* text =
      "# a comment\n---\n\"</s>\": 0\n<unk>: 1\n\xE2\x96\x81the: 2\n\":\": 3\n'''': 4\n"
      "\"\\\"\": 5\n\"\\x85\": 6\n\"\\u2581\": 7\n? \"a long: key\"\n: 8\n\"\\\\\": 9\n- : 10\n"
      "~: 11\nnull: 12\n? : 13\na:b: 14\n";
  EXPECT_THAT(marian_pieces(text, "vocab.yml"),
              ElementsAre("</s>", "<unk>", "\xE2\x96\x81the", ":", "'", "\"", "\xC2\x85",
                          "\xE2\x96\x81", "a long: key", "\\", "-", "~", "null", "?", "a:b"));
}

TEST(ListedVocabulary, ErrorsNameFileAndLine) {
  for (const auto& [text, file, problem] :
       {std::tuple("a 1\nb\n", "dict.txt",
                   "dict.txt:2: not a line of a vocabulary: must be a piece"),
        std::tuple("a 1\nb x\n", "dict.txt", "dict.txt:2: not a line"),
        std::tuple("a 1\nb c 2\n", "dict.txt", "dict.txt:2: not a line"),
        std::tuple("a\nb\nc d\n", "vocab.txt",
                   "vocab.txt:3: not a line of a vocabulary: must be one"),
        std::tuple("A whole sentence.\n", "train.en", "train.en:1: not a line of a vocabulary"),
        std::tuple("a 1\nb 1\na 3\n", "dict.txt", "dict.txt:3: the piece 'a' is in line 1 too"),
        std::tuple("a\n\nb\n", "vocab.txt", "vocab.txt:2: the piece is empty"),
        std::tuple("a\nb\xFF\n", "vocab.txt", "vocab.txt:2: not UTF-8 at byte 2"),
        std::tuple("\xE2\x96\x81the -1\ns 2\n", "dict.txt", "pieces of a sentencepiece model"),
        std::tuple("a: 0\nb\n", "vocab.yml", "vocab.yml:2: not a line of a vocabulary: must be"),
        std::tuple("a: 0\nb: 7x\n", "vocab.yml", "vocab.yml:2: 'b' has the id '7x'"),
        std::tuple("a: 0\n\"\\xZZ\": 1\n", "vocab.yml", "vocab.yml:2: not a line"),
        std::tuple("a: 0\n: 1\n", "vocab.yml", "vocab.yml:2: the piece is empty"),
        std::tuple("a: 0\nb: 0\n", "vocab.yml", "vocab.yml:2: 'a' and 'b' have the same id"),
        std::tuple("a: 0\nb: 999999999\n", "vocab.yml", "vocab.yml:2: the id of 'b' is too large"),
        std::tuple("a: 0\na: 1\n", "vocab.yml", "vocab.yml:2: the piece 'a' is in line 1 too"),
        std::tuple("", "dict.txt", "dict.txt: the vocabulary is empty")})
    EXPECT_THAT(failure(text, file), HasSubstr(problem));
}

class ListedWordsTest : public ScratchTest {
 protected:
  std::shared_ptr<const Tokenizer> opened(const std::string& text) const {
    write_file_atomically(scratch() / "dict.txt", text);
    return open_tokenizer(scratch() / "dict.txt");
  }
};

TEST_F(ListedWordsTest, WordsAreThePieces) {
  const auto tokenizer = opened("new@@ 7\ner 5\nhouse 2\n");
  EXPECT_EQ(tokenizer->vocabulary_size(), 7);
  const auto ids = tokenizer->encode(" new@@  er\thouse\xC2\xA0x <s> house\r");
  EXPECT_THAT(ids, ElementsAre(4, 5, 3, 3, 6));
  EXPECT_EQ(tokenizer->decode(ids), "new@@ er <unk> <unk> house");
  EXPECT_EQ(tokenizer->decode(std::vector<int32_t>{0, 4, 5, 2}), "new@@ er");
  EXPECT_THAT(tokenizer->encode("   "), ElementsAre());
}

TEST_F(ListedWordsTest, SpansHaveTheSpaceBeforeAWord) {
  const auto tokenizer = opened("a 7\nb 5\n");
  const SpannedPieces pieces = tokenizer->encode_with_spans("a  b");
  EXPECT_THAT(pieces.spans, ElementsAre(TextSpan{0, 1}, TextSpan{1, 4}));
  const SpannedText text = tokenizer->decode_with_spans(std::vector<int32_t>{4, 5, 2});
  EXPECT_EQ(text.text, "a b");
  EXPECT_THAT(text.spans, ElementsAre(TextSpan{0, 1}, TextSpan{1, 3}, TextSpan{3, 3}));
}

// A model directory keeps the bytes under the name of a sentencepiece model.
TEST_F(ListedWordsTest, AreSavedAndGetASeparator) {
  const auto tokenizer = with_separator(opened("a 7\nb 5\n"));
  EXPECT_EQ(tokenizer->separator_id(), 6);
  write_file_atomically(scratch() / "tokenizer.model", tokenizer->serialized());
  const Tokenizer again(scratch() / "tokenizer.model");
  EXPECT_EQ(again.separator_id(), 6);
  EXPECT_THAT(again.encode("b <sep> a"), ElementsAre(5, 3, 4));
  EXPECT_EQ(again.serialized(), tokenizer->serialized());
  EXPECT_EQ(open_tokenizer(scratch() / "tokenizer.model")->serialized(), tokenizer->serialized());
}

TEST_F(ListedWordsTest, ModelDirectoriesHaveNoLists) {
  write_file_atomically(scratch() / "tokenizer.model", "a 7\nb 5\n");
  EXPECT_THROW(Tokenizer(scratch() / "tokenizer.model"), DataError);
}

}  // namespace
}  // namespace dietmt::data
