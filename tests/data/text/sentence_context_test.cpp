#include "data/text/sentence_context.h"

#include <gmock/gmock.h>

#include "common/files.h"
#include "data/text/tokenizer_training.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using Ids = std::vector<int32_t>;

TEST(ContextWindowTest, KeepsTheLastSentences) {
  ContextWindow window(2);
  EXPECT_THAT(window.last(0, 3), IsEmpty());
  for (const Ids& sentence : {Ids{10}, Ids{11, 12}, Ids{13}}) window.add(sentence);
  EXPECT_EQ(window.size(), 2);
  EXPECT_THAT(window.last(2, 3), ElementsAre(11, 12, 3, 13, 3));
  EXPECT_THAT(window.last(1, 3), ElementsAre(13, 3));
  window.clear();
  EXPECT_EQ(window.size(), 0);
}

TEST(ContextWindowTest, TheOldestSentencesDoNotFit) {
  ContextWindow window(3);
  for (const Ids& sentence : {Ids{10}, Ids{11, 12, 13}, Ids{14}}) window.add(sentence);
  EXPECT_EQ(window.fitting(5, 13), 3);  // 5 + 2 + 4 + 2
  EXPECT_EQ(window.fitting(5, 12), 2);
  EXPECT_EQ(window.fitting(5, 11), 2);
  EXPECT_EQ(window.fitting(5, 10), 1);
  EXPECT_EQ(window.fitting(5, 6), 0);
  EXPECT_EQ(window.fitting(20, 6), 0);
}

TEST(ContextWindowTest, OfNoSentencesStaysEmpty) {
  ContextWindow window(0);
  window.add(Ids{10});
  EXPECT_EQ(window.size(), 0);
}

class SeparatorTest : public ToyTextTest {
 protected:
  static void expect_separator(const Tokenizer& tokenizer) {
    const int32_t separator = tokenizer.separator_id();
    ASSERT_GE(separator, 0);
    EXPECT_EQ(tokenizer.piece(separator), kSeparatorPiece);
    EXPECT_THAT(tokenizer.encode("tuba <sep> riko"), Not(Contains(separator)));
    Ids ids = tokenizer.encode("tuba");
    ids.push_back(separator);
    EXPECT_EQ(tokenizer.decode(ids), "tuba");
    EXPECT_EQ(tokenizer.decode_with_spans(ids).text, "tuba");
  }

  std::shared_ptr<const Tokenizer> written(const Tokenizer& tokenizer) const {
    write_file_atomically(scratch() / "written.model", tokenizer.serialized());
    return std::make_shared<const Tokenizer>(scratch() / "written.model");
  }
};

TEST_F(SeparatorTest, IsTrainedAsAPieceThatNoTextHas) {
  TokenizerOptions options;
  options.inputs = {source_file()};
  options.vocabulary_size = 60;
  options.separator = true;
  train_tokenizer(options, scratch() / "trained.model");
  const auto trained = std::make_shared<const Tokenizer>(scratch() / "trained.model");
  EXPECT_EQ(trained->vocabulary_size(), 60);
  expect_separator(*trained);
  EXPECT_EQ(with_separator(trained), trained);
}

TEST_F(SeparatorTest, IsAddedAsTheLastPiece) {
  const auto before = written(tokenizer());
  EXPECT_EQ(before->separator_id(), -1);
  const auto after = with_separator(before);
  EXPECT_EQ(after->separator_id(), before->vocabulary_size());
  EXPECT_EQ(after->vocabulary_size(), before->vocabulary_size() + 1);
  for (const std::string& line : text_.source) EXPECT_EQ(after->encode(line), before->encode(line));
  expect_separator(*after);
  expect_separator(*written(*after));
}

TEST_F(SeparatorTest, IsAddedToAVocabulary) {
  write_file_atomically(scratch() / "plain.model", tokenizer().sentencepiece());
  const auto before = std::make_shared<const Tokenizer>(
      scratch() / "plain.model", sentencepiece_vocabulary(scratch() / "plain.model"));
  const auto after = with_separator(before);
  EXPECT_EQ(after->encode("tuba riko"), before->encode("tuba riko"));
  expect_separator(*after);
  expect_separator(*written(*after));
}

}  // namespace
}  // namespace dietmt::data
